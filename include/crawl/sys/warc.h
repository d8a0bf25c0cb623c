/* WARC/1.1 (ISO 28500:2017) files of the requests and answers of a crawl, as made by output.warc.
 *
 * Each exchange becomes a request and a response record, and a metadata record if the URL was found on a page. A body
 * that came before, or is in the index of another archive, becomes a revisit record in place of a response. Each record
 * is a gzip member of its own. A file is named PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz, with ".open" appended until it is
 * finished; beside it is PREFIX-....cdxj, its sorted index.
 *
 * The texts of pages are conversion records in files of their own, WET files, named
 * PREFIX-YYYYMMDDhhmmss-NNNNN.warc.wet.gz. Each refers to the record of the answer by its identifier, which is made
 * from a secret of the writer and the number of the exchange, so that nothing must be remembered between an answer and
 * its text.
 *
 * A process that ends without crawl_warc_close leaves ".open" in the name of its last file: crawl_warc_finish finishes
 * it. */
#ifndef CRAWL_WARC_H
#define CRAWL_WARC_H

#include <crawl/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum number of bodies remembered to recognise repetitions: about 170 bytes of memory each. Bodies beyond are
 * written in full each time. A revisit record that a 304 may confirm counts as a body. */
#define CRAWL_WARC_MAX_ORIGINALS 1000000u

/* A writer. Thread-safe, except for opening and closing. */
typedef struct crawl_warc crawl_warc;

/* Options of a writer; initialise with crawl_warc_options_init. */
typedef struct crawl_warc_options {
    size_t size;             /* sizeof(crawl_warc_options): init sets it */
    const char *prefix;      /* path and beginning of the names; not empty; its folder must exist */
    uint64_t max_file_bytes; /* the first record that reaches it is the file's last; default 1 GiB */
    const char *user_agent;  /* for the warcinfo record; NULL: none */
    bool robots;             /* for the warcinfo record: robots.txt is obeyed; default true */
    const char *text;        /* the form of texts, a word for the warcinfo record; NULL: no texts */
    bool is_markdown;        /* texts are Markdown, not plain */
    crawl_engine *engine; /* stores in its notes what was written, for revisit records of later runs; borrowed until the
                             writer is closed; NULL: none */
    const char *against; /* a file of CDXJ lines, may be gzip: bodies in that index are known, and revisit records refer
                            to its answers; NULL: none */
} crawl_warc_options;

/* Sets the size and the defaults. */
CRAWL_API void crawl_warc_options_init(crawl_warc_options *options, size_t size);

/* Opens a writer. Makes the first file at once, so that an unwritable folder is reported before any request. Texts are
 * copied. CRAWL_EINVAL: options not set by init, or no prefix. CRAWL_EPARSE: a malformed line of `against`. CRAWL_EIO.
 * error names the file and the reason. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_open(const crawl_warc_options *options, crawl_warc **out, crawl_error *error);

/* Writes an answer with its bytes on the wire (crawl_engine_hooks.capture, or crawl_fetch_request.capture); writes
 * nothing without a status. Reads url, parent, depth, fetched_at_ms, number (which must be unique), confirms_ms and
 * response of the exchange. Leaves out header lines of the request that identify the client (Authorization, Cookie and
 * similar). CRAWL_EIO: the file failed, now or before; crawl_warc_close says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_write(crawl_warc *warc, const crawl_exchange *exchange);

/* Writes the text of a page whose exchange was written; nothing if it has none. Reads url, fetched_at_ms, exchange,
 * text and text_cut of the record. Errors as for crawl_warc_write. */
CRAWL_API crawl_err crawl_warc_write_text(crawl_warc *warc, const crawl_record *record);

/* Likewise writes the page as its scripts made it (crawl_record.render), as a conversion record beside the answers. */
CRAWL_API crawl_err crawl_warc_write_rendered(crawl_warc *warc, const crawl_record *record);

/* Writes a metadata record of the caller's own about a page whose exchange was written. content_type: of the block,
 * such as "application/json". Reads url, fetched_at_ms, exchange and withheld of the record: a withheld page has no
 * answer to refer to. CRAWL_EINVAL: no type. Otherwise as crawl_warc_write. */
CRAWL_API crawl_err crawl_warc_write_metadata(crawl_warc *warc, const crawl_record *record, const char *content_type,
                                              crawl_slice block);

/* Finishes the present files, with their names and the index; later records begin new ones. CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_rotate(crawl_warc *warc);

/* Stores what was written since the last call, for later runs. Must be called now and then. Errors as for
 * crawl_engine_note_set. */
CRAWL_API crawl_err crawl_warc_flush(crawl_warc *warc);

/* Flushes, finishes the last files and frees the writer; the engine must still exist. CRAWL_EIO: something was not
 * written; error names the file and the reason. */
CRAWL_API crawl_err crawl_warc_close(crawl_warc *warc, crawl_error *error);

/* The result of finishing a file. */
typedef struct crawl_warc_finished {
    uint64_t records;
    uint64_t indexed;
    uint64_t cut;         /* bytes of an incomplete record */
    char *path;           /* of the finished file; the caller frees it */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_warc_finished;

/* Finishes a file left open by a killed crawl: cuts off an incomplete record at its end, renames it, and writes its
 * index. path: with its ".open". After an error the file is unchanged. CRAWL_EINVAL: its name does not end in ".open",
 * or the final name is taken. CRAWL_ESTATE: a crawl is writing it. CRAWL_ECORRUPT: a damaged record is followed by
 * whole ones. CRAWL_ABSENT: there is no whole one. CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_warc_finish(const char *path, crawl_warc_finished *out, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
