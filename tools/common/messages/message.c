/* See message.h. A message goes into one buffer, with the bytes that erase the drawing before it and those that draw it
 * again after it, and is written by one call: a terminal shows no intermediate state. */
#include "tools/common/messages/message.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/files/replace.h"
#include "base/json/json_write.h"
#include "base/text/escape.h"
#include "base/utf8.h"
#include "config/config_values.h"
#include "tools/common/messages/log_file.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Global, because there is one standard error, and messages come from everywhere. */
static struct {
    pthread_mutex_t lock; /* protects the rest */
    cw_message_level shown_up_to;
    cw_message_level logged_up_to;
    bool log_is_json, shown_is_json;
    cw_message_log *log;   /* NULL: none */
    int log_failure;       /* errno of the last line; 0: written */
    crawl_buf text;        /* bytes to write next */
    crawl_buf drawn;       /* drawing below the messages */
    crawl_buf takes_drawn; /* bytes that erase it */
} room = {.lock = PTHREAD_MUTEX_INITIALIZER, .shown_up_to = CW_MESSAGE_INFO};

/* ---- settings ---- */

/* The format applies to the log or, without a log, to standard error. */
void cw_message_set(const crawl_config *config)
{
    static const cw_message_level by_verbosity[] = {CW_MESSAGE_ERROR, CW_MESSAGE_INFO, CW_MESSAGE_DEBUG};
    bool is_json = config->program.log_format == CRAWL_LOG_JSON;
    pthread_mutex_lock(&room.lock);
    room.shown_up_to = by_verbosity[config->program.verbosity + 1];
    room.logged_up_to = CW_MESSAGE_ERROR + (cw_message_level)config->program.log_level;
    room.log_is_json = is_json && room.log;
    room.shown_is_json = is_json && !room.log;
    pthread_mutex_unlock(&room.lock);
}

crawl_err cw_message_open(const crawl_config *config, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (config->program.log && strcmp(config->program.log, "-") == 0)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "-: a log must be a file; without one, messages go to standard "
                               "error");
    pthread_mutex_lock(&room.lock);
    if (config->program.log)
        err = cw_message_log_open(config->program.log, &room.log, error);
    pthread_mutex_unlock(&room.lock);
    cw_message_set(config);
    return err;
}

crawl_err cw_message_reopen(crawl_error *error)
{
    pthread_mutex_lock(&room.lock);
    crawl_err err = room.log ? cw_message_log_reopen(room.log, error) : CRAWL_OK;
    pthread_mutex_unlock(&room.lock);
    return err;
}

void cw_message_close(void)
{
    pthread_mutex_lock(&room.lock);
    cw_message_log_close(room.log);
    room.log = NULL;
    room.log_is_json = false;
    crawl_buf_free(&room.text);
    crawl_buf_free(&room.drawn);
    crawl_buf_free(&room.takes_drawn);
    pthread_mutex_unlock(&room.lock);
}

bool cw_message_has_log(void)
{
    pthread_mutex_lock(&room.lock);
    bool has_log = room.log != NULL;
    pthread_mutex_unlock(&room.lock);
    return has_log;
}

bool cw_message_is_json(void)
{
    pthread_mutex_lock(&room.lock);
    bool is_json = room.shown_is_json;
    pthread_mutex_unlock(&room.lock);
    return is_json;
}

bool cw_message_wants(cw_message_level level)
{
    pthread_mutex_lock(&room.lock);
    bool wants = level <= room.shown_up_to || (room.log && level <= room.logged_up_to);
    pthread_mutex_unlock(&room.lock);
    return wants;
}

static bool message_is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool is_set_to(const char *name, const char *text)
{
    const char *value = getenv(name);
    return value && strcmp(value, text) == 0;
}

bool cw_message_has_colours(void)
{
    if (message_is_set("NO_COLOR"))
        return false;
    if (message_is_set("CLICOLOR_FORCE") && !is_set_to("CLICOLOR_FORCE", "0"))
        return true;
    return isatty(STDERR_FILENO) && message_is_set("TERM") && !is_set_to("TERM", "dumb") && !is_set_to("CLICOLOR", "0");
}

