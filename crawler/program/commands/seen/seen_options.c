/* See seen_options.h. The filter's options are those of the configuration's section [seen], and its schema reads
 * them. */
#include "crawler/program/commands/seen/seen_options.h"

#include "base/error.h"
#include "config/config_values.h"
#include "tools/common/tool_options.h"

#include <getopt.h>
#include <inttypes.h>

typedef enum type { KIND, COUNT, WORD, RATE } type;

/* An option of the filter: its key in the configuration, and its field. */
static const struct setting {
    const char *option;
    const char *key;
    type type;
    size_t offset; /* in crawl_bloom_options */
} settings[] = {
    {"kind", "seen.kind", KIND, offsetof(crawl_bloom_options, kind)},
    {"capacity", "seen.capacity", COUNT, offsetof(crawl_bloom_options, capacity)},
    {"fpr", "seen.fpr", RATE, offsetof(crawl_bloom_options, fpr)},
    {"growth", "seen.growth", RATE, offsetof(crawl_bloom_options, growth)},
    {"max-memory", "seen.max_memory", COUNT, offsetof(crawl_bloom_options, max_bytes)},
    {"window", "seen.window", COUNT, offsetof(crawl_bloom_options, window_ms)},
    {"generations", "seen.generations", WORD, offsetof(crawl_bloom_options, generations)},
};
#define SETTINGS (sizeof settings / sizeof *settings)
enum { PLAIN = 9 }; /* options that are not settings */

/* A command line being read. */
typedef struct seen_line {
    cw_seen_options *options;
    crawl_config config;
    crawl_error *error;
} seen_line;

static bool seen_options_set(void *user, const char *name, const char *value)
{
    seen_line *line = user;
    unsigned setting = 0;
    crawl_error why = {0};
    while (strcmp(settings[setting].option, name) != 0)
        setting++;
    line->options->given |= 1u << setting;
    crawl_err err = crawl_config_set(&line->config, settings[setting].key, value, &why);
    if (err)
        crawl_error_set(line->error, err, "--%s: %s", name, why.message);
    return !err;
}

static bool set_fingerprint(void *user, const char *name, const char *value)
{
    seen_line *line = user;
    crawl_error why = {0};
    if (crawl_config_set(&line->config, "seen.fingerprint", value, &why)) {
        crawl_error_set(line->error, CRAWL_EINVAL, "--%s: %s", name, why.message);
        return false;
    }
    line->options->urls = line->options->fingerprints = true;
    line->options->fingerprint = line->config.fingerprint;
    return true;
}

/* Checks that the options fit together. */
static crawl_err seen_options_check(const cw_seen_options *options, crawl_error *error)
{
    bool scrapy = options->fingerprints && options->fingerprint != CRAWL_FINGERPRINT_DEFAULT;
    if (options->import_scrapy && !scrapy)
        return crawl_error_set(
            error, CRAWL_EINVAL,
            "--import-scrapy: lines must be compared by Scrapy's fingerprints: add --fingerprint scrapy-2.7, or "
            "scrapy-2.6 for older jobs");
    if (options->semicolons && !scrapy)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "--semicolons: lines must be compared by Scrapy's fingerprints: add --fingerprint "
                               "scrapy-2.7 or scrapy-2.6");
    return CRAWL_OK;
}

static crawl_err seen_options_read_line(seen_line *line, int argc, char **argv)
{
    cw_seen_options *o = line->options;
    cw_tool_option known[] = {
        {"file", .text = &o->file},
        {"invert", .flag = &o->invert},
        {"count", .flag = &o->count},
        {"urls", .flag = &o->urls},
        {"zero", .letter = 'z', .flag = &o->zero},
        {"quiet", .flag = &o->quiet},
        {"fingerprint", .takes_value = true, .take = set_fingerprint},
        {"import-scrapy", .text = &o->import_scrapy},
        {"semicolons", .flag = &o->semicolons},
        [PLAIN + SETTINGS] = {0},
    };
    for (size_t i = 0; i < SETTINGS; i++)
        known[PLAIN + i] = (cw_tool_option){settings[i].option, .takes_value = true, .take = seen_options_set};
    const cw_tool_syntax syntax = {.options = known, .user = line};
    crawl_err err = cw_tool_options_read(&syntax, argc, argv, &o->help, line->error);
    o->inputs = argv + optind;
    o->input_count = argc - optind;
    return err;
}

