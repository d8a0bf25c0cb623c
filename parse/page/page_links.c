/* The links of a page: which attributes of which elements are links, and what is kept of them. See page_build.h. */
#include "parse/page/page_build.h"

#include "base/array.h"
#include "parse/page/page_values.h"

#include "base/bytes.h"

#include <stdlib.h>

/* The rows of feeds, of <meta> and of SVG; they come first. */
enum { SOURCE_REFRESH, SOURCE_FEED, SOURCE_ENCLOSURE, SOURCE_XLINK, SOURCES_BY_NUMBER };

/* Sorted by id from there on. */
static const cw_page_source sources[] = {
    {CW_ID_OTHER, CW_PAGE_NONE, 0, CRAWL_LINK_REFRESH, "meta", "content"},
    {CW_ID_OTHER, CW_PAGE_NONE, 0, CRAWL_LINK_LINK, "link", "href"},
    {CW_ID_OTHER, CW_PAGE_NONE, 0, CRAWL_LINK_LINK, "enclosure", "url"},
    {CW_ID_A, CW_PAGE_ONE, CW_AT_XLINK_HREF, CRAWL_LINK_A, "a", "xlink:href"},

    {CW_ID_A, CW_PAGE_ONE_OR_SELF, CW_AT_HREF, CRAWL_LINK_A, "a", "href"},
    {CW_ID_AREA, CW_PAGE_ONE_OR_SELF, CW_AT_HREF, CRAWL_LINK_AREA, "area", "href"},
    {CW_ID_LINK, CW_PAGE_ONE, CW_AT_HREF, CRAWL_LINK_LINK, "link", "href"},
    {CW_ID_FRAME, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_FRAME, "frame", "src"},
    {CW_ID_IFRAME, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_IFRAME, "iframe", "src"},
    {CW_ID_IMG, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_IMG, "img", "src"},
    {CW_ID_IMG, CW_PAGE_SET, CW_AT_SRCSET, CRAWL_LINK_IMG, "img", "srcset"},
    {CW_ID_SOURCE, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_SOURCE, "source", "src"},
    {CW_ID_SOURCE, CW_PAGE_SET, CW_AT_SRCSET, CRAWL_LINK_SOURCE, "source", "srcset"},
    {CW_ID_SCRIPT, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_SCRIPT, "script", "src"},
    {CW_ID_FORM, CW_PAGE_ONE_OR_SELF, CW_AT_ACTION, CRAWL_LINK_FORM, "form", "action"},
    {CW_ID_VIDEO, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_VIDEO, "video", "src"},
    {CW_ID_VIDEO, CW_PAGE_ONE, CW_AT_POSTER, CRAWL_LINK_VIDEO, "video", "poster"},
    {CW_ID_AUDIO, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_AUDIO, "audio", "src"},
    {CW_ID_TRACK, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_TRACK, "track", "src"},
    {CW_ID_EMBED, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_EMBED, "embed", "src"},
    {CW_ID_OBJECT, CW_PAGE_ONE, CW_AT_DATA, CRAWL_LINK_OBJECT, "object", "data"},
    {CW_ID_INPUT, CW_PAGE_ONE, CW_AT_SRC, CRAWL_LINK_INPUT, "input", "src"},
    {CW_ID_BODY, CW_PAGE_ONE, CW_AT_BACKGROUND, CRAWL_LINK_BODY, "body", "background"},
};

enum { SOURCES = sizeof sources / sizeof sources[0] };

uint32_t cw_page_wanted(unsigned kinds)
{
    uint32_t wanted = 1u << CW_ID_META | 1u << CW_ID_BASE | 1u << CW_ID_LINK;
    for (unsigned i = SOURCES_BY_NUMBER; i < SOURCES; i++)
        if (kinds & (unsigned)sources[i].kind)
            wanted |= 1u << sources[i].id;
    return wanted;
}

/* --- records --- */

static cw_page_span page_links_put_text(crawl_page *page, crawl_slice text)
{
    cw_page_span span = {page->text.size, text.size};
    if (text.size)
        memcpy(page->text.data + page->text.size, text.data, text.size);
    page->text.size += text.size;
    return span;
}

static crawl_err page_links_keep(crawl_page *page, crawl_slice text, cw_page_span *span)
{
    crawl_err err = crawl_buf_reserve(&page->text, text.size);
    if (!err)
        *span = page_links_put_text(page, text);
    return err;
}

/* A link as it was found. */
typedef struct found_link {
    const cw_page_source *source;
    crawl_slice href;
    crawl_slice rel;
    crawl_slice type;
    bool for_anyone;
} found_link;

