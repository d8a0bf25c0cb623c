/* Parses command-line options by the schema: --name value, --name=value, --flag, --no-flag, -x value, -xN, -x,
 * --set section.name=value, --. Reads argv once from the left and reorders it: options first, then words. */
#include "config/config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/text/nearest.h"
#include "config/value.h"

#include <stdio.h>
#include <stdlib.h>

static const cw_config_flag all_flags[] = {
    {"quiet", 'q', "output", "verbosity", "quiet", "print only errors"},
    {"verbose", 'v', "output", "verbosity", "verbose", "print more"},
    {"append", 0, "output", "existing", "append", "append to existing files of records, links and requests"},
    {"overwrite", 0, "output", "existing", "overwrite", "overwrite existing files of records, links and requests"},
};

const cw_config_flag *cw_config_schema_flags(size_t *count)
{
    *count = sizeof all_flags / sizeof *all_flags;
    return all_flags;
}

typedef struct command_line {
    crawl_config *config;
    int argc;
    char **argv;
    int at;          /* index of the word being read */
    bool words_only; /* after "--" */
    bool has_seeds;  /* --seeds was read */
    crawl_config_other other;
    void *user;
    crawl_error *error;
} command_line;

/* An option as written on the command line. */
typedef struct written_option {
    const char *word;  /* the whole word */
    crawl_slice name;  /* without dashes and value */
    const char *given; /* the value after "=", or a number glued to a letter; NULL: none */
    const char *next;  /* the next word; NULL: none */
    cw_excerpt shown;  /* dashes and name, for messages */
} written_option;

static written_option config_read_option(const command_line *line)
{
    written_option option = {.word = line->argv[line->at]};
    const char *name = option.word + (option.word[1] == '-' ? 2 : 1);
    const char *equals = strchr(name, '=');
    bool is_glued =
        name == option.word + 1 && cw_is_alpha((unsigned char)name[0]) && cw_is_digit((unsigned char)name[1]);
    option.name = crawl_slice_of(name, is_glued ? 1 : equals ? (size_t)(equals - name) : strlen(name));
    option.given = is_glued ? name + 1 : equals ? equals + 1 : NULL;
    option.next = line->at + 1 < line->argc ? line->argv[line->at + 1] : NULL;
    option.shown = cw_excerpt_of(crawl_slice_of(option.word, (size_t)(name - option.word) + option.name.size));
    return option;
}

static crawl_err config_options_say(const command_line *line, const written_option *option, crawl_err err,
                                    const char *words)
{
    return crawl_error_set(line->error, err, "%s: %s", option->shown.text, words);
}

/* Returns the option's value: after its "=", or the next word, which is consumed. NULL: there is none. */
static const char *config_options_take_value(command_line *line, const written_option *option)
{
    if (option->given)
        return option->given;
    line->at += option->next != NULL;
    return option->next;
}

static crawl_err config_options_set(const command_line *line, const written_option *option, const cw_config_key *key,
                                    const char *value)
{
    crawl_err err = cw_config_value_set(key, line->config, crawl_slice_from(value));
    if (!err)
        return CRAWL_OK;
    char subject[2 * sizeof(cw_excerpt) + 8];
    snprintf(subject, sizeof subject, "%s: \"%s\"", option->shown.text,
             cw_config_value_excerpt(key, crawl_slice_from(value)).text);
    return cw_config_value_refused(key, err, subject, line->error);
}

static bool has_two_dashes(const written_option *option)
{
    return option->word[1] == '-';
}

/* Returns true for "-x" with this letter. */
static bool config_options_is_letter(const written_option *option, char letter)
{
    return letter && option->name.size == 1 && option->name.data[0] == letter && !has_two_dashes(option);
}

