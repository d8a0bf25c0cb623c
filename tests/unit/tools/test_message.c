/* Messages in a log: each line is complete and valid, for any bytes and parallel writers; the log has the messages of
 * its level, and continues in a new file when the old one was moved away. */
#include "config/config_values.h"
#include "tools/common/messages/message.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/crawl-message-XXXXXX";

static void open_log(const char *level, const char *format)
{
    crawl_config config;
    crawl_error error = {0};
    close(mkstemp(path));
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.log", path, NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.log_level", level, NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.log_format", format, NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.verbosity", "quiet", NULL), CRAWL_OK);
    cr_assert_eq(cw_message_open(&config, &error), CRAWL_OK, "%s", error.message);
    cw_config_clear(&config);
}

/* Calls each for each line. Returns their number. */
static unsigned read_log(const char *name, void (*each)(const char *line))
{
    FILE *file = fopen(name, "r");
    char *line = NULL;
    size_t room = 0;
    unsigned count = 0;
    cr_assert_not_null(file, "%s", name);
    for (ssize_t size; (size = getline(&line, &room, file)) > 0; count++) {
        cr_expect_eq(line[size - 1], '\n');
        line[size - 1] = '\0';
        each(line);
    }
    free(line);
    fclose(file);
    return count;
}

static void close_log(void)
{
    cw_message_close();
    unlink(path);
}

static void expect_object(const char *line)
{
    json_error_t why;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    cr_assert(json_is_object(object), "%s: %s", why.text, line);
    cr_expect_not_null(json_string_value(json_object_get(object, "time")));
    cr_expect_not_null(json_string_value(json_object_get(object, "level")));
    cr_expect_not_null(json_string_value(json_object_get(object, "message")));
    json_decref(object);
}

Test(message, lines_of_json_are_valid_whatever_bytes_they_hold)
{
    open_log("debug", "json");
    for (int first = 0; first < 256; first++) {
        char text[8] = {(char)first, 'x', '"', (char)(255 - first), '\\', '\n'};
        cw_message_put(&(cw_message){.level = CW_MESSAGE_DEBUG, .text = crawl_slice_of(text, 6)});
        cw_message_say(CW_MESSAGE_DEBUG, "quoted: %s", text);
    }
    cw_message_put(&(cw_message){.level = CW_MESSAGE_INFO,
                                 .text = crawl_slice_from("crawl: two\nlines\n"),
                                 .figures = crawl_slice_from("{\"pages\":3}")});
    cr_expect_eq(read_log(path, expect_object), 2 * 256 + 1);
    close_log();
}

static void expect_stamp(const char *line)
{
    int year, shown;
    char level[8];
    cr_assert_eq(sscanf(line, "%d-%*d-%*dT%*d:%*d:%*dZ%n", &year, &shown), 1, "%s", line);
    cr_assert_eq(sscanf(line + 25, "%7s", level), 1, "%s", line);
    cr_expect(strcmp(level, "error") == 0 || strcmp(level, "warning") == 0, "%s", line);
    cr_expect_null(strstr(line, "crawl: "), "the name of the program says nothing in its own log: %s", line);
}

Test(message, a_log_takes_what_its_level_says)
{
    open_log("warning", "text");
    cr_expect(cw_message_wants(CW_MESSAGE_WARNING));
    cr_expect_not(cw_message_wants(CW_MESSAGE_INFO));
    cw_message_say(CW_MESSAGE_ERROR, "one");
    cw_message_lines(CW_MESSAGE_WARNING, "crawl: two\n  and three\n");
    cw_message_say(CW_MESSAGE_INFO, "four");
    cw_message_say(CW_MESSAGE_DEBUG, "five");
    cw_message_lines(CW_MESSAGE_ERROR, NULL);
    cr_expect_eq(read_log(path, expect_stamp), 3);
    close_log();
}

enum { THREADS = 4, MESSAGES = 500 };

static void *write_many(void *)
{
    for (int i = 0; i < MESSAGES; i++)
        cw_message_say(CW_MESSAGE_WARNING, "message %d of a thread", i);
    return NULL;
}

/* The file is moved away while others write. */
Test(message, no_line_is_lost_or_cut_when_the_file_is_moved_away)
{
    pthread_t threads[THREADS];
    char moved[sizeof path + 2];
    open_log("info", "json");
    snprintf(moved, sizeof moved, "%s.1", path);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, write_many, NULL), 0);
    cr_assert_eq(rename(path, moved), 0);
    cr_assert_eq(cw_message_reopen(NULL), CRAWL_OK);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cw_message_say(CW_MESSAGE_WARNING, "behind");
    unsigned after = read_log(path, expect_object);
    cr_expect_geq(after, 1);
    cr_expect_eq(read_log(moved, expect_object) + after, THREADS * MESSAGES + 1);
    unlink(moved);
    close_log();
}

static void expect_rows(const char *line, unsigned columns, const char *rows)
{
    crawl_buf out = {0};
    cw_writer writer = {.out = &out};
    cw_message_wrap(crawl_slice_from(line), columns, &writer);
    cr_expect_str_eq(out.data, rows);
    crawl_buf_free(&out);
}

Test(message, rows_of_a_terminal_break_between_words)
{
    expect_rows("crawl: a message that is longer than the row of a terminal", 0,
                "crawl: a message that is longer than the row of a terminal");
    expect_rows("crawl: a message that is longer than the row of a terminal", 44,
                "crawl: a message that is longer than the\n  row of a terminal");
    expect_rows("  bound by  nothing being due yet 53%, requests at once 30%", 44,
                "  bound by  nothing being due yet 53%,\n            requests at once 30%");
    expect_rows("crawl: http://a.example/of/more/than/forty-four/characters/in/all: no", 44,
                "crawl: http://a.example/of/more/than/forty-four/characters/in/all:\n  no");
    expect_rows("crawl: größer größer größer größer 43434343", 44, "crawl: größer größer größer größer 43434343");
    expect_rows("crawl: stopped; resume with: crawl --state 'a b'", 44,
                "crawl: stopped; resume with:\n  crawl --state 'a b'");
    expect_rows("a narrow terminal", 9, "a narrow\nterminal");
}
