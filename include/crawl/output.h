/* Writes a crawl: records, links and requests, values of pages, bodies; with <crawl/sys/warc.h> and
 * <crawl/sys/mirror.h> also archives and offline copies. The program `crawl` writes by these calls.
 *
 * There are two ways. crawl_output_create writes all that a configuration names, beside the hooks of a spider. And each
 * writer can be used alone, by a crawler with another engine too: what it is given is a crawl_record, a crawl_edge or a
 * crawl_exchange, whose fields one may set oneself (size, and {0} for the rest: what is not said is not there).
 *
 * For all writers:
 * - open gives, close takes; NULL can be closed. A writer is used by any number of threads at once, but opened and
 *   closed by one.
 * - CRAWL_EIO: a file cannot be written, now or before. Close tells the reason with the name of the file, so
 *   that a call for each record need not carry words. A writer that has failed writes nothing more.
 * - After any end of the process, a kill too, files of lines have whole lines alone, but for the last one, which is
 *   mended when the file is appended to. A kill loses all that was not flushed; the rest is with the system,
 *   and survives the process, not the machine. */
#ifndef CRAWL_OUTPUT_H
#define CRAWL_OUTPUT_H

#include <crawl/engine.h>
#include <crawl/sys/mirror.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- records and links as text ---- */

/* Append the object of a record and of a link, as docs/records.md has their fields, without a line end. body: the path
 * of the file that its body was put in; NULL: none. members: what the caller adds to the object, as "name":value with
 * commas between; empty: nothing. It is not looked at: crawl_json_text makes values of text. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_record_json(const crawl_record *record, const char *body, crawl_slice members,
                                      crawl_buf *out);
CRAWL_API crawl_err crawl_edge_json(const crawl_edge *edge, crawl_buf *out);

/* Appends text as a string of JSON, in quotes: bytes that are no UTF-8 become U+FFFD. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_json_text(crawl_slice text, crawl_buf *out);

/* The same as rows of CSV (RFC 4180), without a line end: in the order of the columns, whose names end with a NULL.
 * A missing value is an empty cell; words of a list have spaces between. No row goes over several lines: ends of lines
 * and tabs become spaces, other control characters U+FFFD. Text that spreadsheets take for a formula has an apostrophe
 * before it. Values by rules, data and texts of pages have a column if output.columns names them. CRAWL_ENOMEM. */
CRAWL_API const char *const *crawl_record_columns(void);
CRAWL_API const char *const *crawl_edge_columns(void);
CRAWL_API crawl_err crawl_record_csv(const crawl_record *record, const char *body, crawl_buf *out);
CRAWL_API crawl_err crawl_edge_csv(const crawl_edge *edge, crawl_buf *out);

/* Does the value of output.output name no file of lines: a Redis server (crawl_redis_is_url), a command (exec:COMMAND),
 * or a database (NAME.sqlite)? NULL: false. */
CRAWL_API bool crawl_output_is_sink(const char *place);

/* Does the name of the file end in ".csv"? */
CRAWL_API bool crawl_output_is_csv(const char *path);

/* ---- files of lines ---- */

/* A file of lines that many threads write: JSON Lines, or rows of CSV. A line is written straight into the buffer of
 * the file, and leaves the process with all others that stand there, by one call. */
typedef struct crawl_lines crawl_lines;

/* How a file is opened, as flags. */
enum {
    CRAWL_LINES_APPEND = 1,  /* lines go behind those of an existing file, whose end is mended; otherwise it is replaced
                              */
    CRAWL_LINES_AT_ONCE = 2, /* each line leaves when it is written; otherwise when there are many, or by a flush */
};

/* "-": standard output. columns: those of a file of CSV, which begins with their names; borrowed; NULL: it is JSON
 * Lines or, where path ends in ".csv", rows whose head the caller writes. After a failure the file ends with a whole
 * line. CRAWL_EINVAL: it is to be appended to, and has other columns. CRAWL_EIO: error says why. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_lines_open(const char *path, unsigned flags, const char *const *columns, crawl_lines **out,
                                     crawl_error *error);

/* Holds the file for one line, which the caller appends to what is returned, without its end; nothing that stands there
 * already may be changed. Each begin has its end, by the same thread. */