/* ---- forms ---- */

static const char *message_word_of(cw_message_level level)
{
    static const char *const words[] = {[CW_MESSAGE_ASKED] = "info",
                                        [CW_MESSAGE_ERROR] = "error",
                                        [CW_MESSAGE_WARNING] = "warning",
                                        [CW_MESSAGE_INFO] = "info",
                                        [CW_MESSAGE_DEBUG] = "debug"};
    return words[level];
}

/* Returns the text without the program's name and the last line end. */
static crawl_slice bare(crawl_slice text)
{
    crawl_slice name = crawl_slice_from("crawl: ");
    if (text.size >= name.size && memcmp(text.data, name.data, name.size) == 0)
        text = crawl_slice_of(text.data + name.size, text.size - name.size);
    while (text.size && text.data[text.size - 1] == '\n')
        text.size--;
    return text;
}

static void message_put_json(cw_writer *out, const cw_message *message)
{
    cw_json_words(out, "{\"time\":", cw_date_of(cw_wall_ms()).text);
    cw_json_words(out, ",\"level\":", message_word_of(message->level));
    cw_json_text(out, ",\"message\":", bare(message->text));
    if (message->figures.size) {
        cw_put_text(out, ",\"figures\":");
        cw_put(out, message->figures);
    }
    cw_put_text(out, "}\n");
}

static void put_stamped(cw_writer *out, const cw_message *message)
{
    cw_date now = cw_date_of(cw_wall_ms());
    crawl_slice rest = bare(message->text);
    while (rest.size) {
        crawl_slice line = cw_cut(&rest, '\n');
        cw_put_format(out, "%s %-7s ", now.text, message_word_of(message->level));
        cw_put(out, line);
        cw_put_char(out, '\n');
    }
}

/* ---- writing ---- */

/* Writes to standard error. Ignores failures, because there is nobody to tell. */
static void message_leave(void)
{
    (void)cw_write_all(STDERR_FILENO, crawl_buf_slice(&room.text));
}

static cw_writer message_begin(void)
{
    crawl_buf_clear(&room.text);
    return (cw_writer){.out = &room.text};
}

