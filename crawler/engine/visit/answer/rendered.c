#include "crawler/engine/visit/answer/documents.h"

#include "base/array.h"
#include "base/bytes.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/visit/answer/claim.h"

#include <stdlib.h>

/* ---- the page ---- */

bool cw_visit_rendered_is(const cw_visit *visit)
{
    const cw_renders_page *page = visit->rendered;
    return page && !page->failed && page->frame_count;
}

crawl_slice cw_visit_rendered_or_body(const cw_visit *visit, const crawl_response *response)
{
    return cw_visit_rendered_is(visit) ? visit->rendered->frames[0].html : response->body;
}

void cw_visit_rendered_begin(cw_visit_reading *reading)
{
    cw_visit *visit = reading->visit;
    const cw_renders_page *page = visit->rendered;
    reading->body = reading->response->body;
    reading->is_rendered = cw_visit_rendered_is(visit);
    if (!page)
        return;
    crawl_record_render *render = &reading->render;
    *render = (crawl_record_render){
        .outcome = !reading->is_rendered ? "failed"
                   : page->lack          ? "cut"
                                         : "whole",
        .why = page->why,
        .lack = page->words,
        .parts = page->parts,
        .asked = page->asked,
        .cached = page->cached,
        .elapsed_ms = page->elapsed_ms,
        .waited_ms = page->waited_ms,
    };
    reading->record.render = render;
    if (!reading->is_rendered)
        return;
    reading->body = render->html = page->frames[0].html;
    render->picture = page->screenshot;
    render->has_digest = cw_visit_claim_digest(visit->claim, &render->digest) ||
                         !crawl_fingerprint_bytes(visit->maker->judge.fingerprinter, render->html, &render->digest);
}

/* Returns the URL of a document, for reading its <base>, which frame->base already contains. A document in an attribute
 * has only a base. NULL: neither is a URL. */
static const crawl_url *rendered_url(const cw_visit_reading *reading, const crawl_render_frame *frame)
{
    crawl_url *url = reading->visit->maker->judge.url;
    if (!crawl_url_parse(url, frame->url, NULL, NULL) && crawl_url_is_http(url))
        return url;
    return crawl_url_parse(url, frame->base, NULL, NULL) ? NULL : url;
}

const crawl_url *cw_visit_rendered_url(const cw_visit_reading *reading)
{
    const crawl_url *url = reading->is_rendered ? rendered_url(reading, &reading->visit->rendered->frames[0]) : NULL;
    return url ? url : reading->visit->url;
}

/* ---- texts of frames ---- */

static crawl_err rendered_add_text(cw_visit_reading *reading, const crawl_text_options *of_page,
                                   const crawl_render_frame *frame)
{
    crawl_slice text;
    crawl_buf *texts = &reading->frame_texts;
    crawl_text_options options = *of_page;
    options.url = rendered_url(reading, frame);
    crawl_err err = crawl_text_make(reading->texts, frame->html, &options, &text);
    if (err || !text.size)
        return err;
    if (texts->size + text.size >= CRAWL_TEXT_MAX) {
        reading->record.text_cut = true;
        return CRAWL_OK;
    }
    reading->record.text_cut |= crawl_text_is_cut(reading->texts);
    if (texts->size)
        err = crawl_buf_append_char(texts, '\n');
    return err ? err : crawl_buf_append(texts, text.data, text.size);
}

crawl_err cw_visit_rendered_add_texts(cw_visit_reading *reading, const crawl_text_options *of_page)
{
    const cw_renders_page *page = reading->visit->rendered;
    crawl_slice own = reading->record.text;
    if (page->frame_count < 2)
        return CRAWL_OK;
    crawl_buf_clear(&reading->frame_texts);
    crawl_err err = crawl_buf_append(&reading->frame_texts, own.data, own.size);
    for (size_t i = 1; i < page->frame_count && !err; i++)
        if (page->frames[i].is_own)
            err = rendered_add_text(reading, of_page, &page->frames[i]);
    reading->record.text = crawl_buf_slice(&reading->frame_texts);
    return err;
}

/* ---- links outside the document ---- */

typedef struct rendered_links {
    cw_visit_reading *reading;
    crawl_err err;
} rendered_links;

