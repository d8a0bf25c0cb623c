/* A page from its bytes to its links: decode, extract, collect. See <crawl/links.h>. */
#include "base/bytes.h"
#include "parse/data/data_facts.h"
#include "parse/html/html_reference.h"
#include "parse/page/page_build.h"
#include "parse/sitemap/doctype.h"

#include <crawl/css.h>
#include <stdlib.h>

/* Links that memory is kept for from one page to the next. */
enum { KEEP_LINKS = CW_PAGE_KEEP_BYTES / sizeof(crawl_link) };

/* --- memory --- */

static void trim_links(crawl_page *page)
{
    if (page->link_capacity <= KEEP_LINKS)
        return;
    free(page->links);
    page->links = NULL;
    page->link_capacity = 0;
}

/* Forgets the previous page. */
static void page_reset(crawl_page *page)
{
    cw_buf_trim(&page->text, CW_PAGE_KEEP_BYTES);
    cw_buf_trim(&page->decoded, CW_PAGE_KEEP_BYTES);
    cw_buf_trim(&page->reduced, CW_PAGE_KEEP_BYTES);
    cw_buf_trim(&page->values, CW_PAGE_KEEP_BYTES);
    cw_buf_trim(&page->parts.value, CW_PAGE_KEEP_BYTES);
    cw_buf_trim(&page->ids, CW_PAGE_KEEP_BYTES);
    cw_data_facts_reset(&page->facts, CW_PAGE_KEEP_BYTES);
    page->ids_cut = false;
    trim_links(page);
    cw_html_texts_reset(&page->texts, CW_PAGE_KEEP_BYTES);
    page->parts.form_posts = false;
    page->parts.nesting = 0;
    page->open_link = SIZE_MAX;
    page->link_count = 0;
    page->links_cut = false;
    page->base_known = false;
    page->base_decided = false;
    page->charset = "utf-8";
    page->title = (cw_page_span){0};
    page->canonical = (cw_page_span){0};
    page->has_canonical = false;
    page->robots = 0;
    cw_buf_trim(&page->uses, CW_PAGE_KEEP_BYTES);
    page->has_license = false;
    page->has_rsl = false;
    page->has_script = false;
    cw_buf_trim(&page->scripts.stream, CW_PAGE_KEEP_BYTES);
    page->scripts.guesses = 0;
    page->has_refresh = false;
    page->refresh_delay = 0;
    page->refresh_href = (cw_page_span){0};
    page->err = CRAWL_OK;
}

crawl_page *crawl_page_create(void)
{
    crawl_page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->base = crawl_url_create();
    page->proposed = crawl_url_create();
    page->extractor = CRAWL_EXTRACTOR_SCAN;
    page->kinds = CRAWL_LINK_ALL;
    if (!page->base || !page->proposed) {
        crawl_page_free(page);
        return NULL;
    }
    page_reset(page);
    return page;
}

void crawl_page_free(crawl_page *page)
{
    if (!page)
        return;
    crawl_buf_free(&page->text);
    crawl_buf_free(&page->decoded);
    crawl_buf_free(&page->reduced);
    crawl_buf_free(&page->values);
    crawl_buf_free(&page->agent);
    crawl_buf_free(&page->parts.names);
    crawl_buf_free(&page->parts.value);
    crawl_buf_free(&page->ids);
    crawl_buf_free(&page->uses);
    crawl_buf_free(&page->scripts.stream);
    cw_data_facts_free(&page->facts);
    cw_html_texts_free(&page->texts);
    free(page->links);
    crawl_url_free(page->base);
    crawl_url_free(page->proposed);
    cw_charset_decoder_close(&page->decoder);
    free(page);
}

void crawl_page_set_extractor(crawl_page *page, crawl_extractor extractor)
{
    page->extractor = extractor;
}

void crawl_page_set_kinds(crawl_page *page, unsigned kinds)
{
    page->kinds = kinds & CRAWL_LINK_EVERY;
}

void crawl_page_set_text(crawl_page *page, unsigned texts)
{
    page->texts.wanted = texts & (CRAWL_TEXT_LINKS | CRAWL_TEXT_PAGE);
}

void crawl_page_set_ids(crawl_page *page, bool wanted)
{
    page->wants_ids = wanted;
}

void crawl_page_set_data(crawl_page *page, bool wanted)
{
    page->facts.wanted = wanted;
}

crawl_err crawl_page_set_agent(crawl_page *page, const char *agent)
{
    crawl_buf copy = {0};
    crawl_err err = agent ? crawl_buf_append_text(&copy, agent) : CRAWL_OK;
    if (err)
        return err;
    crawl_buf_free(&page->agent);
    page->agent = copy;
    return CRAWL_OK;
}

/* --- the extractor scan: passes what the walk over a page finds directly to the page's links --- */

static crawl_err page_on_element(void *user, const cw_html_element *element, const cw_html_values *raw)
{
    crawl_page *page = user;
    cw_html_values values;
    crawl_err err = cw_html_decode_values(raw, &page->values, &values);
    return err ? err : cw_page_element(page, element, &values);
}

static crawl_err page_on_title(void *user, crawl_slice text)
{
    crawl_page *page = user;
    crawl_buf_clear(&page->values);
    crawl_err err = cw_html_decode(&page->values, text, CW_IN_TITLE);
    return err ? err : cw_page_set_title(page, crawl_buf_slice(&page->values));
}

static crawl_err page_on_anchor_ended(void *user, crawl_slice text)
{
    return cw_page_set_link_text(user, text);
}

