/* WARC/1.1 (ISO 28500:2017) files of what a crawl asked and got, as output.warc makes them.
 *
 * Each exchange becomes a request and a response record, and a metadata record where the URL was found on a page; a
 * body that came before, or is in the index of another archive, is a revisit record in place of a response. Records are
 * gzip members of their own. A file is named PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz, with ".open" behind it until it is
 * finished; beside it lies PREFIX-....cdxj, its sorted index.
 *
 * The texts of pages are conversion records in files of their own, WET files, which are named
 * PREFIX-YYYYMMDDhhmmss-NNNNN.warc.wet.gz. Each refers to the record of the answer by its identifier, which is made of
 * a secret of the writer and the number of the exchange: so nothing has to be remembered from an answer to its text.
 *
 * A process that ends without crawl_warc_close leaves its last file with ".open" behind its name: crawl_warc_finish
 * ends it. */
#ifndef CRAWL_WARC_H
#define CRAWL_WARC_H

#include <crawl/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bodies remembered, to be known when they come again: some 170 bytes of memory each. Bodies beyond are written whole
 * each time. */
#define CRAWL_WARC_MAX_ORIGINALS 1000000u

/* Thread-safe but for opening and closing. */
typedef struct crawl_warc crawl_warc;

/* To be filled by crawl_warc_options_init first, which sets all that is not said. */
typedef struct crawl_warc_options {
    size_t size;             /* sizeof(crawl_warc_options): init sets it */
    const char *prefix;      /* path and beginning of the names; not empty; its folder is there */
    uint64_t max_file_bytes; /* the first record that reaches it is the file's last; 1 GiB unless set */
    const char *user_agent;  /* for the warcinfo record; NULL: none */
    bool robots;             /* robots.txt is obeyed: likewise; true unless set */
    const char *text;        /* the form of texts, a word for the warcinfo record; NULL: there are none */
    bool is_markdown;        /* texts are Markdown, not plain */
    crawl_engine *engine;    /* keeps in its notes what was written, for revisit records of the runs to come; borrowed
                                until the writer is closed; NULL: none does */
    const char *against;     /* a file of lines of CDXJ, or of gzip of such: bodies in that index are known, and
                                revisit records refer to its answers; NULL: none */
} crawl_warc_options;

/* Sets the size and the defaults. */
CRAWL_API void crawl_warc_options_init(crawl_warc_options *options, size_t size);

/* The first file is made at once, so that a folder that cannot be written to is told before anything is asked. Texts
 * are copied. CRAWL_EINVAL: options that init has not filled, or no prefix. CRAWL_EPARSE: a line of `against` is none.
 * CRAWL_EIO. error names the file and the reason. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_open(const crawl_warc_options *options, crawl_warc **out, crawl_error *error);

/* Writes an answer with its bytes on the wire (crawl_engine_hooks.capture, or crawl_fetch_request.capture); without a
 * status nothing is written. Of the exchange it reads url, parent, depth, fetched_at_ms, number (which must be another
 * one for each), confirms_ms and response. Header lines of the request that identify the asker (Authorization, Cookie
 * and the like) are left out. CRAWL_EIO: the file failed, now or before; crawl_warc_close says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_write(crawl_warc *warc, const crawl_exchange *exchange);

/* Writes the text of a page whose exchange was written; nothing where there is none. Of the record it reads url,
 * fetched_at_ms, exchange, text and text_cut. Answers as crawl_warc_write. */
CRAWL_API crawl_err crawl_warc_write_text(crawl_warc *warc, const crawl_record *record);

/* Likewise the page as its scripts made it (crawl_record.render), as a conversion record beside the answers. */
CRAWL_API crawl_err crawl_warc_write_rendered(crawl_warc *warc, const crawl_record *record);

/* Writes a metadata record of the caller's own about a page whose exchange was written: what was found out about it.
 * content_type: of the block, "application/json" and the like. Of the record it reads url, fetched_at_ms, exchange and
 * withheld: of a page that is withheld there is no answer to refer to. CRAWL_EINVAL: no type. Otherwise as
 * crawl_warc_write. */
CRAWL_API crawl_err crawl_warc_write_metadata(crawl_warc *warc, const crawl_record *record, const char *content_type,
                                              crawl_slice block);

/* Finishes the files of now, with their names and the index; what is written next begins new ones. CRAWL_EIO,
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_rotate(crawl_warc *warc);

/* Writes down for the runs to come what was written since the last time: now and then. As crawl_engine_note_set. */
CRAWL_API crawl_err crawl_warc_flush(crawl_warc *warc);

/* Finishes the last files and frees, with a flush before: the engine is there. CRAWL_EIO: something was not written;
 * error names the file and the reason. */
CRAWL_API crawl_err crawl_warc_close(crawl_warc *warc, crawl_error *error);

/* The work done on a file. */
typedef struct crawl_warc_finished {
    uint64_t records;
    uint64_t indexed;
    uint64_t cut;         /* bytes of a record that was not whole */
    char *path;           /* the caller frees it; of the finished file */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_warc_finished;

/* Finishes a file that a killed crawl has left open: what it ends with of a record that is not whole is cut off, it
 * gets its name, and the index that the crawl would have written. path: with its ".open". After an error the file is as
 * it was. CRAWL_EINVAL: its name does not end so, or the name that it would get is taken. CRAWL_ESTATE: a crawl is
 * writing it. CRAWL_ECORRUPT: a record is damaged and whole ones come behind it, or there is no whole one. CRAWL_EIO,
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_finish(const char *path, crawl_warc_finished *out, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
