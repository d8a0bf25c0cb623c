/* See page_build.h. */
#include "parse/page_build.h"

#include "parse/page_words.h"
#include "parse/refresh.h"

#include "base/bytes.h"

#include <stdlib.h>

/* The elements with links. */
typedef struct link_source {
    const char *tag;
    const char *attr;
    crawl_link_kind kind;
    bool empty_counts; /* an empty value is the page itself; elsewhere it is no link (4.2.4, 4.8.5) */
} link_source;

static const link_source sources[] = {
    {"a", "href", CRAWL_LINK_A, true},           {"area", "href", CRAWL_LINK_AREA, true},
    {"link", "href", CRAWL_LINK_LINK, false},    {"frame", "src", CRAWL_LINK_FRAME, false},
    {"iframe", "src", CRAWL_LINK_IFRAME, false}, {"meta", "content", CRAWL_LINK_REFRESH, true},
};

enum { SOURCES = sizeof sources / sizeof sources[0], SOURCE_REFRESH = SOURCES - 1 };

/* Links that memory is kept for from one page to the next. */
enum { KEEP_LINKS = CW_PAGE_KEEP_BYTES / sizeof(crawl_link) };

/* --- memory --- */

static void trim_buf(crawl_buf *buf)
{
    if (buf->capacity > CW_PAGE_KEEP_BYTES)
        crawl_buf_free(buf);
    else
        crawl_buf_clear(buf);
}

static void trim_links(crawl_page *page)
{
    if (page->record_capacity <= KEEP_LINKS)
        return;
    free(page->records);
    page->records = NULL;
    page->record_capacity = 0;
    free(page->links);
    page->links = NULL;
    page->link_capacity = 0;
}

void cw_page_reset(crawl_page *page)
{
    trim_buf(&page->text);
    trim_buf(&page->decoded);
    trim_buf(&page->reduced);
    trim_links(page);
    page->link_count = 0;
    page->base_known = false;
    page->base_decided = false;
    page->charset = "utf-8";
    page->title = (cw_span){0};
    page->in_title = false;
    page->canonical = (cw_span){0};
    page->has_canonical = false;
    page->robots = 0;
    page->has_refresh = false;
    page->refresh_delay = 0;
    page->refresh_href = (cw_span){0};
    page->err = CRAWL_OK;
}

static bool fails(crawl_page *page, crawl_err err)
{
    if (err && !page->err)
        page->err = err;
    return err != CRAWL_OK;
}

static crawl_err keep_text(crawl_page *page, crawl_slice text, cw_span *span)
{
    cw_span kept = {page->text.size, text.size};
    crawl_err err = crawl_buf_append(&page->text, text.data, text.size);
    if (!err)
        *span = kept;
    return err;
}

static crawl_err grow_records(crawl_page *page)
{
    if (page->link_count < page->record_capacity)
        return CRAWL_OK;
    size_t capacity = page->record_capacity ? page->record_capacity * 2 : 64;
    cw_link_record *records = reallocarray(page->records, capacity, sizeof *records);
    if (!records)
        return CRAWL_ENOMEM;
    page->records = records;
    page->record_capacity = capacity;
    return CRAWL_OK;
}

/* --- links --- */

/* A link's value: data NULL where there is none to keep. */
static crawl_slice trimmed_value(const char *value)
{
    crawl_slice href = cw_trim(crawl_slice_from(value));
    return value && href.size <= CRAWL_PAGE_MAX_HREF ? href : (crawl_slice){0};
}

static crawl_err add_link(crawl_page *page, unsigned source, crawl_slice href, crawl_slice rel, cw_span *kept)
{
    cw_link_record record = {.source = (uint8_t)source, .nofollow = cw_has_token(rel, "nofollow")};
    crawl_err err = grow_records(page);
    if (!err)
        err = keep_text(page, href, &record.href);
    if (!err)
        err = keep_text(page, rel, &record.rel);
    if (err)
        return err;
    page->records[page->link_count++] = record;
    *kept = record.href;
    return CRAWL_OK;
}

/* The same, where there is room for one more. */
static crawl_err offer_link(crawl_page *page, unsigned source, crawl_slice href, crawl_slice rel, cw_span *kept)
{
    if (page->link_count < CRAWL_PAGE_MAX_LINKS)
        return add_link(page, source, href, rel, kept);
    return keep_text(page, href, kept);
}

static const char *attribute(const char *const *attributes, const char *name)
{
    for (; attributes && attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1] ? attributes[1] : "";
    return NULL;
}

static bool is_canonical(const crawl_page *page, unsigned source, crawl_slice rel)
{
    return sources[source].kind == CRAWL_LINK_LINK && !page->has_canonical && cw_has_token(rel, "canonical");
}

static void on_link(crawl_page *page, unsigned source, const char *const *attributes)
{
    const char *value = attribute(attributes, sources[source].attr);
    crawl_slice href = trimmed_value(value);
    if (!href.data || (!*value && !sources[source].empty_counts))
        return;
    crawl_slice rel = crawl_slice_from(attribute(attributes, "rel"));
    bool canonical = is_canonical(page, source, rel);
    if (!canonical && page->link_count >= CRAWL_PAGE_MAX_LINKS)
        return;
    cw_span kept;
    if (fails(page, offer_link(page, source, href, rel, &kept)) || !canonical)
        return;
    page->has_canonical = true;
    page->canonical = kept;
}

/* --- what speaks of the document --- */