/* Returns the terminal's columns; 0: standard error is not a terminal. */
static unsigned message_columns(void)
{
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/* Writes a message for people, with a colour if something is wrong. */
static void message_put_shown(cw_writer *out, const cw_message *message)
{
    crawl_slice text = message->shown.size ? message->shown : message->text;
    unsigned columns = message_columns();
    const char *colour = message->level == CW_MESSAGE_ERROR     ? "\033[31m"
                         : message->level == CW_MESSAGE_WARNING ? "\033[33m"
                                                                : NULL;
    bool is_coloured = colour && cw_message_has_colours();
    while (text.size) {
        cw_put_text(out, is_coloured ? colour : "");
        cw_message_wrap(cw_cut_line(&text), columns, out);
        cw_put_text(out, is_coloured ? "\033[0m\n" : "\n");
    }
}

/* Shows a message above the drawing. */
static void message_show(const cw_message *message)
{
    cw_writer out = message_begin();
    cw_put(&out, crawl_buf_slice(&room.takes_drawn));
    if (room.shown_is_json)
        message_put_json(&out, message);
    else
        message_put_shown(&out, message);
    cw_put(&out, crawl_buf_slice(&room.drawn));
    if (!out.err)
        message_leave();
}

/* Reports that the log has not taken a line, unless it failed before too. why: errno; 0: written. */
static void tell_failure(int why)
{
    char words[512];
    if (why && !room.log_failure) {
        snprintf(words, sizeof words, "crawl: log: %.400s: %s\n", cw_message_log_path(room.log), strerror(why));
        message_show(&(cw_message){.level = CW_MESSAGE_ERROR, .text = crawl_slice_from(words)});
    }
    room.log_failure = why;
}

static void write_log(const cw_message *message)
{
    cw_writer out = message_begin();
    if (room.log_is_json)
        message_put_json(&out, message);
    else
        put_stamped(&out, message);
    tell_failure(out.err ? ENOMEM : cw_message_log_write(room.log, crawl_buf_slice(&room.text)));
}

void cw_message_put(const cw_message *message)
{
    if (!message->text.size)
        return;
    pthread_mutex_lock(&room.lock);
    if (message->level <= room.shown_up_to && !message->is_logged)
        message_show(message);
    if (room.log && message->level <= room.logged_up_to)
        write_log(message);
    pthread_mutex_unlock(&room.lock);
}

void cw_message_lines(cw_message_level level, const char *text)
{
    cw_message_put(&(cw_message){.level = level, .text = crawl_slice_from(text)});
}

/* When out of memory, the message is replaced by one that says so. */
void cw_message_vsay(cw_message_level level, const char *tool, const char *format, va_list arguments)
{
    crawl_buf text = {0}, line = {0};
    bool whole = !cw_buf_vprintf(&text, format, arguments) &&
                 !crawl_buf_printf(&line, tool ? "crawl %s: " : "crawl: ", tool) &&
                 !cw_escape(crawl_buf_slice(&text), &line) && !crawl_buf_append_char(&line, '\n');
    cw_message_lines(level, whole ? line.data : "crawl: out of memory\n");
    crawl_buf_free(&text);
    crawl_buf_free(&line);
}

void cw_message_say(cw_message_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cw_message_vsay(level, NULL, format, arguments);
    va_end(arguments);
}

static void message_copy(crawl_buf *to, crawl_slice from)
{
    crawl_buf_clear(to);
    if (crawl_buf_append(to, from.data, from.size))
        crawl_buf_clear(to);
}

void cw_message_draw(crawl_slice before, crawl_slice text, crawl_slice after)
{
    pthread_mutex_lock(&room.lock);
    cw_writer out = message_begin();
    cw_put(&out, before);
    cw_put(&out, text);
    if (!out.err)
        message_leave();
    message_copy(&room.drawn, text);
    message_copy(&room.takes_drawn, after);
    pthread_mutex_unlock(&room.lock);
}

static unsigned wrap_columns_of(crawl_slice text)
{
    unsigned count = 0;
    for (size_t at = 0; at < text.size; count++)
        at += cw_utf8_next(text.data + at, text.data + text.size).size;
    return count;
}

/* Cuts leading blanks, or leading other characters, off. */
static crawl_slice wrap_cut(crawl_slice *rest, bool is_blank)
{
    size_t size = 0;
    while (size < rest->size && (rest->data[size] == ' ') == is_blank)
        size++;
    crawl_slice part = crawl_slice_of(rest->data, size);
    *rest = crawl_slice_of(rest->data + size, rest->size - size);
    return part;
}

void cw_message_wrap(crawl_slice line, unsigned columns, cw_writer *out)
{
    enum { LABEL = 12, PLAIN = 2, NARROW = 40 }; /* columns of the label that begins lines of a summary */
    unsigned indent = columns < NARROW ? 0 : cw_starts_with(line, "  ") ? LABEL : PLAIN;
    unsigned used = 0;
    bool is_command = false;
    while (line.size) {
        crawl_slice gap = wrap_cut(&line, true);
        crawl_slice word = is_command && cw_starts_with(line, "crawl ") ? line : wrap_cut(&line, false);
        if (word.data == line.data)
            line.size = 0;
        unsigned size = wrap_columns_of(word);
        if (used > indent && used + gap.size + size >= columns && indent + size < columns) {
            cw_put_format(out, "\n%*s", (int)indent, "");
            used = indent;
        } else {
            cw_put(out, gap);
            used += (unsigned)gap.size;
        }
        cw_put(out, word);
        used += size;
        is_command = cw_ends_with(word, ":");
    }
}
