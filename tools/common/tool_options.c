#include "tools/common/tool_options.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/text/nearest.h"
#include "tools/common/messages/message.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_output.h"

#include <crawl/config.h>
#include <getopt.h>
#include <stdio.h>

enum { OPTIONS_MAX = 32 };

bool cw_tool_option_number(const char *tool, const char *option, const char *key, const char *value, int64_t *out)
{
    crawl_config *config;
    crawl_error error = {0};
    crawl_err err = crawl_config_create(&config);
    if (!err)
        err = crawl_config_set(config, key, value, &error);
    if (!err)
        *out = crawl_config_number(config, key);
    else
        cw_tool_say(tool, "--%s %s: %s", option, value,
                    err == CRAWL_EPARSE ? strstr(error.message, "expected ") : crawl_strerror(err));
    crawl_config_free(config);
    return !err;
}

int cw_tool_refuse(const cw_tool_syntax *syntax, const char *wrong)
{
    if (wrong)
        cw_tool_say(syntax->tool, "%s", wrong);
    char help[64];
    snprintf(help, sizeof help, "Try 'crawl help %s'.\n", syntax->tool);
    cw_message_lines(CW_MESSAGE_ERROR, help);
    return CW_EXIT_USAGE;
}

/* Tables for getopt: letters are returned as they are, other options as their number, which no letter has. */
typedef struct getopt_table {
    struct option known[OPTIONS_MAX + 2];
    char letters[OPTIONS_MAX + 2];
} getopt_table;

static void tool_options_list(const cw_tool_syntax *syntax, getopt_table *table)
{
    size_t count = 0, letters = 0;
    table->letters[letters++] = ':';
    for (const cw_tool_option *one = syntax->options; one->name && count < OPTIONS_MAX; one++, count++) {
        table->known[count] = (struct option){
            one->name, one->text || one->takes_value ? required_argument : no_argument, NULL, (int)count + 1};
        if (one->letter)
            table->letters[letters++] = one->letter;
    }
    table->letters[letters] = '\0';
    table->known[count] = (struct option){"help", no_argument, NULL, OPTIONS_MAX + 1};
    table->known[count + 1] = (struct option){0};
}

/* Returns the option that getopt found, by its number or its letter. */
static const cw_tool_option *tool_options_found(const cw_tool_syntax *syntax, int found)
{
    const cw_tool_option *one = syntax->options;
    if (found <= OPTIONS_MAX)
        return &one[found - 1];
    while (one->letter != found)
        one++;
    return one;
}

static bool tool_options_take(const cw_tool_syntax *syntax, const cw_tool_option *option)
{
    if (option->text)
        *option->text = optarg;
    else if (option->flag)
        *option->flag = true;
    else
        return option->take(syntax->user, option->name, optarg);
    return true;
}

/* Suggests the option with the most similar name for an unknown one, if there is any. */
static void say_nearest(const cw_tool_syntax *syntax, crawl_slice word)
{
    if (!cw_starts_with(word, "--"))
        return;
    crawl_slice name = cw_drop(word, 2);
    cw_nearest nearest = {.text = crawl_slice_of(name.data, cw_find_char(name, '='))};
    for (const cw_tool_option *one = syntax->options; one->name; one++)
        cw_nearest_offer(&nearest, one->name);
    if (nearest.best && nearest.distance)
        cw_tool_say(syntax->tool, "did you mean --%s?", nearest.best);
}

static crawl_err tool_options_refuse(int found, const char *word, crawl_error *error)
{
    bool is_letter = optopt > OPTIONS_MAX + 1;
    const char letter[] = {'-', (char)optopt, '\0'};
    bool is_plain = optopt && !is_letter;
    const char *why = found == ':' ? CW_NEEDS_VALUE : is_plain ? CW_TAKES_NO_VALUE : "unknown option";
    return crawl_error_set(error, CRAWL_EINVAL, "%s: %s", is_letter ? letter : word, why);
}

crawl_err cw_tool_options_read(const cw_tool_syntax *syntax, int argc, char **argv, bool *help, crawl_error *error)
{
    getopt_table table;
    tool_options_list(syntax, &table);
    optind = 0; /* glibc: restart */
    for (int found; (found = getopt_long(argc, argv, table.letters, table.known, NULL)) != -1;) {
        if (found == '?' || found == ':')
            return tool_options_refuse(found, argv[optind - 1], error);
        if (found == OPTIONS_MAX + 1)
            *help = true;
        else if (!tool_options_take(syntax, tool_options_found(syntax, found)))
            return error->code ? error->code : CRAWL_EINVAL;
    }
    return CRAWL_OK;
}

bool cw_tool_options(const cw_tool_syntax *syntax, int argc, char **argv, int *status)
{
    bool help = false;
    crawl_error error = {0};
    bool good = !cw_tool_options_read(syntax, argc, argv, &help, &error);
    if (error.code) {
        cw_tool_say(syntax->tool, "%s", error.message);
        say_nearest(syntax, crawl_slice_from(argv[optind - 1]));
    }
    bool too_many = good && syntax->one_file && argc - optind > 1;
    if (!good || too_many)
        *status = cw_tool_refuse(syntax, too_many ? "one FILE at most" : NULL);
    else if (help)
        *status = cw_tool_output_text(syntax->help);
    return good && !too_many && !help;
}
