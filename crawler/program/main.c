/* The program. If the first word of the command line names a tool, the tool runs; otherwise it crawls. */
#include "base/text/nearest.h"
#include "crawler/program/crawl_command.h"
#include "crawler/program/foreign_options.h"
#include "crawler/program/help.h"
#include "crawler/program/memory.h"
#include "crawler/program/tools/complete.h"
#include "crawler/program/tools/man.h"
#include "crawler/program/tools/output.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cw_tool_word words[] = {
    {"url", cw_tool_url, cw_tool_url_help, "canonical form and fingerprint of URLs"},
    {"links", cw_tool_links, cw_tool_links_help, "the links of an HTML page"},
    {"extract", cw_tool_extract, cw_tool_extract_help, "values of pages by rules, and selectors as XPath"},
    {"text", cw_tool_text, cw_tool_text_help, "what a page says, as plain text or Markdown"},
    {"robots", cw_tool_robots, cw_tool_robots_help, "what a robots.txt says about URLs"},
    {"sitemap", cw_tool_sitemap, cw_tool_sitemap_help, "the URLs of a sitemap"},
    {"list", cw_tool_list, cw_tool_list_help, "chosen lines and fields of records, links and the like"},
    {"report", cw_tool_report, cw_tool_report_help, "what is wrong with a site, as a page for its owner"},
    {"audit", cw_tool_audit, cw_tool_audit_help, "proof, from its log, that a crawl was polite"},
    {"seen", cw_tool_seen, cw_tool_seen_help, "the lines not seen before: uniq in any order, in bounded memory"},
    {"explain", cw_tool_explain, cw_tool_explain_help, "whether a crawl would fetch a URL, and which rule decides"},
    {"warc", cw_tool_warc, cw_tool_warc_help, "ends and indexes the WARC files that a killed crawl left open"},
    {"inspect", cw_tool_inspect, cw_tool_inspect_help, "what stands in the directory of a crawl, and whether it holds"},
    {"serve", cw_tool_serve, cw_tool_serve_help, "the frontier for crawlers in any language, by URLFrontier"},
};

static const cw_tool_word *find(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    return NULL;
}

/* "; did you mean \"report\"?"; nothing where no tool has a name like that. */
static crawl_buf suggest(const char *name)
{
    crawl_buf said = {0};
    cw_nearest nearest = {.text = crawl_slice_from(name)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cw_nearest_offer(&nearest, words[i].name);
    cw_nearest_offer(&nearest, "help");
    if (nearest.best)
        crawl_buf_printf(&said, "; did you mean \"%s\"?", nearest.best);
    return said;
}

static int no_tool(const char *before, const char *name)
{
    crawl_buf suggestion = suggest(name);
    cw_tool_say(NULL, "%sthere is no tool \"%s\"%s", before, name,
                suggestion.size ? suggestion.data : "; `crawl help` lists them");
    crawl_buf_free(&suggestion);
    return CW_EXIT_USAGE;
}

/* Is the first word the name of a tool with a mistake in it? A word of letters alone is no URL. */
static bool is_mistyped(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    crawl_buf suggestion = *name && !name[size] ? suggest(name) : (crawl_buf){0};
    bool is_near = suggestion.size > 0;
    crawl_buf_free(&suggestion);
    return is_near;
}

static int help(const char *name)
{
    if (!name) {
        cw_program_help(stdout);
        puts("\nTools (`crawl help WORD` explains one):");
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            printf("  crawl %-8s %s\n", words[i].name, words[i].summary);
        return CW_EXIT_OK;
    }
    const cw_tool_word *found = find(name);
    if (found)
        return cw_tool_output_text(found->help);
    return no_tool("help: ", name);
}

/* Says what does the same here as an option that a crawl refuses does elsewhere: in another crawler or in a tool. */
static void say_whose(const char *option)
{
    char *own = cw_tool_printed(cw_program_help);
    bool is_own = !own || cw_tool_help_names(own, option);
    const char *here = is_own ? NULL : cw_program_foreign_option(option);
    if (here)
        cw_tool_say(NULL, "in place of %s crawl takes %s", option, here);
    for (size_t i = 0; i < sizeof words / sizeof *words && !is_own; i++)
        if (cw_tool_help_names(words[i].help, option)) {
            cw_tool_say(NULL, "`crawl %s` has %s", words[i].name, option);
            break;
        }
    free(own);
}

static int crawl(int argc, char **argv)
{
    int status = cw_program_crawl(argc, argv);
    for (int i = 1; i < argc && status == CW_EXIT_USAGE; i++) {
        char *option = strndup(argv[i], strcspn(argv[i], "="));
        if (option)
            say_whose(option);
        free(option);
    }
    return status;
}

static bool asks_for_help(const char *option)
{
    return strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0;
}

static int run(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    if (argc == 4 && strcmp(first, "help") == 0 && strcmp(argv[2], "--man") == 0)
        return cw_tool_man(argv[3], words, sizeof words / sizeof *words);
    if (argc > 2 && strcmp(first, "help") == 0 && strcmp(argv[2], "--complete") == 0)
        return cw_tool_complete(argc - 3, argv + 3, words, sizeof words / sizeof *words);
    if (strcmp(first, "help") == 0 || (argc == 2 && asks_for_help(first)))
        return help(argc > 2 ? argv[2] : NULL);
    const cw_tool_word *found = find(first);
    if (found && argc > 2 && asks_for_help(argv[2]))
        return help(first);
    if (!found && is_mistyped(first))
        return no_tool("", first);
    return found ? found->run(argc - 1, argv + 1) : crawl(argc, argv);
}

/* Blocks of this size and more are mapped one by one, and given back to the system when they are freed. glibc begins so
 * too, but raises the size to that of each such block that is freed: then buffers that have grown lie between small
 * blocks that stay, and the heap of a crawl takes 15 MiB more. The price is a page fault for each page. */
static void keep_heap_small(void)
{
    enum { MAPPED_BYTES = 128 * 1024 };
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}

int main(int argc, char **argv)
{
    keep_heap_small();
    cw_program_memory_begin();
    /* A file that may grow no further makes a write fail, which is told like any other failure. */
    signal(SIGXFSZ, SIG_IGN);
    if (cw_tool_output_begin())
        return cw_tool_output_end(run(argc, argv));
    cw_tool_say(NULL, "standard output: %s", strerror(errno));
    return CW_EXIT_LOCAL;
}
