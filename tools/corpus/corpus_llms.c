#include "tools/corpus/corpus_llms.h"

#include "base/bytes.h"

#include <stdlib.h>

/* Return the bytes of "https://host/folder/..." before the path, and those before the second "/" of the path. */
static size_t llms_host_size(const char *url)
{
    const char *host = strstr(url, "://");
    return host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : 0;
}

static size_t llms_folder_size(const char *url)
{
    size_t host = llms_host_size(url);
    size_t first = strcspn(url + host + (url[host] == '/'), "/?#") + host + (url[host] == '/');
    return url[host] == '/' && url[first] == '/' ? first : host;
}

/* Copies a text for a line of Markdown, so that neither the line nor a link in it ends within the text. */
static char *llms_copy(const char *text)
{
    char *copy = strdup(text ? text : "");
    for (char *at = copy; at && *at; at++) {
        if (cw_is_space((unsigned char)*at))
            *at = ' ';
        else if (*at == '[' || *at == ']')
            *at = *at == '[' ? '(' : ')';
    }
    return copy;
}

static void llms_free_page(cw_corpus_llms_page *page)
{
    free(page->url);
    free(page->title);
    free(page->note);
}

crawl_err cw_corpus_llms_add(cw_corpus_llms *llms, const char *url, const char *title, const char *note, int64_t depth)
{
    if (llms->count == llms->capacity) {
        size_t capacity = llms->capacity ? llms->capacity * 2 : 64;
        cw_corpus_llms_page *pages = realloc(llms->pages, capacity * sizeof *pages);
        if (!pages)
            return CRAWL_ENOMEM;
        llms->pages = pages;
        llms->capacity = capacity;
    }
    cw_corpus_llms_page page = {.url = strdup(url),
                                .title = llms_copy(title),
                                .note = llms_copy(note),
                                .folder = llms_folder_size(url),
                                .depth = depth};
    if (!page.url || !page.title || !page.note) {
        llms_free_page(&page);
        return CRAWL_ENOMEM;
    }
    llms->pages[llms->count++] = page;
    return CRAWL_OK;
}

static int compare_folders(const cw_corpus_llms_page *a, const cw_corpus_llms_page *b)
{
    int order = memcmp(a->url, b->url, a->folder < b->folder ? a->folder : b->folder);
    return order ? order : (a->folder > b->folder) - (a->folder < b->folder);
}

static int compare_pages(const void *a, const void *b)
{
    const cw_corpus_llms_page *one = a, *other = b;
    int order = compare_folders(one, other);
    if (!order)
        order = (one->depth > other->depth) - (one->depth < other->depth);
    return order ? order : strcmp(one->url, other->url);
}

/* Returns the end of a title from its last separator, such as " - Name of the site"; "": none. */
static const char *llms_end_of(const char *title)
{
    static const char *const signs[] = {" - ", " | ", " \xe2\x80\x93 ", " \xe2\x80\x94 ", " \xc2\xb7 ", " :: "};
    const char *end = "";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        for (const char *at = strstr(title, signs[i]); at; at = strstr(at + 1, signs[i]))
            end = !*end || at > end ? at : end;
    return end;
}

/* Returns the end shared by two thirds of the titles, and by at least three; "": none. The most common one is found by
 * the majority vote of Boyer and Moore, then counted. */
static const char *llms_common_end(const cw_corpus_llms *llms)
{
    enum { FEWEST = 3 };
    const char *common = "";
    size_t lead = 0, count = 0;
    for (size_t i = 0; i < llms->count; i++) {
        const char *end = llms_end_of(llms->pages[i].title);
        if (!lead)
            common = end;
        if (strcmp(end, common))
            lead--;
        else
            lead++;
    }
    for (size_t i = 0; i < llms->count; i++)
        count += !strcmp(llms_end_of(llms->pages[i].title), common);
    return count >= FEWEST && count >= llms->count - llms->count / 3 ? common : "";
}

static crawl_err llms_put_page(crawl_buf *line, const cw_corpus_llms_page *page, const char *common)
{
    crawl_slice title = crawl_slice_from(*page->title ? page->title : page->url);
    if (title.size > strlen(common) && cw_ends_with(title, common))
        title.size -= strlen(common);
    bool is_odd = strpbrk(page->url, "() ") != NULL;
    crawl_err err =
        crawl_buf_printf(line, is_odd ? "- [%.*s](<%s>)" : "- [%.*s](%s)", (int)title.size, title.data, page->url);
    if (!err && *page->note)
        err = crawl_buf_printf(line, ": %s", page->note);
    return err ? err : crawl_buf_append_char(line, '\n');
}

static crawl_err llms_put_section(crawl_buf *line, const cw_corpus_llms_page *page)
{
    size_t host = llms_host_size(page->url);
    bool is_folder = page->folder > host;
    crawl_slice name = crawl_slice_of(page->url, page->folder);
    name = is_folder ? cw_drop(name, host + 1) : cw_drop(name, (size_t)(strstr(page->url, "://") + 3 - page->url));
    return crawl_buf_printf(line, "\n## %.*s\n\n", (int)name.size, name.data);
}

crawl_err cw_corpus_llms_write(cw_corpus_llms *llms, FILE *out, size_t *listed)
{
    crawl_buf line = {0};
    crawl_err err = CRAWL_OK;
    size_t size = 0;
    qsort(llms->pages, llms->count, sizeof *llms->pages, compare_pages);
    const char *common = llms_common_end(llms);
    for (*listed = 0; *listed < llms->count && !err; (*listed)++) {
        const cw_corpus_llms_page *page = &llms->pages[*listed];
        crawl_buf_clear(&line);
        if (!*listed || compare_folders(page - 1, page))
            err = llms_put_section(&line, page);
        if (!err)
            err = llms_put_page(&line, page, common);
        size += line.size;
        if (err || size > CW_CORPUS_LLMS_MAX)
            break;
        fwrite(line.data, 1, line.size, out);
    }
    crawl_buf_free(&line);
    return err;
}

void cw_corpus_llms_free(cw_corpus_llms *llms)
{
    for (size_t i = 0; i < llms->count; i++)
        llms_free_page(&llms->pages[i]);
    free(llms->pages);
}
