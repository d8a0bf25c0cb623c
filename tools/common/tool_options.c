#include "tools/common/tool_options.h"

#include "base/bytes.h"
#include "base/text/nearest.h"
#include "tools/common/messages/message.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_output.h"

#include <crawl/config.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

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

static void tool_options_list(const cw_tool_syntax *syntax, struct option known[OPTIONS_MAX + 2])
{
    size_t count = 0;
    for (const cw_tool_option *one = syntax->options; one->name && count < OPTIONS_MAX; one++, count++)
        known[count] = (struct option){one->name, one->text || one->takes_value ? required_argument : no_argument, NULL,
                                       (int)count + 1};
    known[count] = (struct option){"help", no_argument, NULL, OPTIONS_MAX + 1};
    known[count + 1] = (struct option){0};
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

/* Says which option may have been meant by a word that is no option, if one has a similar name. */
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

/* Is what getopt found an option of the table? If not, writes a message. */
static bool tool_options_is_known(const cw_tool_syntax *syntax, int found, const char *word)
{
    if (found != '?' && found != ':')
        return true;
    bool is_letter = optopt > OPTIONS_MAX + 1;
    const char letter[] = {'-', (char)optopt, '\0'};
    bool is_plain = found == '?' && optopt && !is_letter;
    const char *why = found == ':' ? "a value is missing" : is_plain ? "takes no value" : "unknown option";
    cw_tool_say(syntax->tool, "%s: %s", is_letter ? letter : word, why);
    say_nearest(syntax, crawl_slice_from(word));
    return false;
}

bool cw_tool_options(const cw_tool_syntax *syntax, int argc, char **argv, int *status)
{
    struct option known[OPTIONS_MAX + 2];
    bool help = false;
    bool good = true;
    tool_options_list(syntax, known);
    optind = 0; /* glibc: start anew */
    while (good) {
        int found = getopt_long(argc, argv, ":", known, NULL);
        if (found == -1)
            break;
        if (found == OPTIONS_MAX + 1)
            help = true;
        else
            good = tool_options_is_known(syntax, found, argv[optind - 1]) &&
                   tool_options_take(syntax, &syntax->options[found - 1]);
    }
    bool too_many = good && syntax->one_file && argc - optind > 1;
    if (!good || too_many)
        *status = cw_tool_refuse(syntax, too_many ? "one FILE at most" : NULL);
    else if (help)
        *status = cw_tool_output_text(syntax->help);
    return good && !too_many && !help;
}
