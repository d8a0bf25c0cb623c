/* The one place that all lines for people go through: to standard error, and to the file of --log. Each has a level,
 * by which standard error and the log each take it or not. A line never mixes with another one, nor with what is drawn
 * in place on a terminal.
 *
 * There is one state for the process, as there is one standard error. All functions may be called from any thread.
 * Before cw_message_open, messages up to INFO go to standard error. */
#pragma once

#include "base/writer.h"

#include <crawl/config.h>

typedef enum cw_message_level {
    CW_MESSAGE_ASKED, /* somebody has asked for it: shown even with --quiet; "info" in a log */
    CW_MESSAGE_ERROR,
    CW_MESSAGE_WARNING,
    CW_MESSAGE_INFO,
    CW_MESSAGE_DEBUG
} cw_message_level;

typedef struct cw_message {
    cw_message_level level;
    crawl_slice text;    /* lines, each ended by \n, of which the first may begin with "crawl: " */
    crawl_slice shown;   /* what standard error gets in place of text; empty: text */
    crawl_slice figures; /* an object of JSON, for messages in the form of JSON; empty: none */
    bool is_logged;      /* it goes to the log alone */
} cw_message;

/* Opens the log, and sets what standard error and the log take, by these settings. CRAWL_EINVAL, CRAWL_EIO: the log
 * cannot be opened. */
crawl_err cw_message_open(const crawl_config *config, crawl_error *error);
/* Sets other levels and forms; the log stays open. */
void cw_message_set(const crawl_config *config);
/* Opens the log anew under its name, because somebody may have moved the file away. CRAWL_EIO: that failed; error says
 * why, and the file that was open stays in use. */
crawl_err cw_message_reopen(crawl_error *error);
void cw_message_close(void);

bool cw_message_has_log(void);
/* Are messages on standard error objects of JSON? */
bool cw_message_is_json(void);
/* Does anybody take messages of this level? */
bool cw_message_wants(cw_message_level level);

void cw_message_put(const cw_message *message);
/* Puts a message of text alone; does nothing for NULL and "". */
void cw_message_lines(cw_message_level level, const char *text);
/* Puts one line, "crawl: MESSAGE", or "crawl TOOL: MESSAGE" if tool is not NULL, escaped as by cw_escape. */
void cw_message_say(cw_message_level level, const char *format, ...) CRAWL_PRINTF(2, 3);
void cw_message_vsay(cw_message_level level, const char *tool, const char *format, va_list arguments);

/* Sets what is drawn in place below the messages. before: the bytes that make room for it; after: the bytes that take
 * it away again, before the next message. All empty: nothing is drawn. They are copied. */
void cw_message_draw(crawl_slice before, crawl_slice text, crawl_slice after);

/* Does standard error show colours? On a terminal, unless NO_COLOR is set or CLICOLOR is 0; with CLICOLOR_FORCE
 * anywhere. */
bool cw_message_has_colours(void);

/* Writes a line in rows of fewer than `columns` columns; 0: as it is. A word that fits into no row, and a command at
 * the end of the line ("...: crawl --state s"), which somebody may copy, stay whole. */
void cw_message_wrap(crawl_slice line, unsigned columns, cw_writer *out);