/* HTML standard, 4.2.3: the first <base> with href decides, and one that is no URL, or none to resolve against, says that the
 * page's own URL is the base. */
static bool base_allowed(const crawl_url *url)
{
    crawl_slice scheme = crawl_url_scheme(url);
    return !crawl_slice_equal(scheme, crawl_slice_from("data")) && !crawl_slice_equal(scheme, crawl_slice_from("javascript"));
}

static void on_base(crawl_page *page, const char *const *attributes)
{
    const char *href = attribute(attributes, "href");
    if (!href || page->base_decided)
        return;
    page->base_decided = true;
    const crawl_url *fallback = page->base_known ? page->base : NULL;
    crawl_err err = crawl_url_parse(page->proposed, crawl_slice_from(href), fallback, page->charset);
    if (err == CRAWL_ENOMEM)
        fails(page, err);
    if (err || !base_allowed(page->proposed))
        return;
    crawl_url *before = page->base;
    page->base = page->proposed;
    page->proposed = before;
    page->base_known = true;
}

static void on_refresh(crawl_page *page, const char *content)
{
    double delay;
    crawl_slice href;
    if (page->has_refresh || cw_refresh_parse(crawl_slice_from(content), &delay, &href) || href.size > CRAWL_PAGE_MAX_HREF)
        return;
    if (fails(page, offer_link(page, SOURCE_REFRESH, href, crawl_slice_of("", 0), &page->refresh_href)))
        return;
    page->has_refresh = true;
    page->refresh_delay = delay;
}

static bool is_value(const char *value, const char *wanted)
{
    return value && cw_equal_nocase(crawl_slice_from(value), crawl_slice_from(wanted));
}

static void on_meta(crawl_page *page, const char *const *attributes)
{
    const char *content = attribute(attributes, "content");
    if (!content)
        return;
    if (is_value(attribute(attributes, "http-equiv"), "refresh"))
        on_refresh(page, content);
    const char *name = attribute(attributes, "name");
    if (name && cw_equal_nocase(cw_trim(crawl_slice_from(name)), crawl_slice_from("robots")))
        page->robots |= cw_robots_directives(crawl_slice_from(content));
}

/* --- title --- */

static void on_title(crawl_page *page)
{
    page->in_title = true;
    page->title = (cw_span){page->text.size, 0};
}

/* At most CRAWL_PAGE_MAX_TITLE bytes of the title, not ending inside a character. */
static void cut_title(crawl_page *page)
{
    if (page->title.size <= CRAWL_PAGE_MAX_TITLE)
        return;
    const char *title = page->text.data + page->title.at;
    size_t size = CRAWL_PAGE_MAX_TITLE;
    while (size && ((unsigned char)title[size] & 0xc0) == 0x80)
        size--;
    page->title.size = cw_trim(crawl_slice_of(title, size)).size;
}

/* A run of white space is one space, at the start none; the one that may be left at the end goes when the title ends. */
static crawl_err add_title_byte(crawl_page *page, char c)
{
    bool space = cw_is_space((unsigned char)c);
    size_t size = page->text.size - page->title.at;
    bool after_space = size && page->text.data[page->text.size - 1] == ' ';
    if (!space)
        return crawl_buf_append_char(&page->text, c);
    return after_space || !size ? CRAWL_OK : crawl_buf_append_char(&page->text, ' ');
}

static void on_text(void *user, const char *text, size_t size)
{
    crawl_page *page = user;
    for (size_t i = 0; page->in_title && i < size; i++)
        if (fails(page, add_title_byte(page, text[i])))
            return;
}

static void on_end(void *user, const char *name)
{
    crawl_page *page = user;
    if (!page->in_title || strcmp(name, "title") != 0)
        return;
    page->in_title = false;
    page->title.size = page->text.size - page->title.at;
    if (page->title.size && page->text.data[page->text.size - 1] == ' ')
        page->title.size--;
    cut_title(page);
}

/* --- elements --- */

static void on_start(void *user, const char *name, const char *const *attributes)
{
    crawl_page *page = user;
    if (page->err)
        return;
    for (unsigned i = 0; i < SOURCE_REFRESH; i++) {
        if (strcmp(name, sources[i].tag) == 0) {
            on_link(page, i, attributes);
            return;
        }
    }
    if (strcmp(name, "base") == 0)
        on_base(page, attributes);
    else if (strcmp(name, "meta") == 0)
        on_meta(page, attributes);
    else if (strcmp(name, "title") == 0)
        on_title(page);
}

const cw_sax_events cw_page_events = {on_start, on_end, on_text};

/* --- the end --- */

static crawl_err grow_links(crawl_page *page)
{
    if (page->link_count <= page->link_capacity)
        return CRAWL_OK;
    crawl_link *links = reallocarray(page->links, page->record_capacity, sizeof *links);
    if (!links)
        return CRAWL_ENOMEM;
    page->links = links;
    page->link_capacity = page->record_capacity;
    return CRAWL_OK;
}

crawl_err cw_page_finish(crawl_page *page)
{
    crawl_err err = grow_links(page);
    for (size_t i = 0; i < page->link_count && !err; i++) {
        const cw_link_record *record = &page->records[i];
        const link_source *source = &sources[record->source];
        page->links[i] = (crawl_link){
            .href = cw_page_slice(page, record->href),
            .rel = cw_page_slice(page, record->rel),
            .tag = source->tag,
            .attr = source->attr,
            .kind = source->kind,
            .nofollow = record->nofollow,
        };
    }
    return err;
}
