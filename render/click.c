/* Clicks elements whose content a page shows only after a click: more of a list, the panel of a tab, or the page
 * behind a cookie banner. When the page is quiet, one element of each path is clicked, and the page gets time; then
 * the next. So an element that ignores clicks while it loads is not clicked too early, and a limit ends a page that
 * always has more. The events are made in our own script world, without user activation: features that browsers
 * reserve for users stay closed. If a click leads elsewhere, part.c makes a link of it. */
#include "render/render_page.h"

#include "base/bytes.h"
#include "base/json/json_write.h"

enum { CLICKS_MAX = 20 };

/* Returns the number of clicked elements. Looks them up from each of the `tops`: the document, documents of
 * same-origin frames, and elements in open shadow roots, which a path cannot reach. An element is clicked again if
 * its last click added elements, unless a second click would close it. Sends the whole sequence, since some elements
 * listen for the press and others for the click. From then on no form is submitted, but a listener that the page
 * added before may still read it. */
static const char click_script[] =
    "(paths=>{"
    "if(!Object.hasOwn(self,'clicked')){self.clicked=new WeakMap;self.guarded=new WeakSet}"
    "const guard=w=>{if(!w||guarded.has(w))return;guarded.add(w);"
    "w.addEventListener('submit',e=>{e.preventDefault();e.stopImmediatePropagation()},true)};"
    "let size=0;const tops=[],look=t=>{const d=t.nodeType===9;d&&guard(t.defaultView);tops.push(...d?[t]:t.children);"
    "const all=(d?Document:DocumentFragment).prototype.querySelectorAll.call(t,'*');size+=all.length;"
    "for(const e of all){const s=e.shadowRoot||e.contentDocument;s&&(s.nodeType===9||s.nodeType===11)&&look(s)}};"
    "look(document);"
    "const o={bubbles:true,cancelable:true,composed:true,view:self};"
    "const may=e=>e.nodeType===1&&!e.disabled&&e.checkVisibility()&&(!clicked.has(e)||"
    "clicked.get(e)<size&&!e.matches('[aria-expanded],[aria-selected],[role=tab],summary'));"
    "const click=e=>{clicked.set(e,size);for(const k of ['pointerdown','mousedown','pointerup','mouseup','click'])"
    "e.dispatchEvent(new(k[0]==='p'?PointerEvent:MouseEvent)(k,o))};"
    "const of=p=>{const l=[];for(const t of tops){const f=new XPathEvaluator().evaluate(p,t,null,7,null);"
    "for(let i=0;i<f.snapshotLength;i++)may(f.snapshotItem(i))&&l.push(f.snapshotItem(i))}"
    "return l.find(e=>!clicked.has(e))||l[0]};"
    "return paths.map(p=>{const e=of(p);e&&click(e);return e}).filter(e=>e).length"
    "})(";

static void click_has_clicked(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_slice result = cw_render_value(reply->result, CW_RENDER_NAME("result"));
    if (page->state != CW_RENDER_PAGE_RUNNING)
        return;
    if (cw_render_number(result, CW_RENDER_NAME("value")) > 0)
        cw_render_clock_extend(page);
    else
        cw_render_read_begin(page);
}

static void click_has_world(void *owner, uint64_t, const cw_render_reply *reply)
{
    cw_render_page *page = owner;
    crawl_buf script = {0}, params = {0};
    cw_writer text = {.out = &script}, out = {.out = &params};
    if (page->state != CW_RENDER_PAGE_RUNNING)
        return;
    cw_put_text(&text, click_script);
    cw_put(&text, crawl_buf_slice(&page->renderer->clicks));
    cw_put_char(&text, ')');
    cw_json_int(&out,
                "{\"contextId\":", (int64_t)cw_render_number(reply->result, CW_RENDER_NAME("executionContextId")));
    cw_json_text(&out, ",\"returnByValue\":true,\"expression\":", crawl_buf_slice(&script));
    cw_put_char(&out, '}');
    if (text.err || out.err)
        cw_render_page_fail(page, CRAWL_RENDER_MEMORY, "");
    else
        cw_render_page_send(page, "Runtime.evaluate", params.data, click_has_clicked, 0);
    crawl_buf_free(&script);
    crawl_buf_free(&params);
}

void cw_render_click_look(cw_render_page *page)
{
    if (!page->renderer->clicks.size || page->clicks >= CLICKS_MAX) {
        cw_render_read_begin(page);
        return;
    }
    page->clicks++;
    cw_render_page_send_world(page, click_has_world);
}

crawl_err cw_render_click_write(const crawl_render_options *options, crawl_buf *out)
{
    cw_writer writer = {.out = out};
    crawl_slice rest = options->clicks;
    for (const char *before = "["; rest.size; before = ",")
        cw_json_text(&writer, before, cw_cut(&rest, '\0'));
    if (options->clicks.size)
        cw_put_char(&writer, ']');
    return writer.err;
}
