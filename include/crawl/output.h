/* Writes a crawl: records, links and requests, values of pages, bodies; with <crawl/sys/warc.h> and
 * <crawl/sys/mirror.h> also archives and offline copies. The program `crawl` uses these calls.
 *
 * There are two ways. crawl_output_create writes everything that a configuration names, besides the hooks of a spider.
 * Or each writer is used alone, also by a crawler with another engine. Its input is a crawl_record, a crawl_edge or a
 * crawl_exchange, which the caller may fill itself (size, and {0} for the rest, which counts as absent).
 *
 * For all writers:
 * - open creates and close releases; NULL can be closed. Any number of threads may use a writer at once, but only one
 *   opens and closes it.
 * - CRAWL_EIO: a file cannot be written, now or before. close reports the reason with the name of the file, so that the
 *   calls for each record carry no message. A writer that has failed writes nothing more.
 * - However the process ends, even if killed, files of lines contain only whole lines except for the last one, which is
 *   mended when the file is appended to. A kill loses unflushed lines; flushed ones are with the operating system and
 *   survive the process, but not a crash of the machine. */
#ifndef CRAWL_OUTPUT_H
#define CRAWL_OUTPUT_H

#include <crawl/engine.h>
#include <crawl/sys/mirror.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- records and links as text ---- */

/* Append a record or a link as a JSON object, with the fields of docs/records.md, without a newline. body: the path of
 * the file that holds its body; NULL: none. members: the caller's additions to the object, as "name":value separated by
 * commas; empty: nothing. They are not checked: crawl_json_text makes values from text. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_record_json(const crawl_record *record, const char *body, crawl_slice members,
                                      crawl_buf *out);
CRAWL_API crawl_err crawl_edge_json(const crawl_edge *edge, crawl_buf *out);

/* Appends text as a JSON string, in quotes: bytes that are not UTF-8 become U+FFFD. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_json_text(crawl_slice text, crawl_buf *out);

/* Appends these headers of the answer as a member for crawl_record_json, after a comma if *members is not empty:
 * "headers":{"server":["nginx"]}. A header that the answer lacks has an empty list; after a failure or a 304, which
 * may lack it, it is left out, and if none is left, appends nothing. names: separated by spaces or commas; case is
 * ignored. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_record_headers(const crawl_record *record, const char *names, crawl_buf *members);

/* Append a record or a link as a CSV row (RFC 4180), without a newline, in the order of the columns, whose names end
 * with a NULL. A missing value is an empty cell; words of a list are separated by spaces. A row never spans several
 * lines: newlines and tabs become spaces, other control characters U+FFFD. Text that spreadsheets would take for a
 * formula gets an apostrophe in front. Values by rules, data and texts of pages have a column if output.columns names
 * them. CRAWL_ENOMEM. */
CRAWL_API const char *const *crawl_record_columns(void);
CRAWL_API const char *const *crawl_edge_columns(void);
CRAWL_API crawl_err crawl_record_csv(const crawl_record *record, const char *body, crawl_buf *out);
CRAWL_API crawl_err crawl_edge_csv(const crawl_edge *edge, crawl_buf *out);

/* Returns true if the value of output.output names something other than a file of lines: a Redis server
 * (crawl_redis_is_url), a command (exec:COMMAND), or a database (NAME.sqlite, .sqlite3 or .db, in whatever
 * case). NULL: false. */
CRAWL_API bool crawl_output_is_sink(const char *place);

/* Returns true if the file name ends in ".csv", in whatever case. */
CRAWL_API bool crawl_output_is_csv(const char *path);

/* ---- files of lines ---- */

/* A file of lines written by many threads: JSON Lines, or rows of CSV. A line is written directly into the buffer of
 * the file and leaves the process together with the other buffered lines, in one call. */
typedef struct crawl_lines crawl_lines;

/* How a file is opened, as flags. */
enum {
    CRAWL_LINES_APPEND = 1,  /* appends to an existing file, whose end is mended first; otherwise replaces it */
    CRAWL_LINES_AT_ONCE = 2, /* writes out each line at once; otherwise when there are many, or by a flush */
};

/* Opens a file. "-": standard output. columns: those of a CSV file, which begins with their names; borrowed; NULL: JSON
 * Lines or, if path ends in ".csv", rows whose header the caller writes. After a failure the file ends with a whole
 * line. CRAWL_EINVAL: appending to a file with other columns. CRAWL_ESTATE: somebody else writes it, and not both
 * append. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_lines_open(const char *path, unsigned flags, const char *const *columns, crawl_lines **out,
                                     crawl_error *error);

/* Locks the file for one line. The caller appends the line, without a newline, to the returned buffer and must not
 * change what the buffer already holds. Each begin needs an end by the same thread. */
CRAWL_API crawl_buf *crawl_lines_begin(crawl_lines *lines);
/* Ends the line and unlocks the file. err: the result of the caller's appends; an error discards the line and is
 * returned. CRAWL_EIO. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_lines_end(crawl_lines *lines, crawl_err err);

/* Writes out all lines. CRAWL_EIO. */
CRAWL_API crawl_err crawl_lines_flush(crawl_lines *lines);

