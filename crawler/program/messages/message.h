/* The one place that all lines for people go through: to standard error, and to the file of --log. Each has a level,
 * by which either of them takes it or not; a line never mixes with another one, nor with what is drawn in place on a
 * terminal.
 *
 * Its state is that of the process, as standard error is. From any thread; before it is opened, messages up to INFO go
 * to standard error. */
#ifndef CW_MESSAGE_H
#define CW_MESSAGE_H

#include <crawl/config.h>
#include <stdarg.h>

typedef enum cw_message_level {
    CW_MESSAGE_ASKED, /* somebody asked: shown whatever else is not; "info" in a log */
    CW_MESSAGE_ERROR,
    CW_MESSAGE_WARNING,
    CW_MESSAGE_INFO,
    CW_MESSAGE_DEBUG
} cw_message_level;

typedef struct cw_message {
    cw_message_level level;
    crawl_slice text;    /* lines, each ended by \n, of which the first may begin with "crawl: " */
    crawl_slice shown;   /* on standard error in its place; empty: text */
    crawl_slice figures; /* an object of JSON that a line of JSON has too; empty: none */
    bool is_logged;      /* by the log alone, and not shown */
} cw_message;

/* What standard error and the log take, by these settings. CRAWL_EINVAL, CRAWL_EIO: the log cannot be opened. */
crawl_err cw_message_open(const crawl_config *config, crawl_error *error);
/* Other levels and forms from now on; the log stays open. */
void cw_message_set(const crawl_config *config);
/* The log is opened anew under its name, where somebody may have moved the file away. CRAWL_EIO: it cannot be; error
 * says why, and the file of before goes on. */
crawl_err cw_message_reopen(crawl_error *error);
void cw_message_close(void);

bool cw_message_has_log(void);
/* Are messages on standard error objects of JSON? */
bool cw_message_is_json(void);
/* Does anybody take messages of this level? */
bool cw_message_wants(cw_message_level level);

void cw_message_put(const cw_message *message);
/* A message of text alone; NULL and "": none. */
void cw_message_lines(cw_message_level level, const char *text);
/* One line, "crawl: MESSAGE", or "crawl TOOL: MESSAGE" if tool is not NULL, escaped as by cw_escape. */
void cw_message_say(cw_message_level level, const char *format, ...) CRAWL_PRINTF(2, 3);
void cw_message_vsay(cw_message_level level, const char *tool, const char *format, va_list arguments);

/* What is drawn in place below the messages. before: the bytes that make room for it, where there is something drawn;
 * after: those that take it away again, for the next message. Empty, all of them: nothing is drawn. They are copied. */
void cw_message_draw(crawl_slice before, crawl_slice text, crawl_slice after);

/* Does standard error show colours? On a terminal, unless NO_COLOR is set or CLICOLOR is 0; with CLICOLOR_FORCE
 * anywhere. */
bool cw_message_has_colours(void);

#endif
