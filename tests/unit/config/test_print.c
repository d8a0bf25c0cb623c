/* --print-config and --help. */
#include "config/config.h"

#include "config/schema.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static char *printed(crawl_err (*print)(FILE *out, const crawl_config *config), const crawl_config *config)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_not_null(out);
    cr_assert_eq(print(out, config), CRAWL_OK);
    fclose(out);
    return text;
}

static crawl_err print_config(FILE *out, const crawl_config *config)
{
    return crawl_config_print(config, out);
}

static crawl_err print_help(FILE *out, const crawl_config *)
{
    return crawl_config_help(out, NULL);
}

/* Prints, loads over the defaults, prints again: the texts are equal, and the text has every field. */
static void expect_same_after_loading(const crawl_config *config)
{
    char *text = printed(print_config, config);
    crawl_config loaded;
    crawl_error error = {0};
    cr_assert_eq(cw_config_init(&loaded), CRAWL_OK);
    cr_assert_eq(cw_config_parse(&loaded, "printed", crawl_slice_from(text), &error), CRAWL_OK, "%s", error.message);
    char *again = printed(print_config, &loaded);
    cr_expect_str_eq(text, again);
    cr_expect_eq(loaded.rule_count, config->rule_count);
    for (size_t i = 0; i < loaded.rule_count && i < config->rule_count; i++)
        cr_expect_str_eq(loaded.rules[i].pattern, config->rules[i].pattern);
    cr_expect(config->seen.fpr == loaded.seen.fpr);
    cr_expect_eq(config->seen.kind, loaded.seen.kind);
    cr_expect_eq(config->seen.window_ms, loaded.seen.window_ms);
    cr_expect_eq(config->seen.generations, loaded.seen.generations);
    cr_expect_eq(config->delay_ms, loaded.delay_ms);
    cr_expect_eq(config->program.verbosity, loaded.program.verbosity);
    cr_expect_str_eq(config->user_agent, loaded.user_agent);
    cr_expect_str_eq(config->program.seeds ? config->program.seeds : "",
                     loaded.program.seeds ? loaded.program.seeds : "");
    cw_config_clear(&loaded);
    free(text);
    free(again);
}

Test(print, the_defaults_are_complete_and_loadable)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    expect_same_after_loading(&config);
    char *text = printed(print_config, &config);
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        char setting[100];
        snprintf(setting, sizeof setting, "\n%s =", keys[i].name);
        cr_expect(keys[i].type == CW_RULE || cw_config_key_is_list(&keys[i]) || strstr(text, setting), "%s",
                  keys[i].name);
        cr_expect_not_null(strstr(text, keys[i].help));
    }
    cr_expect_not_null(strstr(text,
                              "\n# shortest pause between two requests to a host; 0: none, however slow the host\n"
                              "# a duration from 0ms to 1d, as 250ms or 5s; default 250ms; with a log, SIGHUP "
                              "reads it again\n"
                              "delay = 250ms\n"));
    free(text);
    cw_config_clear(&config);
}

Test(print, odd_values_come_back_too)
{
    crawl_config config;
    char pattern[2001];
    memset(pattern, ';', 2000);
    pattern[2000] = '\0';
    const char *settings[][2] = {
        {"crawl.seeds", " a ;b\n\"c\"\\ "},
        {"crawl.exclude", "a ; b"},
        {"crawl.include", pattern},
        {"crawl.exclude", "\"quoted\""},
        {"crawl.include", "[set] # x"},
        {"crawl.exclude", "end\\"},
        {"seen.fpr", "0.012345678901234"},
        {"politeness.delay", "1234ms"},
        {"fetch.max_body", "1000001"},
        {"parse.follow", "none"},
        {"output.verbosity", "quiet"},
        {"output.output", "\xc3\xa9\x01"},
        {"fetch.user_agent", "a ;b"},
        {"seen.growth", "1.3333333333333"},
        {"crawl.max_pages", "1234567890123456"},
        {"seen.kind", "rotating"},
        {"seen.window", "90s"},
        {"seen.generations", "16"},
    };
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cr_assert_eq(crawl_config_set(&config, settings[i][0], settings[i][1], NULL), CRAWL_OK, "%s", settings[i][0]);
    expect_same_after_loading(&config);
    cw_config_clear(&config);
}

Test(print, a_failing_file_is_reported)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_expect_eq(crawl_config_print(&config, full), CRAWL_EIO);
    cr_expect_eq(crawl_config_help(full, NULL), CRAWL_EIO);
    fclose(full);
    cw_config_clear(&config);
}

static crawl_err print_help_of_dedupe(FILE *out, const crawl_config *)
{
    crawl_err err = crawl_config_help(out, "redis"); /* has no options */
    return err ? err : crawl_config_help(out, "dedupe");
}

Test(print, help_of_a_section_names_its_options_alone)
{
    char *text = printed(print_help_of_dedupe, NULL);
    cr_expect_eq(strncmp(text, "  --dedupe KIND ", strlen("  --dedupe KIND ")), 0);
    cr_expect_null(strstr(text, "--depth"));
    cr_expect_null(strstr(text, "--set"));
    free(text);
}

Test(print, help_names_every_option_in_the_width_of_a_terminal)
{
    char *text = printed(print_help, NULL);
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        char option[60], negated[60];
        snprintf(option, sizeof option, " --%s ", keys[i].option ? keys[i].option : "");
        snprintf(negated, sizeof negated, "  --no-%s ", keys[i].option ? keys[i].option : "");
        cr_expect(!keys[i].option || strstr(text, option) || strstr(text, negated), "%s", keys[i].option);
    }
    cr_expect_not_null(strstr(text, "  -d, --depth N "));
    cr_expect_not_null(strstr(text, "[3]"));
    cr_expect_not_null(strstr(text, "  --no-robots             do not obey robots.txt\n"));
    cr_expect_not_null(strstr(text, "  -q, --quiet "));
    cr_expect_not_null(strstr(text, "  --set SECTION.NAME=VALUE"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect(strlen(line) <= 80 && line[strlen(line) - 1] != ' ', "%s", line);
    free(text);
}
