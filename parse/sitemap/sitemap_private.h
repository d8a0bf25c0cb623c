/* The inside of a sitemap's reader. Bytes go through these stages, each in a file of its own, and each fed as they
 * come:
 *
 *   sitemap_gzip.c    uncompresses, where they are compressed
 *   sitemap.c         looks at the beginning, counts, hands on to one of two readers, and reads lines itself
 *   sitemap_decode.c  makes them UTF-8
 *   sitemap_filter.c  makes XML safe and a little better, sitemap_tags.c well-formed, sitemap_xml.c reads it
 *
 * The readers collect the parts of an entry and hand it to cw_sitemap_emit, in sitemap.c. */
#ifndef CW_SITEMAP_PRIVATE_H
#define CW_SITEMAP_PRIVATE_H

#include "parse/sitemap/doctype.h"

#include <crawl/sitemap.h>

#include <iconv.h>
#include <libxml/parser.h>
#include <zlib.h>

typedef enum cw_sitemap_form {
    CW_SITEMAP_START, /* not known yet: only white space and marks so far */
    CW_SITEMAP_XML,
    CW_SITEMAP_LINES
} cw_sitemap_form;

/* The parts of an entry, as text. */
typedef enum cw_sitemap_part {
    CW_SITEMAP_LOC,
    CW_SITEMAP_FALLBACK, /* a location to take where there is no other: a permanent guid */
    CW_SITEMAP_LASTMOD,
    CW_SITEMAP_CHANGEFREQ,
    CW_SITEMAP_PRIORITY,
    CW_SITEMAP_PARTS
} cw_sitemap_part;

typedef struct cw_sitemap_entry_text {
    crawl_buf part[CW_SITEMAP_PARTS];
    bool too_long; /* the location is */
} cw_sitemap_entry_text;

typedef enum cw_sitemap_filter_state {
    CW_SITEMAP_FILTER_TEXT,
    CW_SITEMAP_FILTER_TAG,
    CW_SITEMAP_FILTER_COMMENT,
    CW_SITEMAP_FILTER_CDATA,
    CW_SITEMAP_FILTER_INSTRUCTION,
    CW_SITEMAP_FILTER_DECLARATION
} cw_sitemap_filter_state;

/* Elements in elements: real files have six of them, and libxml2 takes 256. */
#define CW_SITEMAP_MAX_DEPTH 200

typedef struct cw_sitemap_filter {
    cw_sitemap_filter_state state;
    crawl_buf pending; /* not decided about yet: a tag at most */
    crawl_buf clean;
    size_t scanned;   /* bytes looked at of what is at hand */
    size_t first_end; /* where the first ">" in a value of the tag at hand stands; 0: nowhere */
    size_t values;    /* of attributes, in the tag at hand */
    char quote;       /* of the value at hand */
    cw_sitemap_doctype doctype;
    crawl_buf names; /* of the open elements, one behind the other */
    uint8_t name_sizes[CW_SITEMAP_MAX_DEPTH];
    unsigned depth; /* of open elements */
    bool begun;
    bool broken; /* not well-formed, and mended */
} cw_sitemap_filter;

typedef struct cw_sitemap_xml {
    xmlParserCtxtPtr parser;
    unsigned depth; /* of open elements; 1: in the element of our own around all, 2: in a root */
    bool has_root;
    crawl_sitemap_type type; /* of the root at hand */
    unsigned entry_depth;    /* of the entry that is open; 0: none */
    bool entry_is_sitemap;
    bool entry_has_loc;
    bool collects; /* text of the element at hand goes to part, or to feed_link */
    bool feed_link;
    unsigned collect_depth;
    cw_sitemap_part part;
    crawl_err err; /* of the callbacks, which cannot return one */
} cw_sitemap_xml;

struct crawl_sitemap {
    crawl_sitemap_options options;
    crawl_sitemap_stats stats;
    crawl_url *base; /* empty: none */
    bool has_base;
    crawl_url *url;
    crawl_err err; /* nothing more is taken; what is answered */
    z_stream inflater;
    bool inflates;
    bool between;        /* a compressed part has ended, another may begin */
    uint64_t compressed; /* bytes that came in */
    crawl_buf head;      /* the first bytes, until the form is known */
    bool head_done;      /* compressed or not is known */
    cw_sitemap_form form;
    iconv_t converter; /* from an encoding that is not UTF-8 */
    bool converts;
    crawl_buf encoded; /* bytes that make no character yet */
    crawl_buf utf8;
    crawl_buf line;
    bool line_too_long;
    cw_sitemap_entry_text entry;
    cw_sitemap_filter filter;
    cw_sitemap_xml xml;
    crawl_buf feed_link_text;
};

/* sitemap.c: tells of the entry collected, and empties it. relative: a location need not be a whole URL. */
crawl_err cw_sitemap_emit(crawl_sitemap *sitemap, bool is_sitemap, bool relative);
void cw_sitemap_clear_entry(cw_sitemap_entry_text *entry);
/* Appends to a part of the entry, up to its maximum. */
crawl_err cw_sitemap_collect(cw_sitemap_entry_text *entry, cw_sitemap_part part, crawl_slice text);
/* Takes uncompressed bytes. */
crawl_err cw_sitemap_take(crawl_sitemap *sitemap, crawl_slice bytes);
/* Relative locations are resolved against text from here on, if it is a URL and there is no other base. */
void cw_sitemap_set_base(crawl_sitemap *sitemap, crawl_slice text);

/* sitemap_gzip.c */
crawl_err cw_sitemap_inflate(crawl_sitemap *sitemap, crawl_slice bytes);
void cw_sitemap_inflate_end(crawl_sitemap *sitemap);

/* sitemap_decode.c: the bytes as UTF-8 into sitemap->utf8. last: nothing comes behind them. */
crawl_err cw_sitemap_decode(crawl_sitemap *sitemap, crawl_slice bytes, bool last);
/* They are in the encoding that iconv calls so. */
void cw_sitemap_decode_as(crawl_sitemap *sitemap, const char *charset);
/* They are in the encoding that their XML declaration names, if it is one of the web's. */
void cw_sitemap_decode_declared(crawl_sitemap *sitemap, crawl_slice declaration);
void cw_sitemap_decode_end(crawl_sitemap *sitemap);

/* sitemap_filter.c: the bytes made clean into filter->clean. CRAWL_EPARSE: dangerous. last: nothing comes behind
 * them. */
crawl_err cw_sitemap_filter_run(cw_sitemap_filter *filter, crawl_slice bytes, bool last);
/* Puts text with each "&" escaped that begins no reference. CRAWL_ENOMEM. */
crawl_err cw_sitemap_filter_escape(cw_sitemap_filter *filter, crawl_slice text);

/* sitemap_tags.c: puts what becomes of a whole tag, "<" to ">". CRAWL_EPARSE: elements too deep, or a name too long. */
crawl_err cw_sitemap_tag(cw_sitemap_filter *filter, crawl_slice tag);

/* sitemap_xml.c */
crawl_err cw_sitemap_xml_feed(crawl_sitemap *sitemap, crawl_slice clean, bool last);
void cw_sitemap_xml_free(crawl_sitemap *sitemap);

/* sitemap_date.c: W3C date and time, or a date of mail (RFC 5322), to seconds since 1970; CRAWL_SITEMAP_NO_DATE:
 * neither. */
int64_t cw_sitemap_date(crawl_slice text);

#endif
