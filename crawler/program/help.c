#include "crawler/program/help.h"

#include "config/config_values.h"
#include "tools/common/refused_memory.h"

#include <crawl/config.h>
#include <crawl/fetch.h>
#include <crawl/frontier.h>
#include <crawl/links.h>
#include <crawl/url.h>
#include <jansson.h>
#include <libpsl.h>
#include <stdlib.h>

enum { SECTIONS_MAX = 5 };

typedef struct help_group {
    const char *name;
    const char *sections[SECTIONS_MAX]; /* of crawler.conf */
    const char *about;
} help_group;

static const help_group groups[] = {
    {"scope", {"crawl"}, "what is crawled, and how far"},
    {"politeness", {"politeness"}, "pauses, requests at once, robots.txt, retries"},
    {"rendering", {"render"}, "pages that scripts make, in a headless browser"},
    {"network", {"fetch"}, "connections, headers, cookies, proxies, certificates"},
    {"memory", {"seen", "dedupe"}, "which URLs and pages count as seen before"},
    {"output",
     {"output", "parse", "upload", "webhook", "live"},
     "records, fields, text, copies, archives, reports, logs"},
    {"state", {"state", "revisit"}, "crawls that are kept, visited again, or shared"},
};

/* Used because open_memstream() silently drops text when it is out of memory. */
static ssize_t help_on_write(void *cookie, const char *data, size_t size)
{
    return crawl_buf_append(cookie, data, size) ? 0 : (ssize_t)size;
}

char *cw_program_printed(void (*print)(FILE *out))
{
    crawl_buf text = {0};
    FILE *out = fopencookie(&text, "w", (cookie_io_functions_t){.write = help_on_write});
    if (!out)
        return NULL;
    print(out);
    bool is_whole = fflush(out) == 0 && !ferror(out);
    if (fclose(out) == 0 && is_whole)
        return text.data;
    crawl_buf_free(&text);
    return NULL;
}

static void help_print_section(const char *section, FILE *out)
{
    if (crawl_config_help(out, section) == CRAWL_ENOMEM)
        cw_tool_memory_refused();
}

/* Prints the lines of an option in all: its first line, and its continuation lines. */
static void help_print_option(const char *all, const char *option, FILE *out)
{
    const char *line = strstr(all, option);
    while (line > all && line[-1] != '\n')
        line--;
    do {
        size_t size = strcspn(line, "\n");
        fprintf(out, "%.*s\n", (int)size, line);
        line += size + (line[size] == '\n');
    } while (strncmp(line, "     ", strlen("     ")) == 0);
}

void cw_program_help_short(FILE *out)
{
    static const char *const used[] = {"-s, --seeds ", "-d, --depth ",  " --scope ", " --exclude ", " --max-pages ",
                                       " --delay ",    "-o, --output ", " --state ", " --mirror ",  " --report "};
    char *all = cw_program_printed(cw_program_help);
    if (!all)
        cw_tool_memory_refused();
    fputs(cw_program_text_short, out);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        help_print_option(strstr(all, "\nOptions"), used[i], out);
    free(all);
    fputs("\nAll options, by groups (`crawl help GROUP`):\n", out);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        fprintf(out, "  %-11s %s\n", groups[i].name, groups[i].about);
    fputs("  all         all options, signals, units, exit statuses\n", out);
}

bool cw_program_help_group(const char *name, FILE *out)
{
    size_t i = 0;
    while (i < sizeof groups / sizeof *groups && strcmp(groups[i].name, name) != 0)
        i++;
    if (i == sizeof groups / sizeof *groups)
        return false;
    fprintf(out, "%s: %s\n", name, groups[i].about);
    for (size_t j = 0; j < SECTIONS_MAX && groups[i].sections[j]; j++) {
        fprintf(out, "\n[%s] of crawler.conf:\n", groups[i].sections[j]);
        help_print_section(groups[i].sections[j], out);
    }
    return true;
}

void cw_program_help_offer_groups(cw_nearest *nearest)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        cw_nearest_offer(nearest, groups[i].name);
}

void cw_program_help(FILE *out)
{
    fputs(cw_program_text_begin, out);
    help_print_section(NULL, out);
    fputs(cw_program_text_end, out);
}

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static crawl_err add_program_libraries(crawl_buf *out)
{
    char pcre2[64] = ""; /* longer than PCRE2 needs: "10.42 2022-12-11" */
    pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
    crawl_err err = crawl_buf_printf(out, "PCRE2 %s\n", pcre2);
    if (!err)
        err = crawl_buf_printf(out, "libpsl %s\n", psl_get_version());
    return err ? err : crawl_buf_printf(out, "jansson %s\n", jansson_version_str());
}

crawl_err cw_program_version_print(FILE *out)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "crawl %s\n", crawl_version());
    if (!err)
        err = crawl_fetch_libraries(&text);
    if (!err)
        err = crawl_page_libraries(&text);
    if (!err)
        err = crawl_buf_printf(&text, "Unicode %s\n", crawl_unicode_version()); /* of our table for host names */
    if (!err)
        err = crawl_frontier_libraries(&text);
    if (!err)
        err = add_program_libraries(&text);
    if (!err)
        fwrite(text.data, 1, text.size, out);
    crawl_buf_free(&text);
    return err;
}