/* Opens the file of that name again, which may be a different file by now, and continues there: each line is in one of
 * the two. Reopens only regular files. CRAWL_EIO, CRAWL_EINVAL, CRAWL_ENOMEM: error says why, and the old file stays in
 * use. */
CRAWL_API crawl_err crawl_lines_reopen(crawl_lines *lines, crawl_error *error);

/* Returns true if the reader of a pipe has gone away, as `head` does: not a failure. */
CRAWL_API bool crawl_lines_abandoned(crawl_lines *lines);

/* Flushes, closes and frees. CRAWL_EIO: something was not written; error names the file and the reason. */
CRAWL_API crawl_err crawl_lines_close(crawl_lines *lines, crawl_error *error);

/* ---- values of pages ---- */

/* The values that rules found in a crawl: rows of a table or lines of JSON, and figures. */
typedef struct crawl_fields crawl_fields;

/* Creates the writer of values. config: with the rules; needed only during the call. lines: where rows go, opened
 * without columns; borrowed; NULL: nowhere. If config->fields ends in ".csv" the rows form a table; its first line, the
 * names of its columns, is written here unless that file already has content. NULL in *out: there are no rules.
 * CRAWL_EINVAL: lines without rules, or the file has other columns. CRAWL_EIO. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fields_create(const crawl_config *config, crawl_lines *lines, crawl_fields **out,
                                        crawl_error *error);
CRAWL_API void crawl_fields_free(crawl_fields *fields);

/* Counts a record and writes its rows. fields may be NULL. CRAWL_EIO. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fields_write(crawl_fields *fields, const crawl_record *record);

/* Appends lines for a person: how many pages had values, and which lack a required one. NULL: none. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fields_summary(crawl_fields *fields, crawl_buf *out);

/* ---- bodies ---- */

/* Bodies in a folder, each named by its content: one with SHA-1 abcdef... is FOLDER/ab/cdef.... It is written as
 * ".new-RANDOM-NUMBER" in FOLDER and renamed when complete, so a file with a body's name is never incomplete, unless
 * the power fails before the system has written it. The next crawl that meets the body then sees a file of another size
 * and writes it again. */
typedef struct crawl_bodies crawl_bodies;

/* Opens a folder of bodies. Creates the folder if needed, but not its parents. suffix, at most 5 bytes, ends the names:
 * "" for bodies, ".png" for pictures of pages. CRAWL_EINVAL: a longer one. CRAWL_EIO: error names it and the reason. */
CRAWL_API crawl_err crawl_bodies_open(const char *folder, const char *suffix, crawl_bodies **out, crawl_error *error);

#define CRAWL_BODY_NAME_SIZE 48 /* "ab/cdef...", the suffix, and a NUL */

/* Stores a body, unless one of that digest and size exists; name gets its path below the folder. CRAWL_EIO: it was not
 * written, and no part of it remains. */
CRAWL_API crawl_err crawl_bodies_write(crawl_bodies *bodies, const crawl_fingerprint *digest, crawl_slice body,
                                       char name[CRAWL_BODY_NAME_SIZE]);

/* Frees the writer. CRAWL_EIO: something was not written; error names the first such file and the reason. */
CRAWL_API crawl_err crawl_bodies_close(crawl_bodies *bodies, crawl_error *error);

/* ---- all that a configuration names ---- */

/* The files that a configuration names under [output]: output, links, requests, fields, bodies, screenshots, mirror and
 * warc, written as an engine reports what it finds, besides a spider's own hooks. Call in this order:
 *
 *     crawl_output_create(&config, NULL, &output, &error);
 *     crawl_output_engine_create(output, &hooks, &engine, &error);
 *     ... seeds ...
 *     crawl_output_open(output, &error);
 *     err = crawl_engine_run(engine, &error);
 *     crawl_output_close(output, !err, NULL, NULL, &error);
 *     crawl_engine_free(engine);
 *     crawl_output_free(output);
 *
 * With state.directory a record is handed to the operating system before its page is done, and so are its links, its
 * body and its part of the archive. After a kill the next process repeats the pages that are not done: their lines may
 * appear twice, but none is missing. */
typedef struct crawl_output crawl_output;

/* The kinds of output files. */
typedef enum crawl_output_kind {
    CRAWL_OUTPUT_RECORDS,
    CRAWL_OUTPUT_LINKS,
    CRAWL_OUTPUT_REQUESTS,
    CRAWL_OUTPUT_FIELDS,
    CRAWL_OUTPUT_BODIES,
    CRAWL_OUTPUT_MIRROR,
    CRAWL_OUTPUT_WARC,
    CRAWL_OUTPUT_SCREENSHOTS,
    CRAWL_OUTPUT_COUNT
} crawl_output_kind;

