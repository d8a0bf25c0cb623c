/* Sitemaps (sitemaps.org) as a stream: bytes in, an entry for each URL out.
 *
 * Taken are the protocol's forms, XML (a list of URLs, an index of further sitemaps), plain text, RSS and Atom, each as
 * it is or compressed by gzip, even twice; which it is, the bytes say. Mere sloppiness is forgiven: namespaces, white
 * space, unescaped "&", relative and missing parts. A broken file is read to its end and reported
 * (crawl_sitemap_stats.broken): XML that is not well-formed, a further root, an entry of the other kind, a second
 * location in an entry. Each URL that such a file names is told: an end tag too many is ignored, an end that is missing
 * is supplied, and a second location is an entry of its own. Of the extensions, translations (xhtml:link) and Google's
 * images, videos and news are read, known by their namespaces; one that is not declared is known by its elements.
 * Dangers are not taken: nothing is loaded from anywhere, what a DOCTYPE declares is skipped and its entities stay
 * as they are written, and everything that could grow has a maximum. */
#ifndef CRAWL_SITEMAP_H
#define CRAWL_SITEMAP_H

#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maxima of the protocol for a file: URLs or sitemaps in it, and bytes before compression, 50 MiB. Beyond, no more is
 * taken. */
#define CRAWL_SITEMAP_MAX_ENTRIES 50000u
#define CRAWL_SITEMAP_MAX_BYTES 52428800u

/* Bytes of an llms.txt, which is for readers with little room. Beyond, no more is taken. */
#define CRAWL_LLMS_MAX_BYTES 1048576u

/* Bytes of one location; the protocol has it below 2048. Longer ones are skipped. */
#define CRAWL_SITEMAP_MAX_LOCATION 8192u

/* Maxima of Google for images of one URL, and for entries of news in a file. Beyond, all is told, and counted in
 * crawl_sitemap_stats. */
#define CRAWL_SITEMAP_MAX_IMAGES 1000u
#define CRAWL_SITEMAP_MAX_NEWS 1000u

/* Links of one entry that are told. Beyond, they are counted as skipped. */
#define CRAWL_SITEMAP_MAX_LINKS 4096u

/* Bytes that a compressed one may become, for each that came in, once it is beyond 1 MiB. Real ones are below 50; what
 * is made to exhaust a reader reaches 1000. */
#define CRAWL_SITEMAP_MAX_RATIO 200u

/* Sorts of files of URLs. */
typedef enum crawl_sitemap_type {
    CRAWL_SITEMAP_UNKNOWN, /* not known yet, or no sitemap */
    CRAWL_SITEMAP_URLSET,
    CRAWL_SITEMAP_INDEX,
    CRAWL_SITEMAP_TEXT,
    CRAWL_SITEMAP_RSS,
    CRAWL_SITEMAP_ATOM,
    CRAWL_SITEMAP_LLMS
} crawl_sitemap_type;

/* "urlset", "index", "text", "rss", "atom", "llms", "unknown"; never NULL. */
CRAWL_API const char *crawl_sitemap_type_name(crawl_sitemap_type type);

/* There is no date. */
#define CRAWL_SITEMAP_NO_DATE INT64_MIN

/* Targets of the links of an entry. */
typedef enum crawl_sitemap_link_kind {
    CRAWL_SITEMAP_ALTERNATE, /* the page in another language: <xhtml:link rel="alternate" hreflang href> */
    CRAWL_SITEMAP_IMAGE,     /* <image:loc> */
    CRAWL_SITEMAP_VIDEO,     /* the file: <video:content_loc> */
    CRAWL_SITEMAP_PLAYER,    /* a document that plays it, for a frame: <video:player_loc> */
    CRAWL_SITEMAP_THUMBNAIL  /* <video:thumbnail_loc> */
} crawl_sitemap_link_kind;

/* "alternate", "image", "video", "player", "thumbnail"; never NULL. */
CRAWL_API const char *crawl_sitemap_link_name(crawl_sitemap_link_kind kind);

/* A URL that belongs to the one of an entry. */
typedef struct crawl_sitemap_link {
    crawl_sitemap_link_kind kind;
    crawl_slice url;      /* http or https, resolved */
    crawl_slice hreflang; /* of an alternate, as it stands; empty: none */
} crawl_sitemap_link;

