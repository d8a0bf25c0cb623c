#include "tools/corpus/corpus_llms.h"

#include "base/bytes.h"

#include <stdlib.h>

/* From "https://host/folder/..." the bytes before the path, and those before the second "/" of it. */
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

/* A line of Markdown must not end in a title, nor a link in it. */
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

/* Bytes at the end of each title that all pages share, from a sign that separates: " - Name of the site". */
static size_t llms_shared_end(const cw_corpus_llms *llms)
{
    static const char *const signs[] = {" - ", " | ", " \xe2\x80\x93 ", " \xe2\x80\x94 ", " \xc2\xb7 ", " :: "};
    enum { FEWEST = 3 }; /* of two pages anything may be the same */
    const char *first = llms->count >= FEWEST ? llms->pages[0].title : "";
    size_t size = strlen(first), shared = size, end = 0;
    for (size_t i = 1; i < llms->count; i++) {
        const char *title = llms->pages[i].title;
        size_t own = strlen(title), same = 0;
        while (same < shared && same < own && title[own - 1 - same] == first[size - 1 - same])
            same++;
        shared = same;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *at = strstr(first + size - shared, signs[i]);
        size_t found = at ? strlen(at) : 0;
        end = found > end ? found : end;
    }
    return end;
}

static crawl_err llms_put_page(crawl_buf *line, const cw_corpus_llms_page *page, size_t shared_end)
{
    size_t size = strlen(page->title);
    size -= size > shared_end ? shared_end : 0;
    const char *title = size ? page->title : page->url;
    bool is_odd = strpbrk(page->url, "() ") != NULL;
    crawl_err err = crawl_buf_printf(line, is_odd ? "- [%.*s](<%s>)" : "- [%.*s](%s)",
                                     (int)(size ? size : strlen(title)), title, page->url);
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
    size_t shared_end = llms_shared_end(llms);
    qsort(llms->pages, llms->count, sizeof *llms->pages, compare_pages);
    for (*listed = 0; *listed < llms->count && !err; (*listed)++) {
        const cw_corpus_llms_page *page = &llms->pages[*listed];
        crawl_buf_clear(&line);
        if (!*listed || compare_folders(page - 1, page))
            err = llms_put_section(&line, page);
        if (!err)
            err = llms_put_page(&line, page, shared_end);
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