crawl_err cw_seen_options_read(cw_seen_options *options, int argc, char **argv, crawl_error *error)
{
    seen_line line = {.options = options, .error = error};
    *options = (cw_seen_options){0};
    crawl_err err = cw_config_init(&line.config);
    if (err)
        return cw_error(error, err);
    err = seen_options_read_line(&line, argc, argv);
    if (!err)
        err = seen_options_check(options, error);
    options->filter = line.config.seen;
    cw_config_clear(&line.config);
    return err;
}

typedef struct shown {
    char text[40];
} shown;

/* Returns a setting's value as text, which also serves for comparison. */
static shown seen_options_show(const struct setting *setting, const crawl_bloom_options *options)
{
    shown value;
    const void *field = (const char *)options + setting->offset;
    switch (setting->type) {
    case KIND:
        snprintf(value.text, sizeof value.text, "%s", crawl_bloom_kind_name(options->kind));
        break;
    case COUNT:
        snprintf(value.text, sizeof value.text, "%" PRIu64, *(const uint64_t *)field);
        break;
    case WORD:
        snprintf(value.text, sizeof value.text, "%" PRIu32, *(const uint32_t *)field);
        break;
    case RATE:
        snprintf(value.text, sizeof value.text, "%.15g", *(const double *)field);
        break;
    }
    return value;
}

static bool seen_options_counts(const struct setting *setting, crawl_bloom_kind kind)
{
    return setting->offset != offsetof(crawl_bloom_options, capacity) || kind == CRAWL_BLOOM_CLASSIC ||
           kind == CRAWL_BLOOM_ROTATING;
}

crawl_err cw_seen_options_agree(const cw_seen_options *options, const crawl_bloom_options *file, crawl_error *error)
{
    for (unsigned i = 0; i < SETTINGS; i++) {
        shown wanted = seen_options_show(&settings[i], &options->filter), there = seen_options_show(&settings[i], file);
        if (options->given & 1u << i && seen_options_counts(&settings[i], file->kind) &&
            strcmp(wanted.text, there.text) != 0)
            return crawl_error_set(error, CRAWL_EINVAL, "--%s %s: %s was made with %s", settings[i].option, wanted.text,
                                   options->file, there.text);
    }
    return CRAWL_OK;
}

/* The keys by which lines can be compared. */
static const struct key {
    const char *label;
    bool urls;
    bool fingerprints;
    crawl_fingerprint_kind fingerprint;
    bool semicolons;
} keys[] = {
    {"lines", false, false, CRAWL_FINGERPRINT_DEFAULT, false},
    {"urls", true, false, CRAWL_FINGERPRINT_DEFAULT, false},
    {"fingerprint default", true, true, CRAWL_FINGERPRINT_DEFAULT, false},
    {"fingerprint scrapy-2.6", true, true, CRAWL_FINGERPRINT_SCRAPY_26, false},
    {"fingerprint scrapy-2.7", true, true, CRAWL_FINGERPRINT_SCRAPY_27, false},
    {"fingerprint scrapy-redis-0.8", true, true, CRAWL_FINGERPRINT_SCRAPY_REDIS, false},
    {"fingerprint scrapy-2.6 --semicolons", true, true, CRAWL_FINGERPRINT_SCRAPY_26, true},
    {"fingerprint scrapy-2.7 --semicolons", true, true, CRAWL_FINGERPRINT_SCRAPY_27, true},
    {"fingerprint scrapy-redis-0.8 --semicolons", true, true, CRAWL_FINGERPRINT_SCRAPY_REDIS, true},
};
#define KEYS (sizeof keys / sizeof *keys)

const char *cw_seen_options_key(const cw_seen_options *options)
{
    size_t i = 0;
    while (i < KEYS - 1 && (keys[i].urls != options->urls || keys[i].fingerprints != options->fingerprints ||
                            keys[i].fingerprint != options->fingerprint || keys[i].semicolons != options->semicolons))
        i++;
    return keys[i].label;
}

crawl_err cw_seen_options_take_key(cw_seen_options *options, const char *label, crawl_error *error)
{
    size_t i = 0;
    while (i < KEYS && strcmp(keys[i].label, label) != 0)
        i++;
    if (i == KEYS)
        return crawl_error_set(error, CRAWL_EINVAL, "%s: its keys are \"%s\", which this program does not know",
                               options->file, label);
    const char *wanted = cw_seen_options_key(options);
    if (options->urls && strcmp(wanted, label) != 0)
        return crawl_error_set(error, CRAWL_EINVAL, "--%s: %s was made with %s%s", wanted, options->file,
                               keys[i].urls ? "--" : "whole ", label);
    options->urls = keys[i].urls;
    options->fingerprints = keys[i].fingerprints;
    options->fingerprint = keys[i].fingerprint;
    options->semicolons = keys[i].semicolons;
    return CRAWL_OK;
}