CRAWL_API crawl_buf *crawl_lines_begin(crawl_lines *lines);
/* Ends the line, and lets others go on. err: what the caller's appends came to; with an error there is no such line,
 * and it is answered. CRAWL_EIO. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_lines_end(crawl_lines *lines, crawl_err err);

/* All lines leave. CRAWL_EIO. */
CRAWL_API crawl_err crawl_lines_flush(crawl_lines *lines);

/* Opens the file of that name, which may be another one by now, and goes on there: each line is in one of the two. Only
 * a regular file is opened anew. CRAWL_EIO, CRAWL_EINVAL, CRAWL_ENOMEM: error says why, and the file of before goes
 * on. */
CRAWL_API crawl_err crawl_lines_reopen(crawl_lines *lines, crawl_error *error);

/* True when the reader of a pipe went away: the end that a reader like `head` chose, and no failure. */
CRAWL_API bool crawl_lines_abandoned(crawl_lines *lines);

/* Flushes, closes and frees. CRAWL_EIO: something was not written; error names the file and the reason. */
CRAWL_API crawl_err crawl_lines_close(crawl_lines *lines, crawl_error *error);

/* ---- values of pages ---- */

/* The values that rules found in a crawl: rows of a table or lines of JSON, and figures. */
typedef struct crawl_fields crawl_fields;

/* config: with the rules; when this returns it is not needed any more. lines: where rows go, opened without columns;
 * borrowed; NULL: nowhere. Where config->fields ends in ".csv" the rows are those of a table; its first line, the names
 * of its columns, is written here unless something is in that file already. NULL in *out: there are no rules.
 * CRAWL_EINVAL: there are lines, and no rules, or the file has other columns. CRAWL_EIO. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fields_create(const crawl_config *config, crawl_lines *lines, crawl_fields **out,
                                        crawl_error *error);
CRAWL_API void crawl_fields_free(crawl_fields *fields);

/* Counts a record, and writes its rows. fields may be NULL. CRAWL_EIO. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fields_write(crawl_fields *fields, const crawl_record *record);

/* Appends lines for a person: how many pages had values, and which lack one that is required. NULL: none.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_fields_summary(crawl_fields *fields, crawl_buf *out);

/* ---- bodies ---- */

/* Bodies in a folder, each under the name of what it holds: one whose SHA-1 is abcdef... lies in FOLDER/ab/cdef.... It
 * is written under another name, ".new-RANDOM-NUMBER" in FOLDER, and renamed when it is whole, so that a file with a
 * body's name never holds less, unless the power fails before the system has written it: then the next crawl that meets
 * the body sees a file of another size, and writes it again. */
typedef struct crawl_bodies crawl_bodies;

/* The folder is made if it is not there, its parents are not. suffix, of 5 bytes at most, ends the names: "" of bodies,
 * ".png" of pictures of pages. CRAWL_EIO: error names it and the reason. */
CRAWL_API crawl_err crawl_bodies_open(const char *folder, const char *suffix, crawl_bodies **out, crawl_error *error);

#define CRAWL_BODY_NAME_SIZE 48 /* "ab/cdef...", the suffix, and a NUL */

/* Keeps a body, unless one of that digest and size is there; name gets its path below the folder. CRAWL_EIO: it was not
 * written, and nothing of it is left. */
CRAWL_API crawl_err crawl_bodies_write(crawl_bodies *bodies, const crawl_fingerprint *digest, crawl_slice body,
                                       char name[CRAWL_BODY_NAME_SIZE]);

/* Frees. CRAWL_EIO: something was not written; error names the file and the reason of the first. */
CRAWL_API crawl_err crawl_bodies_close(crawl_bodies *bodies, crawl_error *error);

/* ---- all that a configuration names ---- */

/* The files that a configuration names under [output]: output, links, requests, fields, bodies, screenshots,
 * mirror and warc, written as an engine tells what it finds, beside a spider's own hooks. In this order:
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
 * With state.directory a record is with the system before its page is done, and so are its links, its body and what the
 * archive has of it: where the process is killed, the next one asks for the pages that are not done, and lines of them
 * may come twice, but none is missing. */
typedef struct crawl_output crawl_output;

/* The files that a crawl is written as. */
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

/* The key in [output]: "output", "links", "requests", "fields", "bodies", "mirror", "warc",
 * "screenshots". */
CRAWL_API const char *crawl_output_kind_name(crawl_output_kind kind);
/* The outputs that a configuration names; NULL: none. */
CRAWL_API const char *crawl_output_path(const crawl_config *config, crawl_output_kind kind);

