/* Shared by the files of the sitemap reader. Bytes pass through these stages, each in a file of its own and fed as the
 * bytes arrive:
 *
 *   sitemap_gzip.c    uncompresses them if they are compressed, once or twice
 *   sitemap.c         examines the beginning, counts, passes on to one of two readers, and reads lines itself
 *   sitemap_decode.c  decodes them to UTF-8
 *   sitemap_filter.c  makes XML safe and repairs it, sitemap_tags.c balances its tags, sitemap_xml.c reads it with
 *                     sitemap_extension.c, which knows translations, images, videos and news
 *   sitemap_llms.c    reads the lines of an llms.txt
 *
 * The readers collect the parts of an entry and pass it to cw_sitemap_emit in sitemap_entry.c. */
#pragma once

#include "parse/charset/charset.h"
#include "parse/sitemap/doctype.h"

#include <crawl/sitemap.h>

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
    CW_SITEMAP_FALLBACK, /* used as the location if there is no other: a permanent guid */
    CW_SITEMAP_LASTMOD,
    CW_SITEMAP_CHANGEFREQ,
    CW_SITEMAP_PRIORITY,
    CW_SITEMAP_LINK, /* the location of an image or a video being read */
    CW_SITEMAP_NEWS_NAME,
    CW_SITEMAP_NEWS_LANGUAGE,
    CW_SITEMAP_NEWS_TITLE,
    CW_SITEMAP_NEWS_DATE,
    CW_SITEMAP_PARTS
} cw_sitemap_part;

typedef struct cw_sitemap_entry_text {
    crawl_buf part[CW_SITEMAP_PARTS];
    bool too_long;      /* the location is too long */
    bool link_too_long; /* the link being read is */
    bool has_news;
    crawl_buf link_text;       /* of each link: its URL, its hreflang */
    crawl_sitemap_link *links; /* their slices have only sizes until the entry is reported */
    size_t link_count;
    size_t link_room;
} cw_sitemap_entry_text;

/* The extensions of an entry that hold elements of their own. */
typedef enum cw_sitemap_extension {
    CW_SITEMAP_NO_EXTENSION,
    CW_SITEMAP_OF_IMAGE,
    CW_SITEMAP_OF_VIDEO,
    CW_SITEMAP_OF_NEWS
} cw_sitemap_extension;

typedef enum cw_sitemap_filter_state {
    CW_SITEMAP_FILTER_TEXT,
    CW_SITEMAP_FILTER_TAG,
    CW_SITEMAP_FILTER_COMMENT,
    CW_SITEMAP_FILTER_CDATA,
    CW_SITEMAP_FILTER_INSTRUCTION,
    CW_SITEMAP_FILTER_DECLARATION
} cw_sitemap_filter_state;

/* The deepest nesting of elements: real files have six, and libxml2 allows 256. */
#define CW_SITEMAP_MAX_DEPTH 200

typedef struct cw_sitemap_filter {
    cw_sitemap_filter_state state;
    crawl_buf pending; /* bytes that cannot be judged yet: a tag at most */
    crawl_buf clean;
    size_t scanned;   /* bytes of the present tag or comment already examined */
    size_t first_end; /* offset of the first ">" in a value of the present tag; 0: there is none */
    size_t values;    /* values of attributes in the present tag */
    char quote;       /* the quote of the present value */
    cw_sitemap_doctype doctype;
    crawl_buf names; /* names of the open elements, one after the other */
    uint8_t name_sizes[CW_SITEMAP_MAX_DEPTH];
    unsigned depth; /* of open elements */
    bool begun;
    bool broken; /* the file was not well-formed and was repaired */
} cw_sitemap_filter;

/* Nested elements with an xml:base; deeper ones are ignored. Real files have a feed, an entry, a link. */
#define CW_SITEMAP_MAX_BASES 8

typedef struct cw_sitemap_xml {
    xmlParserCtxtPtr parser;
    unsigned depth; /* of open elements; 1: in our own outermost element, 2: in a root */
    bool has_root;
    crawl_sitemap_type type; /* of the present root */
    unsigned entry_depth;    /* of the open entry; 0: none */
    bool entry_is_sitemap;
    bool entry_has_loc;
    bool collects; /* the text of the present element goes to part, or to feed_link */
    bool feed_link;
    unsigned collect_depth;
    cw_sitemap_part part;
    crawl_sitemap_link_kind link_kind; /* of CW_SITEMAP_LINK */
    cw_sitemap_extension extension;    /* the open one */
    unsigned extension_depth;
    struct {
        unsigned depth; /* of the element */
        crawl_url *url;
    } bases[CW_SITEMAP_MAX_BASES]; /* xml:base of the open elements of a feed, outermost first */
    size_t base_count;
    crawl_err err; /* an error of the callbacks, which cannot return it */
} cw_sitemap_xml;

/* Layers of compression that are removed. */
#define CW_SITEMAP_LAYERS 2u

typedef struct cw_sitemap_layer {
    z_stream inflater;
    bool between; /* a compressed part has ended, another may begin */
    uint64_t in;  /* bytes */
    uint64_t out;
} cw_sitemap_layer;