/* Returns true for the option of this key, its letter, or its "no-" form. */
static bool names_key(const cw_config_key *key, const written_option *option, bool *negative)
{
    crawl_slice name = option->name;
    *negative = false;
    if (!key->option || !has_two_dashes(option))
        return config_options_is_letter(option, key->letter);
    if (cw_is(name, key->option))
        return true;
    *negative = key->type == CW_BOOL && cw_take_text(&name, "no-");
    return *negative && cw_is(name, key->option);
}

static crawl_err take_bool(command_line *line, const written_option *option, const cw_config_key *key, bool negative)
{
    if (negative && option->given)
        return config_options_say(line, option, CRAWL_EPARSE, CW_TAKES_NO_VALUE);
    if (key->third && !negative && !option->given && option->next && strcmp(option->next, key->third) == 0)
        return crawl_error_set(line->error, CRAWL_EPARSE, "%s: did you mean %s=%s?", option->shown.text,
                               option->shown.text, key->third);
    return config_options_set(line, option, key, option->given ? option->given : negative ? "false" : "true");
}

static crawl_err config_options_take_key(command_line *line, const written_option *option, const cw_config_key *key,
                                         bool negative)
{
    if (key->type == CW_BOOL)
        return take_bool(line, option, key, negative);
    const char *value = config_options_take_value(line, option);
    if (!value)
        return cw_config_value_refused(key, CRAWL_EPARSE, option->word, line->error);
    if (key->type == CW_PATH && !*value)
        return crawl_error_set(line->error, CRAWL_EPARSE,
                               "%s: empty, as from an unset variable; to unset it: --set %s.%s=", option->shown.text,
                               key->section, key->name);
    bool is_seeds = strcmp(key->name, "seeds") == 0;
    if (is_seeds && line->has_seeds)
        return config_options_say(line, option, CRAWL_EPARSE,
                                  "given twice, but there can be one file: cat FILE FILE | crawl --seeds -");
    line->has_seeds |= is_seeds;
    return config_options_set(line, option, key, value);
}

static crawl_err take_flag(command_line *line, const written_option *option, const cw_config_flag *flag)
{
    if (option->given)
        return config_options_say(line, option, CRAWL_EPARSE, CW_TAKES_NO_VALUE);
    return config_options_set(line, option,
                              cw_config_schema_find(crawl_slice_from(flag->section), crawl_slice_from(flag->name)),
                              flag->value);
}

/* Handles --set section.name=value. */
static crawl_err take_set(command_line *line, const written_option *option)
{
    const char *assignment = config_options_take_value(line, option);
    const char *equals = assignment ? strchr(assignment, '=') : NULL;
    if (!equals)
        return config_options_say(line, option, CRAWL_EPARSE, "expected section.name=value");
    char *name = strndup(assignment, (size_t)(equals - assignment));
    if (!name)
        return config_options_say(line, option, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
    crawl_error words;
    crawl_err err = crawl_config_set(line->config, name, equals + 1, &words);
    free(name);
    return err ? config_options_say(line, option, err, words.message) : CRAWL_OK;
}

/* A negative is offered for a negative alone: --page-requisites does not mean --no-requisites. */
static void config_offer_options(cw_nearest *nearest, char negatives[CW_CONFIG_SCHEMA_MAX][40])
{
    bool is_negative = cw_starts_with(nearest->text, "no");
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        if (!keys[i].option)
            continue;
        cw_nearest_offer(nearest, keys[i].option);
        snprintf(negatives[i], sizeof negatives[i], "no-%s", keys[i].option);
        if (keys[i].type == CW_BOOL && is_negative)
            cw_nearest_offer(nearest, negatives[i]);
    }
    const cw_config_flag *flags = cw_config_schema_flags(&count);
    for (size_t i = 0; i < count; i++)
        cw_nearest_offer(nearest, flags[i].option);
    cw_nearest_offer(nearest, "set");
}