/* Pages hold small images as data: URLs, which cause no request. */
static bool is_content(const found_link *link)
{
    bool page = (unsigned)link->source->kind & CRAWL_LINK_PAGES;
    return !page && cw_starts_nocase(link->href, "data:");
}

/* Returns true if the link is of a wanted kind, and short enough. */
static bool page_links_is_kept(const crawl_page *page, const found_link *link)
{
    return (page->kinds & (unsigned)link->source->kind) && link->href.size <= CRAWL_PAGE_MAX_HREF && !is_content(link);
}

/* Commas separate too, as for Google: "space- or comma-separated". */
static void read_rel(crawl_page *page, crawl_slice rel, cw_page_link_record *record)
{
    while (rel.size) {
        crawl_slice word = cw_take_word(&rel, true);
        record->nofollow |= cw_is_nocase(word, "nofollow");
        page->has_license |= cw_is_nocase(word, "license");
    }
}

static crawl_err page_links_add(crawl_page *page, const found_link *link)
{
    if (!page_links_is_kept(page, link))
        return CRAWL_OK;
    page->links_cut = page->link_count == CRAWL_PAGE_MAX_LINKS;
    if (page->links_cut)
        return CRAWL_OK;
    crawl_err err = CW_ARRAY_RESERVE(page->links, page->link_capacity, page->link_count + 1, 64);
    if (!err)
        err = crawl_buf_reserve(&page->text, link->href.size + link->rel.size + link->type.size);
    if (err)
        return err;
    cw_page_link_record *record = &page->links[page->link_count++].record;
    record->href = page_links_put_text(page, link->href);
    record->rel = page_links_put_text(page, link->rel);
    record->type = page_links_put_text(page, link->type);
    record->text = (cw_page_span){0};
    record->source = link->source;
    record->for_anyone = link->for_anyone;
    record->nofollow = false;
    if (link->rel.size)
        read_rel(page, link->rel, record);
    return CRAWL_OK;
}

const cw_page_source *cw_page_row_of(const cw_page_source *first, size_t count, const cw_html_token *token,
                                     crawl_slice attribute)
{
    for (const cw_page_source *row = first; row < first + count; row++)
        if (cw_is_nocase(attribute, row->attr) && (*row->tag == '*' || cw_is_nocase(token->tag.name, row->tag)) &&
            (row->kind != CRAWL_LINK_SVG || token->svg))
            return row;
    return NULL;
}

/* --- elements --- */

static crawl_err take_canonical(crawl_page *page, const found_link *link)
{
    bool counts = !page->has_canonical && link->href.size <= CRAWL_PAGE_MAX_HREF &&
                  cw_has_word(link->rel, crawl_slice_from("canonical"), false);
    if (!counts)
        return CRAWL_OK;
    crawl_err err = page_links_keep(page, link->href, &page->canonical);
    page->has_canonical = !err;
    return err;
}

/* The links of a set share one copy of their rel. */
static crawl_err add_set(crawl_page *page, found_link link, crawl_slice set)
{
    const size_t first = page->link_count;
    crawl_err err = CRAWL_OK;
    while (!err && cw_page_srcset_next(&set, &link.href)) {
        err = page_links_add(page, &link);
        if (page->link_count > first)
            link.rel.size = 0;
    }
    for (size_t i = first + 1; i < page->link_count; i++) {
        page->links[i].record.rel = page->links[first].record.rel;
        page->links[i].record.nofollow = page->links[first].record.nofollow;
    }
    return err;
}

/* Separate from cw_page_add_value so that it is inlined into cw_page_add_links, the source of most links. */
static inline crawl_err add_value(crawl_page *page, found_link *link)
{
    const cw_page_source *source = link->source;
    crawl_slice value = link->href;
    link->href = cw_trim(value);
    if (source->form == CW_PAGE_SET)
        return add_set(page, *link, value);
    if (!value.size && source->form != CW_PAGE_ONE_OR_SELF)
        return CRAWL_OK;
    crawl_err err = page_links_add(page, link);
    if (!err && source->id == CW_ID_LINK && link->rel.size && !page->parts.nesting)
        err = take_canonical(page, link);
    return err;
}

crawl_err cw_page_add_value(crawl_page *page, const cw_page_source *source, crawl_slice value, crawl_slice rel)
{
    return add_value(page, &(found_link){.source = source, .href = value, .rel = rel});
}

/* Only <input type=image> loads its src, and only a form that is sent with GET is a link to its target. */
static bool is_in_use(const cw_html_element *element, const cw_html_values *values)
{
    crawl_slice method = cw_html_value(values, CW_AT_METHOD);
    if (element->id == CW_ID_FORM)
        return !cw_html_is_posted(method);
    return element->id != CW_ID_INPUT || cw_is_nocase(cw_html_value(values, CW_AT_TYPE), "image");
}

