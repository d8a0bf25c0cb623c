/* Reads a page at its end: the HTML of each frame, in a separate script world that the page's scripts cannot see, then
 * the picture. */
#include "render/render_page.h"

#include "base/array.h"
#include "base/json/json_read.h"
#include "base/json/json_write.h"

#include <stdio.h>
#include <stdlib.h>

static void read_next(cw_render_page *page);

/* Precedes the name of a frame: whether it is of the page's own origin. */
enum { READ_OWN = '+', READ_FOREIGN = '-' };

/* --- a frame --- */

/* Appends text, cut to the limit of all frames together. */
static size_t read_keep(cw_render_page *page, crawl_slice text, size_t *size)
{
    size_t at = page->texts.size, most = page->renderer->options.max_html_bytes;
    size_t left = at < most ? most - at : 0;
    *size = text.size;
    if (text.size > left) {
        for (*size = left; *size && ((unsigned char)text.data[*size] & 0xc0) == 0x80;) /* not inside a character */
            --*size;
        cw_render_page_lacks(page, CRAWL_RENDER_BYTES, "its HTML is too long");
    }
    if (crawl_buf_append(&page->texts, text.data, *size))
        *size = 0;
    return at;
}

static cw_render_read *read_latest(cw_render_page *page)
{
    return &page->reads[page->read_count - 1];
}

static void read_on(cw_render_page *page)
{
    page->frame_at += strlen(page->frame_ids.data + page->frame_at) + 1;
    read_next(page);
}

/* Drops a frame that went away meanwhile. Without the page itself, fails. */
static void read_give_up(cw_render_page *page)
{
    page->read_count--;
    if (page->read_count == 0)
        cw_render_page_fail(page, CRAWL_RENDER_CRASHED, "the page cannot be read");
    else
        read_on(page);
}

static void read_has_html(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_buf decoded = {0};
    crawl_slice html = cw_render_text(reply->result, CW_RENDER_NAME("outerHTML"), &decoded);
    if (html.size)
        read_latest(page)->html = read_keep(page, html, &read_latest(page)->html_size);
    crawl_buf_free(&decoded);
    if (html.size)
        read_on(page);
    else
        read_give_up(page);
}

static void read_has_document(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_buf params = {0}, decoded = {0};
    cw_writer out = {.out = &params};
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    crawl_slice id = cw_render_text(result, CW_RENDER_NAME("objectId"), &decoded);
    cw_json_text(&out, "{\"includeShadowDOM\":true,\"objectId\":", id);
    cw_put_char(&out, '}');
    if (id.size && !out.err)
        cw_render_page_send(page, "DOM.getOuterHTML", params.data, read_has_html, 0);
    else
        read_give_up(page);
    crawl_buf_free(&params);
    crawl_buf_free(&decoded);
}

/* Takes an array of the URL, the base, and the targets of posted forms. */
static void read_has_urls(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    json_t *urls = cw_json_read(cw_render_value(result, CW_RENDER_NAME("value")), NULL);
    const char *url = json_string_value(json_array_get(urls, 0)), *base = json_string_value(json_array_get(urls, 1));
    cw_render_read *read = read_latest(page);
    read->url = read_keep(page, crawl_slice_from(url), &read->url_size);
    read->base = read_keep(page, crawl_slice_from(base), &read->base_size);
    for (size_t i = 2; i < json_array_size(urls); i++)
        cw_render_page_drop_window(page, crawl_slice_from(json_string_value(json_array_get(urls, i))));
    json_decref(urls);
}

static void read_has_world(void *owner, uint64_t, const cw_render_reply *reply)
{
    /* Elements named "URL" or "baseURI" hide the document's own. */
    static const char urls[] = "(g=>[g('URL',Document),g('baseURI',Node)].concat(self.posted))((n,c)=>"
                               "Object.getOwnPropertyDescriptor(c.prototype,n).get.call(document))";
    cw_render_page *page = owner;
    char params[384];
    long long world = (long long)cw_render_number(reply->result, CW_RENDER_NAME("executionContextId"));
    if (!reply->result.size) {
        read_give_up(page);
        return;
    }
    snprintf(params, sizeof params, "{\"contextId\":%lld,\"returnByValue\":true,\"expression\":\"%s\"}", world, urls);
    cw_render_page_send(page, "Runtime.evaluate", params, read_has_urls, 0);
    snprintf(params, sizeof params, "{\"contextId\":%lld,\"expression\":\"document\"}", world);
    cw_render_page_send(page, "Runtime.evaluate", params, read_has_document, 0);
}

/* --- the picture --- */