/* Returns the key in [output]: "output", "links", "requests", "fields", "bodies", "mirror", "warc", "screenshots". */
CRAWL_API const char *crawl_output_kind_name(crawl_output_kind kind);
/* Returns the path of an output in a configuration; NULL: none. */
CRAWL_API const char *crawl_output_path(const crawl_config *config, crawl_output_kind kind);

/* Options of an output; initialise with crawl_output_options_init. The callbacks run on any worker's thread, several at
 * a time. */
typedef struct crawl_output_options {
    size_t size; /* sizeof(crawl_output_options): init sets it */
    /* Appends the caller's members to the record's object, as in crawl_record_json. An error ends the crawl. */
    crawl_err (*members)(void *user, const crawl_record *record, crawl_buf *out);
    /* Gets each stored record as a line of JSON, without a newline, after it has been written to all files. For records
     * that also go elsewhere, or go elsewhere in place of the file of output.output, which may then be a URL for the
     * caller to interpret. CRAWL_AGAIN: as from on_record, which may then not return it. */
    crawl_err (*on_line)(void *user, const crawl_record *record, crawl_slice line);
    void *user;
    /* Reports the progress of finishing an offline copy, in the thread of crawl_output_close. */
    crawl_mirror_progress on_mirror;
} crawl_output_options;

/* Sets the size, and everything else to none. */
CRAWL_API void crawl_output_options_init(crawl_output_options *options, size_t size);

/* Creates an output; makes no files yet. config is borrowed and must neither change nor be freed before the output.
 * options: NULL: none. CRAWL_EINVAL: something cannot be written: output.report, output.sitemap and output.wacz, which
 * belong to the program; output.output at a server or a command, without on_line; two outputs in one file; a log of
 * requests as CSV; members in a CSV file; an output.mirror folder that is not a copy. error names the key. CRAWL_EIO,
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_output_create(const crawl_config *config, const crawl_output_options *options,
                                        crawl_output **out, crawl_error *error);
CRAWL_API void crawl_output_free(crawl_output *output);

/* Fills *hooks for an engine. own: the spider's hooks (NULL: none), each called before the output's. An error of own,
 * except CRAWL_AGAIN of on_record, ends the crawl before anything is written. Must be called once, and *hooks must be
 * used with one engine, or by another caller of the hooks. The caller sets hooks->size. CRAWL_EINVAL: hooks->size or
 * own->size is wrong. */
CRAWL_API crawl_err crawl_output_hooks(crawl_output *output, const crawl_engine_hooks *own, crawl_engine_hooks *hooks);

/* Creates an engine with these hooks and the configuration without what the output writes. The caller frees it, after
 * crawl_output_close and before crawl_output_free. Errors are those of crawl_engine_create. */
CRAWL_API crawl_err crawl_output_engine_create(crawl_output *output, const crawl_engine_hooks *own, crawl_engine **out,
                                               crawl_error *error);

/* Opens the files. Must be called before the engine runs; a crawl without it fails with CRAWL_ESTATE. Appends to the
 * files of a resumed crawl; for a new one output.existing decides, and CRAWL_EINVAL reports that a file exists already.
 * Without crawl_output_engine_create the crawl counts as new and cannot have a log of requests: CRAWL_ESTATE.
 * CRAWL_EINVAL also: fields without rules, or a file with other columns. CRAWL_EIO, CRAWL_ENOMEM. error begins with the
 * key. The files must be closed even after an error. */
CRAWL_API crawl_err crawl_output_open(crawl_output *output, crawl_error *error);

/* Writes out all lines, as the hook on_tick does too. Errors are those of the hooks. */
CRAWL_API crawl_err crawl_output_flush(crawl_output *output);

/* Reopens the files of records, links, the log of requests and fields by name, after they were moved away. failed (may
 * be NULL) is called for each that cannot be opened, which stays as it is. From any thread. */
CRAWL_API void crawl_output_reopen(crawl_output *output,
                                   void (*failed)(void *user, crawl_output_kind kind, const char *words), void *user);

/* The fate of one output. */
typedef struct crawl_output_ending {
    crawl_err err;
    const char *words;                  /* "" without an error */
    bool is_standard;                   /* standard output */
    bool is_abandoned;                  /* its reader went away: this has stopped the crawl, and is not an error */
    const crawl_mirror_figures *mirror; /* for CRAWL_OUTPUT_MIRROR without an error; otherwise NULL */
} crawl_output_ending;

/* Closes the files, after the engine has run and before it is freed. Gives archives their names and their index and, if
 * finishes is true, rewrites the links of an offline copy (for a crawl that has not failed). each (may be NULL) is
 * called for every output that was open. Returns the first failure; error begins with its key. A second close does
 * nothing. */
CRAWL_API crawl_err crawl_output_close(crawl_output *output, bool finishes,
                                       void (*each)(void *user, crawl_output_kind kind,
                                                    const crawl_output_ending *ending),
                                       void *user, crawl_error *error);

/* As crawl_fields_summary, until the output is freed. */
CRAWL_API crawl_err crawl_output_summary(crawl_output *output, crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif
