/* Pages that keep what they show in IndexedDB. It answers by the wall's clock, from a thread of its own, and the page's
 * clock does not wait for it: on a loaded machine the page would be read before. So after each of the page's steps a
 * question of ours follows those of the page, and until it is answered the clock goes on by the least step alone, in
 * which the page takes up what was answered. */
#include "render/render_page.h"

#include "base/bytes.h"

#include <stdio.h>

/* The least steps of a page: two seconds at 20 ms, for databases that never answer. */
enum { STORAGE_STEPS_MAX = 100 };

void cw_render_storage_note(cw_render_page *page, crawl_slice text)
{
    page->storage.is_named = page->storage.is_named || cw_find_text(text, "indexedDB") < text.size;
}

static void storage_has_answer(void *owner, uint64_t world, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    (void)world;
    page->storage.is_asked = false;
    page->storage.waits = cw_render_is_true(result, CW_RENDER_NAME("value"));
}

/* True: the last question is not answered yet. Otherwise another one is asked: twice, because what a page asks for may
 * take two turns of that thread. */
static void storage_has_world(void *owner, uint64_t tag, const cw_render_reply *reply)
{
    static const char question[] =
        "(s=>s.asks||(s.asks=true,indexedDB.databases().then(()=>indexedDB.databases()).finally(()=>s.asks=false),"
        "false))(self)";
    cw_render_page *page = owner;
    char params[256];
    (void)tag;
    snprintf(params, sizeof params, "{\"contextId\":%.0f,\"returnByValue\":true,\"expression\":\"%s\"}",
             cw_render_number(reply->result, CW_RENDER_NAME("executionContextId")), question);
    cw_render_page_send(page, "Runtime.evaluate", params, storage_has_answer, 0);
}

void cw_render_storage_ask(cw_render_page *page)
{
    if (!page->storage.is_named || page->storage.is_asked)
        return;
    page->storage.is_asked = true;
    cw_render_page_send_world(page, storage_has_world);
}

bool cw_render_storage_waits(cw_render_page *page)
{
    return page->storage.waits && page->storage.steps++ < STORAGE_STEPS_MAX;
}
