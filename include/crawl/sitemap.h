/* Sitemaps (sitemaps.org) as a stream: bytes in, an entry for each URL out.
 *
 * Accepts the forms of the protocol: XML (a list of URLs, an index of sitemaps), plain text, RSS and Atom, each as it
 * is or compressed by gzip, even twice. The bytes decide which it is. Tolerates sloppiness: namespaces, white space,
 * unescaped "&", relative and missing parts. Reads a broken file to its end and reports it
 * (crawl_sitemap_stats.broken): XML that is not well-formed, a second root, an entry of the other kind, a second
 * location in an entry. Every URL in such a file is reported: a surplus end tag is ignored, a missing one supplied, and
 * a second location is an entry of its own. Of the extensions, reads translations (xhtml:link) and Google's images,
 * videos and news, by their namespaces; an undeclared namespace is recognised by its elements. Takes no risks: nothing
 * is loaded from anywhere, DOCTYPE declarations are skipped and their entities stay as written, and everything that
 * could grow has a maximum. */
#ifndef CRAWL_SITEMAP_H
#define CRAWL_SITEMAP_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The protocol's maxima for a file: URLs or sitemaps in it, and bytes before compression, 50 MiB. The rest is
 * ignored. */
#define CRAWL_SITEMAP_MAX_ENTRIES 50000u
#define CRAWL_SITEMAP_MAX_BYTES 52428800u

/* Maximum bytes of an llms.txt, which is meant for readers with little room. The rest is ignored. */
#define CRAWL_LLMS_MAX_BYTES 1048576u

/* Maximum bytes of a location; the protocol requires less than 2048. Longer ones are skipped. */
#define CRAWL_SITEMAP_MAX_LOCATION 8192u

/* Google's maxima for images of one URL, and for news entries in a file. Those beyond are reported all the same, and
 * counted in crawl_sitemap_stats. */
#define CRAWL_SITEMAP_MAX_IMAGES 1000u
#define CRAWL_SITEMAP_MAX_NEWS 1000u

/* Maximum number of links reported per entry. The rest counts as skipped. */
#define CRAWL_SITEMAP_MAX_LINKS 4096u

/* Maximum bytes of output per byte of compressed input, applied above 1 MiB. Real files stay below 50; a file made to
 * exhaust a reader reaches 1000. */
#define CRAWL_SITEMAP_MAX_RATIO 200u

/* Kinds of files of URLs. */
typedef enum crawl_sitemap_type {
    CRAWL_SITEMAP_UNKNOWN, /* not known yet, or not a sitemap */
    CRAWL_SITEMAP_URLSET,
    CRAWL_SITEMAP_INDEX,
    CRAWL_SITEMAP_TEXT,
    CRAWL_SITEMAP_RSS,
    CRAWL_SITEMAP_ATOM,
    CRAWL_SITEMAP_LLMS
} crawl_sitemap_type;

/* Returns "urlset", "index", "text", "rss", "atom", "llms", "unknown"; never NULL. */
CRAWL_API const char *crawl_sitemap_type_name(crawl_sitemap_type type);

/* No date. */
#define CRAWL_SITEMAP_NO_DATE INT64_MIN

/* The target of an entry's link. */
typedef enum crawl_sitemap_link_kind {
    CRAWL_SITEMAP_ALTERNATE, /* the page in another language: <xhtml:link rel="alternate" hreflang href> */
    CRAWL_SITEMAP_IMAGE,     /* <image:loc> */
    CRAWL_SITEMAP_VIDEO,     /* the file: <video:content_loc> */
    CRAWL_SITEMAP_PLAYER,    /* a document with a player, for a frame: <video:player_loc> */
    CRAWL_SITEMAP_THUMBNAIL  /* <video:thumbnail_loc> */
} crawl_sitemap_link_kind;

/* Returns "alternate", "image", "video", "player", "thumbnail"; never NULL. */
CRAWL_API const char *crawl_sitemap_link_name(crawl_sitemap_link_kind kind);

/* A URL that belongs to an entry. */
typedef struct crawl_sitemap_link {
    crawl_sitemap_link_kind kind;
    crawl_slice url;      /* http or https, resolved */
    crawl_slice hreflang; /* of an alternate, as written; empty: none */
} crawl_sitemap_link;

