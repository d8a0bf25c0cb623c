/* Pages that load more when a reader scrolls. Instead of scrolling, the view grows to the height of the page, so that
 * all of it is visible: endless lists add entries, and lazy pictures load. 16 pixels are left out and cause one real
 * scroll event. If the page is in a scrolling box as tall as the view, as in applications, the box grows with the view.
 * Smaller boxes grow to the height of their content, by an animation that leaves no trace in the DOM: lists that keep
 * only visible rows have all of them then. */
#include "render/render_page.h"

#include <stdio.h>

/* 12,000 pixels are more than eight screens; an endless list is asked three times. */
enum { GROWTHS_MAX = 3, HEIGHT_MAX = 12000, HEIGHT_FIRST = 1024, HEIGHT_LEFT = 16 };

/* Ten boxes grow, to 4,000 pixels each. Boxes below 48 pixels are menus and fields. */
static const char growth_small[] =
    "(()=>{let n=0;for(const e of Document.prototype.getElementsByTagName.call(document,'*')){"
    "const h=Math.min(e.scrollHeight,4000)-16;"
    "if(h<=e.clientHeight||e.clientHeight<48||e.clientWidth<48||2*e.clientHeight>innerHeight||"
    "/^(TEXTAREA|SELECT)$/.test(e.tagName)||!['auto','scroll'].includes(getComputedStyle(e).overflowY))continue;"
    "e.animate({minHeight:h+'px'},{duration:1,fill:'both',id:'crawl'}).finish();e.scrollTop=0;e.scrollTop=16;"
    "if(++n===10)break}return n})()";

/* The boxes that may hold the page: those in the middle of the view. */
#define GROWTH_BOXES                                                                                  \
    "document.elementsFromPoint(innerWidth/2,innerHeight/2).filter(e=>2*e.clientHeight>innerHeight&&" \
    "['auto','scroll'].includes(getComputedStyle(e).overflowY))"

/* Resets the boxes for the picture, which shows the sizes that a reader sees. */
static const char growth_back[] = "Document.prototype.getAnimations.call(document).forEach(a=>a.id==='crawl'&&"
                                  "(a.cancel(),a.effect.target.scrollTop=0))";

static void growth_ignore(void *, uint64_t, const cw_render_reply *)
{
}

static void growth_wait(cw_render_page *page)
{
    page->growths++;
    cw_render_clock_extend(page);
}

static void growth_has_boxes(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    page->has_grown_boxes = cw_render_number(result, CW_RENDER_NAME("value")) > 0;
}

static void growth_grow(cw_render_page *page, int height, long long world)
{
    char params[400];
    page->height = height;
    snprintf(params, sizeof params,
             "{\"width\":1280,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false,\"dontSetVisibleSize\":true}",
             height - HEIGHT_LEFT);
    cw_render_page_send(page, "Emulation.setDeviceMetricsOverride", params, growth_ignore, 0);
    snprintf(params, sizeof params,
             "{\"contextId\":%lld,\"expression\":\"scrollTo(0,0);scrollTo(0,%d);" GROWTH_BOXES
             ".map(e=>{e.scrollTop=0;e.scrollTop=%d})\"}",
             world, height, HEIGHT_LEFT);
    cw_render_page_send(page, "Runtime.evaluate", params, growth_ignore, 0);
    growth_wait(page);
}

static void growth_has_height(void *owner, uint64_t world, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    double asked = cw_render_number(result, CW_RENDER_NAME("value"));
    int height = asked < HEIGHT_MAX ? (int)asked : HEIGHT_MAX;
    if (page->state != CW_RENDER_PAGE_RUNNING)
        return;
    if (height > page->height)
        growth_grow(page, height, (long long)world);
    else if (page->has_grown_boxes)
        growth_wait(page);
    else
        cw_render_click_look(page);
}

void cw_render_growth_take_back(cw_render_page *page, uint64_t world, cw_render_reply_fn on_reply)
{
    char params[200];
    snprintf(params, sizeof params, "{\"contextId\":%llu,\"expression\":\"%s\"}", (unsigned long long)world,
             growth_back);
    cw_render_page_send(page, "Runtime.evaluate", params, on_reply, 0);
}

static void growth_has_world(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    char params[800];
    double world = cw_render_number(reply->result, CW_RENDER_NAME("executionContextId"));
    if (page->state != CW_RENDER_PAGE_RUNNING)
        return;
    snprintf(params, sizeof params, "{\"contextId\":%.0f,\"returnByValue\":true,\"expression\":\"%s\"}", world,
             growth_small);
    cw_render_page_send(page, "Runtime.evaluate", params, growth_has_boxes, 0);
    snprintf(
        params, sizeof params,
        "{\"contextId\":%.0f,\"returnByValue\":true,\"expression\":\"Math.max(document.documentElement.scrollHeight,"
        "..." GROWTH_BOXES ".map(e=>innerHeight+e.scrollHeight-e.clientHeight))\"}",
        world);
    cw_render_page_send(page, "Runtime.evaluate", params, growth_has_height, (uint64_t)world);
}

void cw_render_growth_look(cw_render_page *page)
{
    if (!page->height)
        page->height = HEIGHT_FIRST;
    if (page->growths >= GROWTHS_MAX || page->clock.is_blind)
        cw_render_click_look(page);
    else
        cw_render_page_send_world(page, growth_has_world);
}