static crawl_err read_by_scan(crawl_page *page, crawl_slice text, bool xml, const cw_html_every *also)
{
    cw_html_visitor visitor = {
        .user = page,
        .wanted = cw_page_wanted(page->kinds),
        .xml = xml,
        .element = page_on_element,
        .title = page_on_title,
        .script = cw_page_on_script,
        .owner = page,
    };
    cw_page_listeners(page, xml, also, visitor.every);
    if (page->texts.wanted) {
        visitor.texts = &page->texts;
        page->texts.anchor_ended = page_on_anchor_ended;
        page->texts.user = page;
    }
    return cw_html_walk(text, &visitor);
}

crawl_err cw_page_by_scan_inside(crawl_page *page, crawl_slice text)
{
    cw_html_visitor visitor = {
        .user = page,
        .wanted = cw_page_wanted(page->kinds) & ~(1u << CW_ID_META | 1u << CW_ID_BASE),
        .element = page_on_element,
        .every = {cw_page_every(page)},
    };
    return cw_html_walk(text, &visitor);
}

/* --- parsing --- */

/* For XML, skips what a DOCTYPE declares: markup in the text of an entity does not belong to the page. */
static crawl_err page_extract(crawl_page *page, crawl_slice text, crawl_document document, const cw_html_every *also)
{
    bool xml = document == CRAWL_DOCUMENT_XHTML || document == CRAWL_DOCUMENT_SVG;
    if ((xml || document == CRAWL_DOCUMENT_FEED) && text.size) {
        crawl_err err = cw_page_add_sheets(page, text);
        if (err)
            return err;
        text = cw_sitemap_behind_prolog(text);
    }
    if (document == CRAWL_DOCUMENT_FEED)
        return cw_starts_with(cw_trim_start(text), "{") ? cw_page_by_json_feed(page, text)
                                                        : cw_page_by_feed(page, text);
    if (document == CRAWL_DOCUMENT_CSS)
        return cw_page_by_css(page, text);
    if (document == CRAWL_DOCUMENT_SCRIPT)
        return cw_page_on_script(page, text);
    crawl_err err = page->extractor == CRAWL_EXTRACTOR_LIBXML2 ? cw_page_by_libxml2(page, text, xml, also)
                                                               : read_by_scan(page, text, xml, also);
    return err ? err : cw_page_end_scripts(page, text, xml);
}

static crawl_err page_take_url(crawl_page *page, const crawl_url *url)
{
    crawl_err err = url ? crawl_url_copy(page->base, url) : CRAWL_OK;
    page->base_known = url && !err;
    return err;
}

crawl_err cw_page_decode(crawl_page *page, crawl_document document, crawl_slice bytes, const crawl_url *url,
                         const char *charset, crawl_slice *text)
{
    page_reset(page);
    bool valid = false;
    page->charset = document == CRAWL_DOCUMENT_CSS ? crawl_css_charset(bytes, charset, NULL)
                                                   : cw_charset_sniff(bytes, charset, &valid);
    valid = valid && document != CRAWL_DOCUMENT_CSS;
    *text = bytes;
    crawl_err err = page_take_url(page, url);
    if (!err && !valid)
        err = cw_charset_decode(&page->decoder, page->charset, bytes, &page->decoded, text);
    if (err)
        page_reset(page);
    return err;
}

crawl_err cw_page_read(crawl_page *page, crawl_document document, crawl_slice text, const cw_html_every *also)
{
    crawl_err err = page_extract(page, text, document, also);
    if (!err)
        err = cw_data_listen_end(&page->facts);
    if (err)
        page_reset(page);
    else
        cw_page_finish(page);
    return err;
}

crawl_err crawl_page_parse_as(crawl_page *page, crawl_document document, crawl_slice bytes, const crawl_url *url,
                              const char *charset)
{
    crawl_slice text;
    crawl_err err = cw_page_decode(page, document, bytes, url, charset, &text);
    return err ? err : cw_page_read(page, document, text, NULL);
}

crawl_err crawl_page_parse(crawl_page *page, crawl_slice html, const crawl_url *url, const char *charset)
{
    return crawl_page_parse_as(page, CRAWL_DOCUMENT_HTML, html, url, charset);
}

/* --- results --- */

const crawl_link *crawl_page_links(const crawl_page *page, size_t *count)
{
    *count = page->link_count;
    return page->links ? &page->links->link : NULL;
}

bool crawl_page_links_cut(const crawl_page *page)
{
    return page->links_cut;
}

const crawl_url *crawl_page_base(const crawl_page *page)
{
    return page->base_known ? page->base : NULL;
}

const char *crawl_page_charset(const crawl_page *page)
{
    return page->charset;
}

crawl_slice crawl_page_title(const crawl_page *page)
{
    return cw_page_slice(page, page->title);
}

crawl_slice crawl_page_text(const crawl_page *page)
{
    return cw_html_text_cut(crawl_buf_slice(&page->texts.page));
}

unsigned crawl_page_robots(const crawl_page *page)
{
    return page->robots;
}

crawl_slice crawl_page_ids(const crawl_page *page, bool *cut)
{
    *cut = page->ids_cut;
    return crawl_buf_slice(&page->ids);
}

crawl_slice crawl_page_canonical(const crawl_page *page)
{
    return cw_page_slice(page, page->canonical);
}

bool crawl_page_refresh(const crawl_page *page, double *delay, crawl_slice *href)
{
    if (!page->has_refresh)
        return false;
    *delay = page->refresh_delay;
    *href = cw_page_slice(page, page->refresh_href);
    return true;
}