static crawl_err unknown(const command_line *line, const written_option *option)
{
    char negatives[CW_CONFIG_SCHEMA_MAX][40];
    cw_nearest nearest = {.text = option->name};
    config_offer_options(&nearest, negatives);
    return crawl_error_set(line->error, CRAWL_EPARSE, "unknown option \"%s\"%s%s%s", option->shown.text,
                           nearest.best ? "; did you mean \"--" : "", nearest.best ? nearest.best : "",
                           nearest.best ? "\"?" : "");
}

/* Offers the option to the caller, which may have options of its own. */
static crawl_err take_other(command_line *line, const written_option *option)
{
    char *name = line->other ? strndup(option->name.data, option->name.size) : NULL;
    if (line->other && !name)
        return config_options_say(line, option, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
    const char *value = option->given ? option->given : option->next;
    int taken = line->other ? line->other(line->user, name, value) : 0;
    free(name);
    if (taken == 1 && option->given)
        return config_options_say(line, option, CRAWL_EPARSE, CW_TAKES_NO_VALUE);
    if (taken == 2 && !value)
        return config_options_say(line, option, CRAWL_EPARSE, CW_NEEDS_VALUE);
    if (taken == 2)
        config_options_take_value(line, option);
    return taken ? CRAWL_OK : unknown(line, option);
}

static crawl_err config_take_option(command_line *line)
{
    written_option option = config_read_option(line);
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    bool negative;
    for (size_t i = 0; i < count; i++)
        if (names_key(&keys[i], &option, &negative))
            return config_options_take_key(line, &option, &keys[i], negative);
    const cw_config_flag *flags = cw_config_schema_flags(&count);
    for (size_t i = 0; i < count; i++)
        if (config_options_is_letter(&option, flags[i].letter) ||
            (has_two_dashes(&option) && cw_is(option.name, flags[i].option)))
            return take_flag(line, &option, &flags[i]);
    if (has_two_dashes(&option) && cw_is(option.name, "set"))
        return take_set(line, &option);
    return take_other(line, &option);
}

/* Returns true if the word is an option: it starts with a dash and is longer than "-". */
static bool is_option(const command_line *line)
{
    const char *word = line->argv[line->at];
    return !line->words_only && word[0] == '-' && word[1] != '\0';
}

/* Reads all words. Puts options with their values at the front of sorted, the other words after them. */
static crawl_err config_options_read_line(command_line *line, char **sorted, int *first)
{
    char **words = sorted + line->argc;
    int options = 0, others = 0;
    crawl_err err = CRAWL_OK;
    for (; line->at < line->argc && !err; line->at++) {
        if (!is_option(line)) {
            words[others++] = line->argv[line->at];
            continue;
        }
        int from = line->at;
        line->words_only = strcmp(line->argv[line->at], "--") == 0;
        if (!line->words_only)
            err = config_take_option(line);
        while (!err && from <= line->at)
            sorted[options++] = line->argv[from++];
    }
    memmove(sorted + options, words, (size_t)others * sizeof *words);
    *first = 1 + options;
    return err;
}

crawl_err crawl_config_options(crawl_config *config, int argc, char **argv, int *first, crawl_config_other other,
                               void *user, crawl_error *error)
{
    crawl_config copy;
    int words = 1;
    size_t room = argc > 1 ? (size_t)argc : 1;
    char **sorted = calloc(2 * room, sizeof *sorted);
    crawl_err err = sorted ? cw_config_copy(config, &copy) : CRAWL_ENOMEM;
    if (err) {
        free(sorted);
        return cw_error(error, err);
    }
    command_line line = {
        .config = &copy, .argc = argc, .argv = argv, .at = 1, .other = other, .user = user, .error = error};
    err = config_options_read_line(&line, sorted, &words);
    if (!err && argc > 1)
        memcpy(argv + 1, sorted, (size_t)(argc - 1) * sizeof *argv);
    if (!err)
        *first = argc > 1 ? words : argc;
    free(sorted);
    return cw_config_settle(config, &copy, err, error);
}
