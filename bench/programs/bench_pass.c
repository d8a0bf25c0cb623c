/* Measures the cost of a page with each option of a crawl, and checks that combined passes find the same as separate
 * ones.
 *
 *   bench_pass compare FOLDER               all .html files below
 *   bench_pass read WORDS FOLDER [PAGES]    the first PAGES of them by name (36)
 *
 * WORDS is one or more of these, separated by commas: links; parts (--requisites, in place of links); plain or markdown
 * (--text); data (--data); rules (a section of three: h1, all links, all pre); apart (a pass for the links and one for
 * the text); copy (links rewritten as for --mirror, each to a path as long as those of a copy). To count instructions,
 * in thousands for 36 KiB:
 *
 *   valgrind --tool=callgrind --toggle-collect=read_all bench_pass read links,plain FOLDER
 *
 * compare reads each page for its links and its text, plain and in Markdown, with parts, with the texts of links, with
 * its data and without, in one pass and in separate ones. It names the pages where a link, the page's own statements,
 * or the text differ. The exit status is 1 if there are any. */
#include "bench/programs/pages.h"

#include <crawl/data.h>
#include <crawl/extract.h>
#include <crawl/rewrite.h>
#include <crawl/text.h>

enum { WAYS = 16, UNIT = 36 * 1024, PAGES = 36 };

typedef struct work {
    bool parts;
    bool link_texts;
    bool data_wanted;
    bool rules_wanted;
    bool apart;
    bool copied;
    crawl_text_form form;
} work;

typedef struct reader {
    crawl_page *page;
    crawl_text_maker *maker;
    crawl_slice text;
    crawl_buf json; /* the data */
    crawl_buf copy;
} reader;

static reader readers[2];
static crawl_url *url;
static crawl_data *data;
static crawl_tree *tree;
static crawl_rules *rules;
static crawl_extraction *extraction;

/* --- reading a page --- */

static void open_rules(void)
{
    static const char *const fields[][2] = {
        {"field.title", "h1"}, {"field.links", "a -> url all"}, {"field.code", "pre -> all"}};
    crawl_error error;
    rules = crawl_rules_create();
    for (size_t i = 0; rules && i < sizeof fields / sizeof *fields; i++)
        if (crawl_rules_add(rules, crawl_slice_from("bench"), crawl_slice_from(fields[i][0]),
                            crawl_slice_from(fields[i][1]), &error))
            fail("no rule");
    if (!rules || crawl_extraction_create(rules, &extraction))
        fail("no memory");
}

static void read_values(reader *r, const work *todo, crawl_slice html)
{
    const crawl_extract_page of = {
        .size = sizeof of, .url = crawl_url_href(url), .base = crawl_page_base(r->page), .tree = tree};
    crawl_slice json = {0};
    crawl_tree_set(tree, html, crawl_page_charset(r->page));
    if (todo->rules_wanted && crawl_extraction_run(extraction, &of))
        fail("no memory");
    if (todo->data_wanted && crawl_data_read(data, r->page, tree, &json))
        fail("no memory");
    crawl_buf_clear(&r->json);
    if (crawl_buf_append(&r->json, json.data, json.size))
        fail("no memory");
    crawl_tree_set(tree, (crawl_slice){0}, NULL);
}

static crawl_err link_into_copy(void *user, const crawl_url *target, crawl_buf *out, bool *is_local)
{
    static const char path[] = "../library/functions.html";
    (void)user;
    (void)target;
    *is_local = true;
    return crawl_buf_append(out, path, sizeof path - 1);
}

static void write_copy(reader *r, crawl_slice html)
{
    const crawl_rewrite how = {.size = sizeof how, .url = url, .link = link_into_copy};
    crawl_buf_clear(&r->copy);
    if (crawl_rewrite_page(&how, CRAWL_DOCUMENT_HTML, html, &r->copy))
        fail("no memory");
}

static void read_page(reader *r, const work *todo, crawl_slice html)
{
    const crawl_text_options options = {
        .size = sizeof options, .form = todo->form, .document = CRAWL_DOCUMENT_HTML, .url = url};
    bool has_text = todo->form != CRAWL_TEXT_FORM_NONE;
    crawl_err err = CRAWL_OK;
    crawl_page_set_kinds(r->page, CRAWL_LINK_PAGES | (todo->parts ? CRAWL_LINK_PARTS : 0));
    crawl_page_set_text(r->page, todo->link_texts ? CRAWL_TEXT_LINKS | CRAWL_TEXT_PAGE : 0);
    crawl_page_set_data(r->page, todo->data_wanted);
    if (!has_text || todo->apart)
        err = crawl_page_parse(r->page, html, url, NULL);
    if (has_text && todo->apart)
        err = err ? err : crawl_text_make(r->maker, html, &options, &r->text);
    else if (has_text)
        err = crawl_text_make_with_links(r->maker, html, &options, r->page, &r->text);
    if (err)
        fail("no memory");
    if (todo->data_wanted || todo->rules_wanted)
        read_values(r, todo, html);
    if (todo->copied)
        write_copy(r, html);
}

/* A separate function for callgrind. */
__attribute__((noinline)) static void read_all(const work *todo, const crawl_buf *pages, size_t count)
{
    for (size_t i = 0; i < count; i++)
        read_page(&readers[0], todo, crawl_buf_slice(&pages[i]));
}

static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += size)
        if ((at == words || at[-1] == ',') && (at[size] == ',' || !at[size]))
            return true;
    return false;
}

