/* A page from its bytes to its links: decode, reduce, parse, gather. See <crawl/links.h>. */
#include "parse/html_reduce.h"
#include "parse/page_build.h"

#include <stdlib.h>

crawl_page *crawl_page_create(void)
{
    crawl_page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->base = crawl_url_create();
    page->proposed = crawl_url_create();
    if (!page->base || !page->proposed) {
        crawl_page_free(page);
        return NULL;
    }
    cw_page_reset(page);
    return page;
}

void crawl_page_free(crawl_page *page)
{
    if (!page)
        return;
    crawl_buf_free(&page->text);
    crawl_buf_free(&page->decoded);
    crawl_buf_free(&page->reduced);
    free(page->records);
    free(page->links);
    crawl_url_free(page->base);
    crawl_url_free(page->proposed);
    cw_decoder_close(&page->decoder);
    free(page);
}

static crawl_err feed(void *sax, crawl_slice piece)
{
    return cw_sax_feed(sax, piece);
}

static crawl_err parse_text(crawl_page *page, crawl_slice text)
{
    cw_sax *sax = cw_sax_open(&cw_page_events, page);
    if (!sax)
        return CRAWL_ENOMEM;
    crawl_err err = cw_html_reduce(text, &page->reduced, feed, sax);
    crawl_err closed = cw_sax_close(sax);
    if (!err)
        err = closed;
    return err ? err : page->err;
}

static crawl_err take_url(crawl_page *page, const crawl_url *url)
{
    crawl_err err = url ? crawl_url_copy(page->base, url) : CRAWL_OK;
    page->base_known = url && !err;
    return err;
}

crawl_err crawl_page_parse(crawl_page *page, crawl_slice html, const crawl_url *url, const char *charset)
{
    cw_page_reset(page);
    page->charset = crawl_charset_sniff(html, charset);
    crawl_slice text;
    crawl_err err = take_url(page, url);
    if (!err)
        err = cw_decode(&page->decoder, page->charset, html, &page->decoded, &text);
    if (!err)
        err = parse_text(page, text);
    if (!err)
        err = cw_page_finish(page);
    if (err)
        cw_page_reset(page);
    return err;
}

const crawl_link *crawl_page_links(const crawl_page *page, size_t *count)
{
    *count = page->link_count;
    return page->links;
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

unsigned crawl_page_robots(const crawl_page *page)
{
    return page->robots;
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