/* Adds a link to url, with copies of its texts, since the page that it is of is parsed into again. */
static void rendered_add(rendered_links *links, crawl_slice url, const crawl_link *link)
{
    cw_visit_reading *reading = links->reading;
    crawl_buf *text = &reading->rendered.text;
    if (links->err ||
        CW_ARRAY_RESERVE(reading->rendered.links, reading->rendered.room, reading->rendered.count + 1, 16) ||
        crawl_buf_append(text, url.data, url.size) || crawl_buf_append(text, link->rel.data, link->rel.size) ||
        crawl_buf_append(text, link->type.data, link->type.size) ||
        crawl_buf_append(text, link->attr, strlen(link->attr) + 1)) {
        links->err = CRAWL_ENOMEM;
        return;
    }
    crawl_link *own = &reading->rendered.links[reading->rendered.count++];
    *own = *link;
    own->href = url;
    own->text = (crawl_slice){0};
}

static crawl_slice rendered_take(const char **at, size_t size)
{
    crawl_slice text = crawl_slice_of(*at, size);
    *at += size;
    return text;
}

/* Call when all links are added: until then their texts may move. */
static void rendered_place_texts(cw_visit_reading *reading)
{
    const char *at = reading->rendered.text.data;
    for (size_t i = 0; i < reading->rendered.count; i++) {
        crawl_link *link = &reading->rendered.links[i];
        link->href = rendered_take(&at, link->href.size);
        link->rel = rendered_take(&at, link->rel.size);
        link->type = rendered_take(&at, link->type.size);
        link->attr = rendered_take(&at, strlen(at) + 1).data;
    }
}

static bool rendered_is_nofollow(const cw_renders_page *page, crawl_slice url)
{
    crawl_slice rest = crawl_buf_slice(&page->nofollow);
    url.size = cw_find_char(url, '#');
    while (rest.size)
        if (crawl_slice_equal(cw_cut(&rest, '\0'), url))
            return true;
    return false;
}

static void rendered_add_frame(rendered_links *links, const crawl_render_frame *frame)
{
    cw_visit_reading *reading = links->reading;
    crawl_url *url = reading->visit->maker->judge.url;
    crawl_page *page = reading->visit->maker->gate;
    size_t count;
    const crawl_url *own = links->err ? NULL : rendered_url(reading, frame);
    if (!own)
        return;
    links->err = crawl_page_parse_as(page, CRAWL_DOCUMENT_HTML, frame->html, own, "utf-8");
    if (links->err)
        return;
    const crawl_link *found = crawl_page_links(page, &count);
    bool is_nofollow =
        (crawl_page_robots(page) & CRAWL_ROBOTS_NOFOLLOW) || rendered_is_nofollow(reading->visit->rendered, frame->url);
    for (size_t i = 0; i < count; i++) {
        crawl_link link = found[i];
        link.nofollow |= is_nofollow;
        if (!crawl_url_parse(url, link.href, crawl_page_base(page), crawl_page_charset(page)))
            rendered_add(links, crawl_url_href(url), &link);
    }
}

/* Adds a place where a script would have gone. */
static void rendered_add_way(rendered_links *links, const crawl_render_link *way)
{
    bool is_refresh = strcmp(way->how, "refresh") == 0;
    const crawl_link link = {.tag = "script", .attr = way->how, .kind = is_refresh ? CRAWL_LINK_REFRESH : CRAWL_LINK_A};
    rendered_add(links, way->url, &link);
}

void cw_visit_rendered_list(cw_visit_reading *reading, cw_links_list *list)
{
    const cw_renders_page *page = reading->visit->rendered;
    rendered_links links = {.reading = reading};
    *list = (cw_links_list){0};
    if (!reading->is_rendered)
        return;
    for (size_t i = 1; i < page->frame_count; i++)
        rendered_add_frame(&links, &page->frames[i]);
    for (size_t i = 0; i < page->link_count; i++)
        rendered_add_way(&links, &page->links[i]);
    rendered_place_texts(reading);
    if (links.err)
        cw_engine_fail(cw_visit_engine(reading->visit), links.err, "no memory for the links of a rendered page");
    *list = (cw_links_list){.links = reading->rendered.links,
                            .count = reading->rendered.count,
                            .base = reading->visit->url,
                            .base_is_http = true};
}

void cw_visit_rendered_stop(cw_visit_reading *reading)
{
    free(reading->rendered.links);
    crawl_buf_free(&reading->rendered.text);
    reading->rendered.links = NULL;
    reading->rendered.count = reading->rendered.room = 0;
}