static void read_has_picture(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_buf decoded = {0};
    crawl_slice data = cw_render_text(reply->result, CW_RENDER_NAME("screenshotData"), &decoded);
    if (cw_render_base64(data, &page->screenshot))
        crawl_buf_clear(&page->screenshot);
    crawl_buf_free(&decoded);
    cw_render_page_end(page);
}

/* A frame requested earlier may show the old boxes, since it does not wait for the page's scripts. */
static void read_has_small_boxes(void *owner, uint64_t, const cw_render_reply *)
{
    cw_render_clock_picture(owner, read_has_picture);
}

static void read_has_picture_world(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_growth_take_back(owner, (uint64_t)cw_render_number(reply->result, CW_RENDER_NAME("executionContextId")),
                               read_has_small_boxes);
}

/* Takes the picture after reading the HTML, because a page may drop content for which the boxes in the picture have no
 * room. */
static void read_picture(cw_render_page *page)
{
    if (!page->request.screenshot || page->lack == CRAWL_RENDER_BUSY || page->clock.is_blind)
        cw_render_page_end(page);
    else
        cw_render_page_send_world(page, read_has_picture_world);
}

/* --- choosing frames --- */

static void read_next(cw_render_page *page)
{
    crawl_buf params = {0};
    cw_writer out = {.out = &params};
    if (page->frame_at >= page->frame_ids.size || page->read_count >= page->renderer->options.max_frames) {
        read_picture(page);
        return;
    }
    if (CW_ARRAY_RESERVE(page->reads, page->read_capacity, page->read_count + 1, 4)) {
        cw_render_page_fail(page, CRAWL_RENDER_MEMORY, "");
        return;
    }
    const char *id = page->frame_ids.data + page->frame_at;
    page->reads[page->read_count++] = (cw_render_read){.is_own = *id == READ_OWN};
    cw_json_words(&out, "{\"worldName\":\"crawl\",\"frameId\":", id + 1);
    cw_put_char(&out, '}');
    cw_render_page_send(page, "Page.createIsolatedWorld", params.data ? params.data : "", read_has_world, 0);
    crawl_buf_free(&params);
}

static crawl_slice read_member(const json_t *frame, const char *name)
{
    return crawl_slice_from(json_string_value(json_object_get(frame, name)));
}

/* Returns true for a frame of the page's own origin. A document in an attribute belongs to its page, even if a sandbox
 * changes its origin. */
static bool read_is_own(const json_t *frame, crawl_slice origin, bool is_above_own)
{
    return is_above_own && (crawl_slice_equal(read_member(frame, "securityOrigin"), origin) ||
                            crawl_slice_equal(read_member(frame, "url"), crawl_slice_from("about:srcdoc")));
}

static crawl_err read_gather(const json_t *tree, crawl_slice origin, bool is_above_own, crawl_buf *ids)
{
    const json_t *frame = json_object_get(tree, "frame"), *children = json_object_get(tree, "childFrames");
    crawl_slice id = read_member(frame, "id");
    bool is_own = read_is_own(frame, origin, is_above_own);
    crawl_err err = crawl_buf_append_char(ids, is_own ? READ_OWN : READ_FOREIGN);
    if (!err)
        err = crawl_buf_append(ids, id.data, id.size);
    if (!err)
        err = crawl_buf_append_char(ids, '\0');
    for (size_t i = 0; i < json_array_size(children) && !err; i++)
        err = read_gather(json_array_get(children, i), origin, is_own, ids);
    return err;
}

static void read_has_frames(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    json_t *tree = cw_json_read(cw_render_value(reply->result, CW_RENDER_NAME("frameTree")), NULL);
    crawl_slice origin = read_member(json_object_get(tree, "frame"), "securityOrigin");
    crawl_err err = tree ? read_gather(tree, origin, true, &page->frame_ids) : CRAWL_OK;
    json_decref(tree);
    if (err || !page->frame_ids.size)
        cw_render_page_fail(page, err ? CRAWL_RENDER_MEMORY : CRAWL_RENDER_CRASHED, "the page cannot be read");
    else
        read_next(page);
}

void cw_render_read_begin(cw_render_page *page)
{
    page->state = CW_RENDER_PAGE_READING;
    cw_render_part_drop(page);
    cw_render_page_send(page, "Page.getFrameTree", NULL, read_has_frames, 0);
}

void cw_render_read_stop(cw_render_page *page)
{
    if (page->read_count && !read_latest(page)->html_size)
        page->read_count--;
    if (!page->read_count) {
        cw_render_page_fail(page, CRAWL_RENDER_BUSY, "it cannot be read: an endless script, or too many elements");
        return;
    }
    cw_render_page_lacks(page, CRAWL_RENDER_BUSY, "it did not answer while it was read");
    cw_render_page_end(page);
}