static int measure(const char *words, size_t most)
{
    const work todo = {
        .parts = has_word(words, "parts"),
        .data_wanted = has_word(words, "data"),
        .rules_wanted = has_word(words, "rules"),
        .apart = has_word(words, "apart"),
        .copied = has_word(words, "copy"),
        .form = has_word(words, "plain")      ? CRAWL_TEXT_FORM_PLAIN
                : has_word(words, "markdown") ? CRAWL_TEXT_FORM_MARKDOWN
                                              : CRAWL_TEXT_FORM_NONE,
    };
    size_t count = paths.count < most ? paths.count : most;
    crawl_buf *pages = calloc(count, sizeof *pages);
    size_t bytes = 0;
    for (size_t i = 0; pages && i < count; i++) {
        read_file(paths.all[i], &pages[i]);
        bytes += pages[i].size;
    }
    if (!pages)
        fail("no memory");
    read_all(&todo, pages, count);
    printf("%s: %zu pages, %zu bytes; instructions / %.3f are thousands for 36 KiB\n", words, count, bytes,
           (double)bytes / UNIT * 1000);
    for (size_t i = 0; i < count; i++)
        crawl_buf_free(&pages[i]);
    free(pages);
    return 0;
}

/* --- comparing --- */

static bool is_same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_same_link(const crawl_link *a, const crawl_link *b)
{
    return crawl_slice_equal(a->href, b->href) && crawl_slice_equal(a->rel, b->rel) &&
           crawl_slice_equal(a->text, b->text) && is_same(a->tag, b->tag) && is_same(a->attr, b->attr) &&
           a->kind == b->kind && a->nofollow == b->nofollow;
}

static bool has_same_links(const crawl_page *a, const crawl_page *b)
{
    size_t of_a, of_b;
    const crawl_link *links_a = crawl_page_links(a, &of_a);
    const crawl_link *links_b = crawl_page_links(b, &of_b);
    bool same = of_a == of_b;
    for (size_t i = 0; same && i < of_a; i++)
        same = is_same_link(&links_a[i], &links_b[i]);
    return same;
}

static bool is_same_page(const crawl_page *a, const crawl_page *b)
{
    return has_same_links(a, b) && crawl_slice_equal(crawl_page_text(a), crawl_page_text(b)) &&
           crawl_slice_equal(crawl_page_title(a), crawl_page_title(b)) &&
           crawl_slice_equal(crawl_page_canonical(a), crawl_page_canonical(b)) &&
           crawl_slice_equal(crawl_url_href(crawl_page_base(a)), crawl_url_href(crawl_page_base(b))) &&
           crawl_page_robots(a) == crawl_page_robots(b) && is_same(crawl_page_charset(a), crawl_page_charset(b));
}

static bool is_read_alike(crawl_slice html, work todo)
{
    read_page(&readers[0], &todo, html);
    todo.apart = true;
    read_page(&readers[1], &todo, html);
    return is_same_page(readers[0].page, readers[1].page) && crawl_slice_equal(readers[0].text, readers[1].text) &&
           crawl_slice_equal(crawl_buf_slice(&readers[0].json), crawl_buf_slice(&readers[1].json)) &&
           crawl_text_is_cut(readers[0].maker) == crawl_text_is_cut(readers[1].maker);
}

static int compare(void)
{
    crawl_buf html = {0};
    size_t differ = 0, links = 0, bytes = 0, texts = 0;
    for (size_t i = 0; i < paths.count; i++) {
        bool same = true;
        read_file(paths.all[i], &html);
        for (unsigned way = 0; way < WAYS; way++) {
            const work todo = {.parts = way & 1,
                               .link_texts = way & 4,
                               .data_wanted = way & 8,
                               .form = way & 2 ? CRAWL_TEXT_FORM_MARKDOWN : CRAWL_TEXT_FORM_PLAIN};
            same = is_read_alike(crawl_buf_slice(&html), todo) && same;
            size_t count;
            crawl_page_links(readers[0].page, &count);
            links += count;
            texts += readers[0].text.size;
        }
        bytes += html.size;
        differ += !same;
        if (!same)
            printf("%s\n", paths.all[i]);
    }
    printf("%zu pages, %zu MiB, each in 16 ways: %zu links, %zu MiB of text; pages that differ: %zu\n", paths.count,
           bytes >> 20, links, texts >> 20, differ);
    crawl_buf_free(&html);
    return differ ? 1 : 0;
}

int main(int argc, char **argv)
{
    bool comparing = argc == 3 && strcmp(argv[1], "compare") == 0;
    if (!comparing && (argc < 4 || strcmp(argv[1], "read") != 0))
        fail("compare FOLDER | read WORDS FOLDER [PAGES]");
    url = crawl_url_create();
    data = crawl_data_create();
    tree = crawl_tree_create();
    open_rules();
    for (size_t i = 0; i < 2; i++)
        readers[i] = (reader){.page = crawl_page_create(), .maker = crawl_text_maker_create()};
    for (size_t i = 0; i < 2; i++)
        if (!readers[i].page || crawl_page_set_lazy(readers[i].page, CRAWL_PAGE_LAZY))
            fail("no memory");
    if (!url || crawl_url_parse(url, crawl_slice_from("http://h.example/d/p.html"), NULL, NULL))
        fail("no memory");
    list_pages(argv[comparing ? 2 : 3], 0, INT32_MAX);
    int status = comparing ? compare() : measure(argv[2], argc > 4 ? strtoul(argv[4], NULL, 10) : PAGES);
    for (size_t i = 0; i < 2; i++) {
        crawl_page_free(readers[i].page);
        crawl_text_maker_free(readers[i].maker);
        crawl_buf_free(&readers[i].json);
        crawl_buf_free(&readers[i].copy);
    }
    crawl_data_free(data);
    crawl_extraction_free(extraction);
    crawl_rules_free(rules);
    crawl_tree_free(tree);
    crawl_url_free(url);
    return status;
}
