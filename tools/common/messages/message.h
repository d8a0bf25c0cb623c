/* The one place that all lines for people pass: to standard error, and to the file of --log. Each has a level, by which
 * standard error and the log each take it or not. A line never mixes with another one, nor with a drawing on a
 * terminal.
 *
 * There is one state per process, as there is one standard error. All functions may be called from any thread. Before
 * cw_message_open, messages up to INFO go to standard error. */
#pragma once

#include "base/writer.h"

#include <crawl/config.h>

typedef enum cw_message_level {
    CW_MESSAGE_ASKED, /* requested: shown even with --quiet; "info" in a log */
    CW_MESSAGE_ERROR,
    CW_MESSAGE_WARNING,
    CW_MESSAGE_INFO,
    CW_MESSAGE_DEBUG
} cw_message_level;

typedef struct cw_message {
    cw_message_level level;
    crawl_slice text;    /* lines, each ended by \n; the first may begin with "crawl: " */
    crawl_slice shown;   /* replaces text on standard error; empty: text */
    crawl_slice figures; /* JSON object for messages in JSON; empty: none */
    bool is_logged;      /* only for the log */
} cw_message;

/* Opens the log, and sets the levels and formats of standard error and the log. CRAWL_EINVAL, CRAWL_EIO: the log cannot
 * be opened. */
crawl_err cw_message_open(const crawl_config *config, crawl_error *error);
/* Changes levels and formats; the log stays open. */
void cw_message_set(const crawl_config *config);
/* Reopens the log under its name, because the file may have been moved. CRAWL_EIO: error says why, and the old file
 * stays in use. */
crawl_err cw_message_reopen(crawl_error *error);
void cw_message_close(void);

bool cw_message_has_log(void);
/* Returns true if messages on standard error are JSON objects. */
bool cw_message_is_json(void);
/* Returns true if messages of this level are written anywhere. */
bool cw_message_wants(cw_message_level level);

void cw_message_put(const cw_message *message);
/* Puts a message with only a text; does nothing for NULL and "". */
void cw_message_lines(cw_message_level level, const char *text);
/* Puts one line, "crawl: MESSAGE", or "crawl TOOL: MESSAGE" if tool is not NULL, escaped as by cw_escape. */
void cw_message_say(cw_message_level level, const char *format, ...) CRAWL_PRINTF(2, 3);
void cw_message_vsay(cw_message_level level, const char *tool, const char *format, va_list arguments);

/* Sets the drawing below the messages. before: bytes that make room for it; after: bytes that erase it before the next
 * message. All empty: no drawing. They are copied. */
void cw_message_draw(crawl_slice before, crawl_slice text, crawl_slice after);

/* Returns true if standard error shows colours: on a terminal, unless NO_COLOR is set or CLICOLOR is 0; anywhere with
 * CLICOLOR_FORCE. */
bool cw_message_has_colours(void);

/* Writes a line in rows of fewer than `columns` columns; 0: unwrapped. Keeps whole a word that is too long for a row,
 * and a command at the end of the line ("...: crawl --state s"), which somebody may copy. */
void cw_message_wrap(crawl_slice line, unsigned columns, cw_writer *out);
