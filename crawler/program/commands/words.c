#include "crawler/program/commands/words.h"

#include "crawler/program/commands/commands.h"
#include "crawler/program/executable.h"

enum { WORDS_MAX = 32 };

const cw_command_word cw_command_words[] = {
    {"url", cw_command_url, cw_command_url_help, "canonical form and fingerprint of URLs"},
    {"links", cw_command_links, cw_command_links_help, "the links of an HTML page"},
    {"extract", cw_command_extract, cw_command_extract_help, "values of pages by rules, and selectors as XPath"},
    {"text", cw_command_text, cw_command_text_help, "what a page says, as plain text or Markdown"},
    {"render", cw_command_render, cw_command_render_help, "a page as its scripts make it: its HTML, text or links"},
    {"robots", cw_command_robots, cw_command_robots_help, "what a robots.txt says about URLs"},
    {"sitemap", cw_command_sitemap, cw_command_sitemap_help, "the URLs of a sitemap"},
    {"corpus", NULL, NULL, "the texts of a crawl as files for language models"},
    {"index", NULL, NULL, "the pages of a crawl in a search engine, with deletions"},
    {"report", NULL, NULL, "what is wrong with a site, as a page for its owner"},
    {"query", NULL, NULL, "chosen lines and fields of records and links, or SQL over them"},
    {"audit", NULL, NULL, "proof, from its log, that a crawl was polite"},
    {"identity", NULL, NULL, "the key that signs requests, and the directory it is found in"},
    {"mcp", NULL, NULL, "pages and crawls for programs with a language model (MCP)"},
    {"seen", cw_command_seen, cw_command_seen_help, "the lines not seen before: uniq in any order, in bounded memory"},
    {"explain", cw_command_explain, cw_command_explain_help,
     "whether a crawl would fetch a URL, and which rule decides"},
    {"warc", NULL, NULL, "ends, packs as WACZ and checks WARC files"},
    {"upload", NULL, NULL, "uploads files to an S3 bucket"},
    {"inspect", cw_command_inspect, cw_command_inspect_help,
     "the contents of a crawl's directory, and whether it is intact"},
    {"serve", NULL, NULL, "the frontier for crawlers in any language, by URLFrontier"},
    {0},
};

_Static_assert(sizeof cw_command_words / sizeof *cw_command_words <= WORDS_MAX, "each has a place for its help");

const cw_command_word *cw_command_find(const char *name)
{
    for (const cw_command_word *word = cw_command_words; word->name; word++)
        if (strcmp(word->name, name) == 0)
            return word;
    return NULL;
}

static void name_executable(const cw_command_word *word, char name[32])
{
    crawl_buf whole = {0};
    (void)crawl_buf_printf(&whole, "crawl-%s", word->name);
    strncpy(name, whole.data ? whole.data : "crawl", 31);
    crawl_buf_free(&whole);
}

int cw_command_run(const cw_command_word *word, int argc, char **argv)
{
    char name[32] = "";
    if (word->run)
        return word->run(argc, argv);
    name_executable(word, name);
    argv[0] = name;
    return cw_program_executable_become(word->name, argv);
}

const char *cw_command_help(const cw_command_word *word)
{
    static crawl_buf texts[WORDS_MAX];
    crawl_buf *text = &texts[word - cw_command_words];
    char name[32] = "";
    char option[] = "--help";
    char *argv[] = {name, option, NULL};
    if (word->help)
        return word->help;
    name_executable(word, name);
    if (!text->size)
        (void)cw_program_executable_run(word->name, argv, NULL, text);
    return text->size ? text->data : "";
}