/* The page as described by <news:news>, as written; missing parts are empty. */
typedef struct crawl_sitemap_news {
    crawl_slice name; /* of the publication */
    crawl_slice language;
    crawl_slice title;
    crawl_slice date_text;
    int64_t date; /* as crawl_sitemap_entry.lastmod */
} crawl_sitemap_news;

/* One URL or, in an index, one sitemap. Borrowed for the call. */
typedef struct crawl_sitemap_entry {
    const crawl_url *url; /* http or https, resolved */
    bool is_sitemap;
    crawl_slice lastmod_text; /* as written, without surrounding white space; empty: none */
    int64_t lastmod;          /* seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none, or not readable */
    const char *changefreq;   /* "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"; NULL: none */
    double priority;          /* 0 to 1; 0.5, the protocol's default, if none is given */
    const crawl_sitemap_link *links;
    size_t link_count;
    const crawl_sitemap_news *news; /* NULL: none */
} crawl_sitemap_entry;

/* Takes an entry. An error ends the reading and is returned by the call that fed the bytes. */
typedef crawl_err (*crawl_sitemap_on_entry)(void *user, const crawl_sitemap_entry *entry);

/* Options for reading a sitemap. */
typedef struct crawl_sitemap_options {
    size_t size;          /* sizeof(crawl_sitemap_options) */
    const crawl_url *url; /* of the sitemap itself, copied: base of relative locations. NULL: not known; those of a feed
                             are then relative to the feed's own link */
    uint64_t max_entries; /* 0: CRAWL_SITEMAP_MAX_ENTRIES */
    uint64_t max_bytes;   /* uncompressed; 0: CRAWL_SITEMAP_MAX_BYTES */
    crawl_sitemap_on_entry on_entry;
    void *user;
    bool is_llms; /* the file is an llms.txt (llmstxt.org), in Markdown: entries are the links in the lists of its
                     sections, with priority 0 in the section "Optional". HTML is not one. Broken: it does not have
                     exactly one title */
} crawl_sitemap_options;

/* One file while it is read. Single-threaded. */
typedef struct crawl_sitemap crawl_sitemap;

/* Creates a reader. CRAWL_EINVAL: no on_entry. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_sitemap_create(const crawl_sitemap_options *options, crawl_sitemap **out);
CRAWL_API void crawl_sitemap_free(crawl_sitemap *sitemap);

/* Reads the next bytes. CRAWL_FULL: a maximum is reached. CRAWL_EPARSE: not a sitemap, or too broken to read on. After
 * either, earlier entries remain valid, and further bytes return the same. CRAWL_ENOMEM, or the error of on_entry. */
CRAWL_API crawl_err crawl_sitemap_feed(crawl_sitemap *sitemap, crawl_slice bytes);

/* Ends the input and reports the last entry if its end was missing, except in lines whose compressed data ends too
 * soon. Not for input that the caller knows to be cut, whose last line may be part of one. Errors as for feed; also
 * CRAWL_EPARSE if the input was not a sitemap. */
CRAWL_API crawl_err crawl_sitemap_end(crawl_sitemap *sitemap);

/* The figures of everything read so far. */
typedef struct crawl_sitemap_stats {
    crawl_sitemap_type type;
    uint64_t entries; /* reported */
    uint64_t skipped; /* entries whose location is missing, too long or not an http(s) URL; links likewise */
    uint64_t bytes;   /* read, uncompressed */
    bool compressed;
    bool full;            /* a maximum was reached */
    bool none;            /* the reading has ended, and the input was not a sitemap */
    bool broken;          /* not well-formed, cut off, or against the protocol; or ended by an error in it */
    uint64_t bad_dates;   /* dates that cannot be read and are ignored; of news too */
    uint64_t links;       /* reported */
    uint64_t news;        /* entries with news */
    uint64_t crowded;     /* entries with more than CRAWL_SITEMAP_MAX_IMAGES images */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_sitemap_stats;

/* Returns the figures so far. */
CRAWL_API void crawl_sitemap_stats_get(const crawl_sitemap *sitemap, crawl_sitemap_stats *out);

#ifdef __cplusplus
}
#endif
#endif