/* The page by <news:news>, as it stands; parts that are missing are empty. */
typedef struct crawl_sitemap_news {
    crawl_slice name; /* of the publication */
    crawl_slice language;
    crawl_slice title;
    crawl_slice date_text;
    int64_t date; /* as lastmod */
} crawl_sitemap_news;

/* One URL or, of an index, one sitemap. Borrowed for the call. */
typedef struct crawl_sitemap_entry {
    const crawl_url *url; /* http or https, resolved */
    bool is_sitemap;
    crawl_slice lastmod_text; /* as it stands, without white space around it; empty: none */
    int64_t lastmod;          /* seconds since 1970, UTC; CRAWL_SITEMAP_NO_DATE: none, or none that can be read */
    const char *changefreq;   /* "always", "hourly", "daily", "weekly", "monthly", "yearly", "never"; NULL: none of them
                               */
    double priority;          /* 0 to 1; 0.5, the protocol's default, where none is given */
    const crawl_sitemap_link *links;
    size_t link_count;
    const crawl_sitemap_news *news; /* NULL: none */
} crawl_sitemap_entry;

/* An error ends the reading and is returned by the call that fed the bytes. */
typedef crawl_err (*crawl_sitemap_on_entry)(void *user, const crawl_sitemap_entry *entry);

/* Options of the reader of a sitemap. */
typedef struct crawl_sitemap_options {
    size_t size;          /* sizeof(crawl_sitemap_options) */
    const crawl_url *url; /* of the sitemap itself, copied: relative locations are resolved against it. NULL: not known;
                             then those of a feed are resolved against the feed's own link */
    uint64_t max_entries; /* 0: CRAWL_SITEMAP_MAX_ENTRIES */
    uint64_t max_bytes;   /* uncompressed; 0: CRAWL_SITEMAP_MAX_BYTES */
    crawl_sitemap_on_entry on_entry;
    void *user;
    bool is_llms; /* the file is an llms.txt (llmstxt.org), in Markdown: entries are the links in the lists of its
                     sections, with priority 0 in the section "Optional". HTML is none. Broken: it has not one title */
} crawl_sitemap_options;

/* One file on its way through. Single-thread. */
typedef struct crawl_sitemap crawl_sitemap;

/* CRAWL_EINVAL: no on_entry. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_sitemap_create(const crawl_sitemap_options *options, crawl_sitemap **out);
CRAWL_API void crawl_sitemap_free(crawl_sitemap *sitemap);

/* Takes the next bytes. CRAWL_FULL: a maximum is reached. CRAWL_EPARSE: it is no sitemap, or broken beyond reading.
 * After either, what came before stands, and further bytes are answered alike. CRAWL_ENOMEM, or what on_entry
 * returned. */
CRAWL_API crawl_err crawl_sitemap_feed(crawl_sitemap *sitemap, crawl_slice bytes);

/* There are no more bytes: the last entry, if its end was missing. Errors as of feed; CRAWL_EPARSE too where nothing
 * came that is a sitemap. */
CRAWL_API crawl_err crawl_sitemap_end(crawl_sitemap *sitemap);

/* Figures of all that was read so far. */
typedef struct crawl_sitemap_stats {
    crawl_sitemap_type type;
    uint64_t entries; /* told */
    uint64_t skipped; /* without a location, or with one that is too long or no http(s) URL; links likewise */
    uint64_t bytes;   /* read, uncompressed */
    bool compressed;
    bool full;            /* a maximum was reached */
    bool none;            /* the reading has ended, and nothing came that is a sitemap */
    bool broken;          /* not well-formed, cut off, or not as the protocol has it; or ended by an error in it */
    uint64_t bad_dates;   /* that cannot be read and are ignored; of news too */
    uint64_t links;       /* told */
    uint64_t news;        /* entries that have it */
    uint64_t crowded;     /* entries with more than CRAWL_SITEMAP_MAX_IMAGES images */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_sitemap_stats;

/* All that was read until now. */
CRAWL_API void crawl_sitemap_stats_get(const crawl_sitemap *sitemap, crawl_sitemap_stats *out);

#ifdef __cplusplus
}
#endif
#endif