struct crawl_sitemap {
    crawl_sitemap_options options;
    crawl_sitemap_stats stats;
    crawl_url *base; /* empty: none */
    bool has_base;
    crawl_url *url;
    crawl_err err;                              /* the result of all further calls, which do nothing */
    cw_sitemap_layer layers[CW_SITEMAP_LAYERS]; /* the outermost first */
    unsigned layer_count;
    bool head_done; /* the number of layers is known */
    crawl_buf head; /* the first bytes, until the form is known */
    cw_sitemap_form form;
    const char *charset; /* WHATWG name; NULL: UTF-8 */
    cw_charset_decoder decoder;
    crawl_buf encoded; /* bytes whose character may be incomplete */
    crawl_buf utf8;
    crawl_buf line;
    bool line_too_long;
    struct {
        unsigned titles;
        bool in_section; /* a list of links may come */
        bool is_optional;
        char fence;        /* the character of the line that opened the block of code */
        size_t fence_size; /* how many of them; 0: not in such a block */
    } llms;
    cw_sitemap_entry_text entry;
    cw_sitemap_filter filter;
    cw_sitemap_xml xml;
    crawl_buf feed_link_text;
};

/* sitemap_entry.c: passes the collected entry to the caller, and empties it. relative: a location may be relative. */
crawl_err cw_sitemap_emit(crawl_sitemap *sitemap, bool is_sitemap, bool relative);
void cw_sitemap_clear_entry(cw_sitemap_entry_text *entry);
/* Adds the link collected as CW_SITEMAP_LINK to the entry, and empties that part; skips a link that is not an http(s)
 * URL, or that is one too many. CRAWL_ENOMEM. */
crawl_err cw_sitemap_add_link(crawl_sitemap *sitemap, crawl_sitemap_link_kind kind, crawl_slice hreflang);
/* Appends to a part of the entry, up to its maximum. */
crawl_err cw_sitemap_collect(cw_sitemap_entry_text *entry, cw_sitemap_part part, crawl_slice text);
/* Makes the collected location absolute, if it can be. CRAWL_ENOMEM. */
crawl_err cw_sitemap_make_absolute(crawl_sitemap *sitemap);
/* Returns the base of relative locations here. NULL: none. */
const crawl_url *cw_sitemap_base(const crawl_sitemap *sitemap);
/* sitemap.c: takes uncompressed bytes. */
crawl_err cw_sitemap_take(crawl_sitemap *sitemap, crawl_slice bytes);
/* Makes text the base of relative locations from here on, if it is a URL and there is no other base. */
void cw_sitemap_set_base(crawl_sitemap *sitemap, crawl_slice text);

/* sitemap_gzip.c: takes bytes as they came, and their end. */
crawl_err cw_sitemap_uncompress(crawl_sitemap *sitemap, crawl_slice bytes);
crawl_err cw_sitemap_uncompress_end(crawl_sitemap *sitemap);
/* Returns true if each compressed part is complete. */
bool cw_sitemap_uncompress_is_whole(const crawl_sitemap *sitemap);
void cw_sitemap_uncompress_free(crawl_sitemap *sitemap);

/* sitemap_decode.c: decodes the bytes to UTF-8 into sitemap->utf8, without NULs. last: no bytes follow. */
crawl_err cw_sitemap_decode(crawl_sitemap *sitemap, crawl_slice bytes, bool last);
/* Sets the encoding that the XML declaration names, if the Encoding Standard knows it. */
void cw_sitemap_decode_declared(crawl_sitemap *sitemap, crawl_slice declaration);

/* sitemap_filter.c: writes the bytes, made safe, to filter->clean. CRAWL_EPARSE: they are dangerous. last: no bytes
 * follow. */
crawl_err cw_sitemap_filter_run(cw_sitemap_filter *filter, crawl_slice bytes, bool last);
/* Writes text, escaping each "&" that does not begin a reference. CRAWL_ENOMEM. */
crawl_err cw_sitemap_filter_escape(cw_sitemap_filter *filter, crawl_slice text);

/* sitemap_tags.c: takes a whole tag, from "<" to ">", and writes its balanced form. CRAWL_EPARSE: elements are nested
 * too deep, or a name is too long. */
crawl_err cw_sitemap_tag(cw_sitemap_filter *filter, crawl_slice tag);

/* sitemap_extension.c. uri: the namespace of the element; data NULL: its prefix is not declared, or it has none. */
/* Returns true if this child of an entry is the link to a translation. */
bool cw_sitemap_extension_is_alternate(crawl_slice name, crawl_slice uri);
/* Returns the extension that this child of an entry begins. */
cw_sitemap_extension cw_sitemap_extension_of(crawl_slice name, crawl_slice uri);
/* Returns the part that an element inside an extension is, and the kind of its link. CW_SITEMAP_PARTS: none. */
cw_sitemap_part cw_sitemap_extension_part(cw_sitemap_extension extension, crawl_slice name,
                                          crawl_sitemap_link_kind *kind);
/* sitemap_llms.c: takes a line without white space around it, and the end of the file. */
crawl_err cw_sitemap_llms_line(crawl_sitemap *sitemap, crawl_slice line);
void cw_sitemap_llms_end(crawl_sitemap *sitemap);

/* sitemap_xml.c */
crawl_err cw_sitemap_xml_feed(crawl_sitemap *sitemap, crawl_slice clean, bool last);
void cw_sitemap_xml_free(crawl_sitemap *sitemap);

/* sitemap_date.c: reads a W3C date and time, or a date of mail (RFC 5322), as seconds since 1970.
 * CRAWL_SITEMAP_NO_DATE: it is neither. */
int64_t cw_sitemap_date(crawl_slice text);
