/* WARC/1.1 (ISO 28500:2017) files of what a crawl asked and got: the sink behind --warc.
 *
 * Each exchange becomes a request and a response record, and a metadata record where the URL was found on a page; a
 * body that came before is a revisit record in place of a response. Records are gzip members of their own. A file is
 * named PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz, with ".open" behind it until it is finished; beside it lies
 * PREFIX-....cdxj, its sorted index.
 *
 * The texts of pages are conversion records in files of their own, WET files, which are named
 * PREFIX-YYYYMMDDhhmmss-NNNNN.warc.wet.gz. Each refers to the record of the answer by its identifier, which is made of
 * a secret of the sink and the number of the exchange: so nothing has to be remembered from an answer to its text. */
#ifndef CW_WARC_H
#define CW_WARC_H

#include <crawl/engine.h>

/* Bodies remembered, to be known when they come again: some 170 bytes of memory each. Those beyond are written whole
 * each time. */
#define CW_WARC_MAX_ORIGINALS 1000000u

/* Thread-safe. */
typedef struct cw_warc cw_warc;

typedef struct cw_warc_options {
    const char *prefix;      /* path and beginning of the names; not empty */
    uint64_t max_file_bytes; /* the first record that reaches it is the file's last */
    const char *user_agent;  /* for the warcinfo record; NULL: none */
    bool robots;             /* robots.txt is obeyed: likewise */
    const char *text;        /* the form of texts, a word for the warcinfo record; NULL: there are none */
    bool is_markdown;        /* texts are Markdown, not plain */
    crawl_engine *engine;    /* keeps in its notes what was written, for revisit records of the runs to come; NULL: none
                                does */
} cw_warc_options;

/* The engine's notes of bodies that were written (note_log.h). An entry is the SHA-1 of the body in 20 bytes, then the
 * identifier of the response record, its date and its URL, with a space between each. */
#define CW_WARC_NOTE "warc "

/* The first file is made at once, so that a folder that cannot be written to is told before anything is asked.
 * CRAWL_EIO: error names the file and the reason. */
crawl_err cw_warc_open(const cw_warc_options *options, cw_warc **out, crawl_error *error);

/* An answer with its bytes on the wire (crawl_fetch_request.capture); without a status nothing is written. CRAWL_EIO:
 * the file failed, now or before; cw_warc_close says why. CRAWL_ENOMEM. */
crawl_err cw_warc_write(cw_warc *warc, const crawl_exchange *exchange);

/* The text of a page whose exchange was written; nothing where there is none. Answers as cw_warc_write. */
crawl_err cw_warc_write_text(cw_warc *warc, const crawl_record *record);

/* Writes down for the runs to come what was written since the last time: now and then. As crawl_engine_note_set. */
crawl_err cw_warc_flush(cw_warc *warc);

/* Finishes the last file and frees, with a flush before: the engine is there. CRAWL_EIO: something was not written;
 * error names the file and the reason. */
crawl_err cw_warc_close(cw_warc *warc, crawl_error *error);

#endif