/* Stores the text in place of an image. */
static crawl_err put_alt(crawl_page *page, crawl_slice alt, cw_page_span *span)
{
    crawl_buf *words = &page->texts.scratch;
    crawl_buf_clear(words);
    crawl_err err = cw_html_text_collapse(words, alt, CRAWL_PAGE_MAX_LINK_TEXT);
    return err ? err : page_links_keep(page, cw_html_text_cut(crawl_buf_slice(words)), span);
}

/* Sets the text of the links from `first` on, if the element has one; that of an <a> is yet to come. */
static crawl_err add_texts(crawl_page *page, size_t first, const cw_html_element *element, const cw_html_values *values)
{
    crawl_slice alt = cw_html_value(values, CW_AT_ALT);
    if (element->id == CW_ID_A && !page->parts.nesting) /* the text of a document inside is not gathered */
        page->open_link = first < page->link_count ? first : SIZE_MAX;
    crawl_err err = CRAWL_OK;
    for (size_t i = first; i < page->link_count && alt.size && !err; i++)
        err = put_alt(page, alt, &page->links[i].record.text);
    return err;
}

crawl_err cw_page_set_link_text(crawl_page *page, crawl_slice text)
{
    size_t link = page->open_link;
    page->open_link = SIZE_MAX;
    return link < page->link_count ? page_links_keep(page, text, &page->links[link].record.text) : CRAWL_OK;
}

/* Records what a <link> says about its target. */
static void page_links_describe(found_link *link, const cw_html_values *values)
{
    link->type = cw_html_value(values, CW_AT_TYPE);
    link->for_anyone = !(values->found & (CW_AT_HREFLANG | CW_AT_MEDIA));
}

crawl_err cw_page_add_links(crawl_page *page, const cw_html_element *element, const cw_html_values *values)
{
    if (!is_in_use(element, values))
        return CRAWL_OK;
    size_t first = page->link_count;
    crawl_slice rel = cw_html_value(values, CW_AT_REL);
    crawl_err err = CRAWL_OK;
    if ((values->found & (CW_AT_HREF | CW_AT_XLINK_HREF)) == CW_AT_XLINK_HREF)
        err = cw_page_add_value(page, &sources[SOURCE_XLINK], cw_html_value(values, CW_AT_XLINK_HREF), rel);
    for (unsigned i = SOURCES_BY_NUMBER; i < SOURCES && sources[i].id <= element->id && !err; i++)
        if (sources[i].id == element->id && (values->found & sources[i].attribute)) {
            found_link link = {.source = &sources[i], .href = cw_html_value(values, sources[i].attribute), .rel = rel};
            if (element->id == CW_ID_LINK)
                page_links_describe(&link, values);
            err = add_value(page, &link);
        }
    return err || !(page->texts.wanted & CRAWL_TEXT_LINKS) ? err : add_texts(page, first, element, values);
}

/* --- others --- */

crawl_err cw_page_add_refresh(crawl_page *page, crawl_slice content)
{
    found_link link = {.source = &sources[SOURCE_REFRESH]};
    double delay;
    if (page->has_refresh || crawl_refresh_header(content, &delay, &link.href) || link.href.size > CRAWL_PAGE_MAX_HREF)
        return CRAWL_OK;
    crawl_err err = link.href.size ? page_links_add(page, &link) : CRAWL_OK; /* else it is of the page itself, whatever
                                                                                its base */
    if (!err)
        err = page_links_keep(page, link.href, &page->refresh_href);
    if (err)
        return err;
    page->has_refresh = true;
    page->refresh_delay = delay;
    return CRAWL_OK;
}

crawl_err cw_page_add_feed_link(crawl_page *page, crawl_slice href, crawl_slice rel, crawl_slice type, bool enclosure)
{
    found_link link = {
        .source = &sources[enclosure ? SOURCE_ENCLOSURE : SOURCE_FEED],
        .href = cw_trim(href),
        .rel = rel,
        .type = type,
    };
    return link.href.size ? page_links_add(page, &link) : CRAWL_OK;
}

/* --- the end --- */

void cw_page_finish(crawl_page *page)
{
    for (size_t i = 0; i < page->link_count; i++) {
        const cw_page_link_record record = page->links[i].record;
        page->links[i].link = (crawl_link){
            .href = cw_page_slice(page, record.href),
            .rel = cw_page_slice(page, record.rel),
            .type = cw_page_slice(page, record.type),
            .text = cw_page_slice(page, record.text),
            .tag = record.source->tag,
            .attr = record.source->attr,
            .kind = record.source->kind,
            .nofollow = record.nofollow,
            .for_anyone = record.for_anyone,
        };
    }
}