/* To be filled by crawl_output_options_init first. The calls come from any worker's thread, several at a time. */
typedef struct crawl_output_options {
    size_t size; /* sizeof(crawl_output_options): init sets it */
    /* Appends what the caller adds to the record's object, as crawl_record_json has it. An error ends the crawl. */
    crawl_err (*members)(void *user, const crawl_record *record, crawl_buf *out);
    /* Gets each record that is kept as a line of JSON, without its end, where it has been written to all files: for
     * records that go elsewhere, beside the file of output.output, or in place of one: that may be a URL then, which is
     * the caller's to read. CRAWL_AGAIN: as on_record answers it, which may then not. */
    crawl_err (*on_line)(void *user, const crawl_record *record, crawl_slice line);
    void *user;
    /* Is told by crawl_output_close, in its thread, how far the end of an offline copy is. */
    crawl_mirror_progress on_mirror;
} crawl_output_options;

/* Sets the size, and all else to none. */
CRAWL_API void crawl_output_options_init(crawl_output_options *options, size_t size);

/* config is borrowed, and must neither change nor go before the output. options: NULL: none. Nothing is made yet.
 * CRAWL_EINVAL: what cannot be written: output.report, output.sitemap and output.wacz, which are the program's alone;
 * output.output at a server or a command, without on_line; two outputs in one file; a log of requests as CSV; members
 * in a file of CSV; a folder of output.mirror that is no copy. error names the key. CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_output_create(const crawl_config *config, const crawl_output_options *options,
                                        crawl_output **out, crawl_error *error);
CRAWL_API void crawl_output_free(crawl_output *output);

/* Fills *hooks for an engine: with those of the spider (NULL: none), each of which is called first, and with what the
 * output has to be told. An error of the spider's, but CRAWL_AGAIN of on_record, ends the crawl before anything is
 * written. Must be called once, and *hooks be used with one engine, or by another caller of them. hooks->size is set by
 * the caller. CRAWL_EINVAL: it is wrong, or own->size is. */
CRAWL_API crawl_err crawl_output_hooks(crawl_output *output, const crawl_engine_hooks *own, crawl_engine_hooks *hooks);

/* Makes an engine with these hooks, of the configuration without what the output writes. The caller frees it, after
 * crawl_output_close. Answers are those of crawl_engine_create. */
CRAWL_API crawl_err crawl_output_engine_create(crawl_output *output, const crawl_engine_hooks *own, crawl_engine **out,
                                               crawl_error *error);

/* Opens the files, before the engine runs; a crawl that runs without fails with CRAWL_ESTATE. Files of a crawl that
 * goes on are added to; of another one output.existing decides, and CRAWL_EINVAL says that a file is there already.
 * Without crawl_output_engine_create it is a new crawl, and there can be no log of requests: CRAWL_ESTATE. CRAWL_EINVAL
 * too: there are fields without rules, or columns of a file that are others. CRAWL_EIO, CRAWL_ENOMEM. error begins with
 * the key. After an error the files are to be closed all the same. */
CRAWL_API crawl_err crawl_output_open(crawl_output *output, crawl_error *error);

/* All lines leave; the hook on_tick does so too. As the hooks answer. */
CRAWL_API crawl_err crawl_output_flush(crawl_output *output);

/* Records, links, the log of requests and fields go on in the files of their names, where others have moved these away.
 * failed (may be NULL) is told what cannot be opened, and stays as it is. From any thread. */
CRAWL_API void crawl_output_reopen(crawl_output *output,
                                   void (*failed)(void *user, crawl_output_kind kind, const char *words), void *user);

/* The fate of one output. */
typedef struct crawl_output_ending {
    crawl_err err;
    const char *words;                  /* "" without an error */
    bool is_standard;                   /* standard output */
    bool is_abandoned;                  /* its reader went away: that has stopped the crawl, and is no error */
    const crawl_mirror_figures *mirror; /* of CRAWL_OUTPUT_MIRROR without an error; otherwise NULL */
} crawl_output_ending;

/* Closes the files, after the engine has run and before it is freed: archives get their names and their index, and
 * where finishes is true the links of an offline copy are rewritten (for a crawl that has not failed). each (may be
 * NULL) is told of every output that was open. The first failure; error begins with its key. A second close does
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
