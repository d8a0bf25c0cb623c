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
#include <string.h>

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

/* open_memstream() drops what it has no memory for, and says nothing. */
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

/* Prints the lines that all has for an option: its own, and those that go on with its words. */
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
    fputs("usage: crawl [options] [URL...]\n"
          "       crawl help [GROUP | TOOL | all]\n"
          "\n"
          "Fetches pages and follows their links, politely and as far as you say.\n"
          "\n"
          "  crawl --depth 1 --output pages.jsonl https://example.com/   a line per page\n"
          "  crawl --report report.html https://example.com/             what is broken\n"
          "  crawl --mirror copy https://example.com/                    to read offline\n"
          "  crawl --state news --output news.jsonl https://example.com/ kept in `news`\n"
          "  crawl --state news                                          ... and resumed\n"
          "\n"
          "Ctrl-C ends a crawl cleanly. `crawl explain URL` tells why a URL is or is not\n"
          "fetched; `man crawl` is the manual.\n"
          "\n"
          "The ten options used most:\n",
          out);
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

void cw_program_help(FILE *out)
{
    fputs("usage: crawl [options] [URL...]\n"
          "       crawl help [GROUP | TOOL | all]\n"
          "\n"
          "Fetches pages and follows their links, politely and as far as you say.\n"
          "\n"
          "  crawl --seeds seeds.txt --depth 3 --output pages.jsonl\n"
          "\n"
          "--state DIR keeps the crawl in DIR. `crawl --state DIR` resumes it after any end\n"
          "with the options it had; those you give again take precedence. --max-pages,\n"
          "--max-time and --max-bytes are limits of one run. --order and [seen] cannot\n"
          "change. `crawl inspect DIR` shows what is there.\n"
          "\n"
          "  crawl --state news --output news.jsonl https://example.com/\n"
          "\n"
          "With --state redis://HOST/DB?name=NAME several processes, also on several\n"
          "machines, share one crawl.\n"
          "\n"
          "Options; each can stand in crawler.conf too, and overrides it:\n",
          out);
    help_print_section(NULL, out);
    fputs("\nOthers:\n"
          "  --config FILE      read this configuration instead of ./crawler.conf\n"
          "  --print-config     print the effective configuration, commented, and end\n"
          "  -h, --help         print this, and end\n"
          "  -V, --version      print the version, those of the libraries in use and of\n"
          "                     Unicode, and end\n"
          "\n"
          "Settings for single hosts (headers, user and password, proxy, delay, ...) go\n"
          "into sections [host NAME] of the configuration; --print-config lists their keys.\n"
          "\n"
          "Durations are written 250ms, 5s or 5, 2m, 1h, 7d; counts 10k, 5M, 1G; sizes\n"
          "64KiB, 1MiB, or 64k, 1M in thousands.\n"
          "\n"
          "SIGINT (Ctrl-C), SIGTERM and SIGHUP end a crawl cleanly and keep all of it; a\n"
          "second one, half a second later or more, ends it at once. With --log SIGHUP\n"
          "reopens the log and all files of lines instead, and reads crawler.conf again for\n"
          "settings that can change. SIGUSR1 prints the summary so far. Under systemd:\n"
          "SuccessExitStatus=3.\n"
          "\n"
          "Exit status: 0 done, 1 nothing could be fetched (no page came with status 2xx or\n"
          "304), 2 usage or configuration, 3 stopped by a signal, 4 disk or memory, 6 in\n"
          "use by another process.\n",
          out);
}

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static crawl_err add_program_libraries(crawl_buf *out)
{
    char pcre2[64] = ""; /* as much as PCRE2 asks for, and more: "10.42 2022-12-11" */
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
        err = crawl_buf_printf(&text, "Unicode %s\n", crawl_unicode_version()); /* of the names of hosts; a table of
                                                                                   ours */
    if (!err)
        err = crawl_frontier_libraries(&text);
    if (!err)
        err = add_program_libraries(&text);
    if (!err)
        fwrite(text.data, 1, text.size, out);
    crawl_buf_free(&text);
    return err;
}
