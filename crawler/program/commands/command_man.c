#include "crawler/program/commands/commands.h"

#include "config/config_values.h"
#include "crawler/program/commands/words.h"
#include "crawler/program/help.h"
#include "crawler/program/manual/man.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_MAX_SIZE = 32, MAIN_PAGE = 0, CONFIG_PAGE = 1, FIRST_WORD = 2 };

/* Sections of the program's page that --help lacks. */
static const cw_program_man_item of_program[] = {
    {"EXAMPLES", "crawl -o pages.jsonl -d 2 https://example.com/",
     "Records of all pages that are two links or less away."},
    {"EXAMPLES", "crawl --state news -o news.jsonl https://example.com/",
     "A crawl that is kept: \"crawl --state news\" resumes it after Ctrl-C, a kill or a power cut."},
    {"EXAMPLES", "crawl --revisit=due --state news",
     "The same every night, from cron: pages that are due are requested again; servers do not send unchanged ones "
     "again."},
    {"EXAMPLES", "crawl --requisites --mirror copy https://example.com/",
     "An offline copy, to be opened in a browser."},
    {"EXAMPLES", "crawl --report report.html https://example.com/",
     "A page about what is broken on a site, with the pages that link there."},
    {"EXAMPLES", "crawl -q --log crawl.log --log-level debug -s seeds.txt",
     "Prints only errors; the log has a line for each request. SIGHUP reopens it."},
    {"FILES", "./crawler.conf",
     "Settings, unless --config names another file or --state resumes a crawl; see crawler.conf(5)."},
    {"FILES", "DIR/crawler.conf", "The options of the crawl in the directory of --state, with which it resumes."},
    {"ENVIRONMENT", "NO_COLOR, CLICOLOR_FORCE, CLICOLOR",
     "No colours on a terminal if the first is set or the last is 0; colours everywhere if the second is set."},
    {"ENVIRONMENT", "TERM, LC_ALL, LC_CTYPE, LANG",
     "Whether lines can be drawn in place (not with \"dumb\"), and whether they may have characters of UTF-8."},
    {"ENVIRONMENT", "CRAWL_REDIS_PASSWORD",
     "The password for Redis, unless redis.password_file names a file with "
     "it."},
};

typedef struct book {
    cw_program_man_page *pages;
    char (*names)[NAME_MAX_SIZE]; /* of the pages about words */
    size_t count;
} book;

static void open_book(book *b)
{
    size_t count = 0;
    while (cw_command_words[count].name)
        count++;
    b->count = FIRST_WORD + count;
    b->pages = cw_tool_memory_granted(calloc(b->count, sizeof *b->pages));
    b->names = cw_tool_memory_granted(calloc(count, sizeof *b->names));
    b->pages[MAIN_PAGE] = (cw_program_man_page){
        .name = "crawl", .section = 1, .summary = "a web crawler that is polite, durable and can be asked why"};
    b->pages[CONFIG_PAGE] =
        (cw_program_man_page){.name = "crawler.conf", .section = 5, .summary = "configuration of crawl"};
    for (size_t i = 0; i < count; i++) {
        snprintf(b->names[i], sizeof b->names[i], "crawl-%s", cw_command_words[i].name);
        b->pages[FIRST_WORD + i] =
            (cw_program_man_page){.name = b->names[i], .section = 1, .summary = cw_command_words[i].summary};
    }
}

static cw_program_man_page *man_find(const book *b, const char *name)
{
    for (size_t i = 0; i < b->count; i++)
        if (strcmp(b->pages[i].name, name) == 0)
            return &b->pages[i];
    return NULL;
}

static void print_defaults(FILE *out)
{
    crawl_config config;
    if (cw_config_init(&config) == CRAWL_OK)
        (void)crawl_config_print(&config, out);
    cw_config_clear(&config);
}

/* Skips the file's first comments, which the page's description already has. */
static const char *behind_first_block(const char *text)
{
    const char *end = strstr(text, "\n\n");
    return end ? end + 2 : text;
}

static void write_page(const book *b, cw_program_man_page *page, crawl_buf *out)
{
    bool is_config = page == &b->pages[CONFIG_PAGE];
    bool is_main = page == &b->pages[MAIN_PAGE];
    char *text = NULL;
    if (is_config || is_main)
        text = cw_tool_memory_granted(cw_program_printed(is_config ? print_defaults : cw_program_help));
    if (!text)
        page->text = cw_command_help(&cw_command_words[page - b->pages - FIRST_WORD]);
    else
        page->text = is_config ? behind_first_block(text) : text;
    cw_tool_memory_must(is_config ? cw_program_man_of_config(page, out) : cw_program_man_of_help(page, out));
    if (is_main)
        cw_tool_memory_must(cw_program_man_items(of_program, sizeof of_program / sizeof *of_program, out));
    cw_tool_memory_must(cw_program_man_see_also(b->pages, b->count, page, out));
    free(text);
}

int cw_command_man(const char *name)
{
    book b = {0};
    crawl_buf out = {0};
    open_book(&b);
    cw_program_man_page *page = man_find(&b, name);
    if (page) {
        write_page(&b, page, &out);
        fwrite(out.data, 1, out.size, stdout);
    } else {
        cw_tool_say(NULL, "help: there is no manual page \"%s\"", name);
    }
    free(b.pages);
    free(b.names);
    crawl_buf_free(&out);
    return page ? CW_EXIT_OK : CW_EXIT_USAGE;
}
