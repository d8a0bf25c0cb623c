#include "tools/mcp/fetched.h"

#include "base/bytes.h"
#include "base/json/json_read.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/holds.h"
#include "tools/mcp/outgoing.h"

#include <crawl/css.h>
#include <crawl/links.h>
#include <stdlib.h>

static void fetched_free(cw_mcp_page *page)
{
    free(page->key);
    json_decref(page->facts);
    crawl_buf_free(&page->text);
    *page = (cw_mcp_page){0};
}

void cw_mcp_fetched_forget(cw_mcp_server *server)
{
    for (size_t i = 0; i < CW_MCP_PAGES; i++)
        fetched_free(&server->pages[i]);
}

cw_mcp_page *cw_mcp_fetched_find(cw_mcp_server *server, const char *key)
{
    for (size_t i = 0; i < CW_MCP_PAGES; i++)
        if (server->pages[i].key && strcmp(server->pages[i].key, key) == 0)
            return &server->pages[i];
    return NULL;
}

static void fetched_add_facts(cw_mcp_page *page, const json_t *record)
{
    static const char *const names[] = {"url",      "redirect",    "status",  "content_type", "fetched_at",
                                        "error",    "detail",      "verdict", "wall",         "may",
                                        "withheld", "withheld_by", "text_cut"};
    page->facts = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = json_object_get(record, names[i]);
        if (json_is_string(value))
            json_object_set_new(page->facts, names[i],
                                cw_mcp_clean(crawl_slice_of(json_string_value(value), json_string_length(value))));
        else if (value && !json_is_null(value))
            json_object_set(page->facts, names[i], value);
    }
    const char *url = json_string_value(json_object_get(record, "url"));
    crawl_slice to = crawl_slice_from(json_string_value(json_object_get(record, "redirect")));
    if (url && cw_is(cw_cut(&to, '#'), url))
        json_object_set_new(page->facts, "detail", json_string("it redirects to itself"));
    json_int_t status = json_integer_value(json_object_get(record, "status"));
    page->failed = status < 200 || status >= 300 || json_object_get(page->facts, "error") ||
                   json_object_get(page->facts, "verdict") || json_object_get(page->facts, "withheld");
}

static bool fetched_is_text(const char *type)
{
    static const char *const ends[] = {"/json", "+json", "/xml", "+xml", "/javascript", "/yaml", "/x-ndjson"};
    crawl_slice slice = crawl_slice_from(type);
    for (size_t i = 0; type && i < sizeof ends / sizeof *ends; i++)
        if (cw_ends_with(slice, ends[i]))
            return true;
    return type && cw_starts_with(slice, "text/");
}

/* Adds a text in the encoding that its server names, or that its beginning shows. */
static void fetched_add_text(cw_mcp_page *page, const json_t *record, crawl_slice body)
{
    crawl_buf storage = {0};
    crawl_slice text, type = crawl_slice_from(json_string_value(json_object_get(record, "content_type_header")));
    const char *charset = crawl_charset_sniff(body, crawl_charset_of_content_type(type));
    cw_tool_memory_must(crawl_css_decode(body, charset, &storage, &text));
    cw_mcp_clean_into(text, &page->text);
    crawl_buf_free(&storage);
}

/* Adds the text of an answer that is text, but not HTML. */
static void fetched_add_body(cw_mcp_page *page, const json_t *record, const crawl_buf *folder)
{
    enum { MOST = 1 << 20 };
    crawl_buf path = {0}, body = {0};
    const char *name = json_string_value(json_object_get(record, "body"));
    if (!name || !fetched_is_text(json_string_value(json_object_get(record, "content_type"))))
        return;
    cw_tool_memory_must(crawl_buf_printf(&path, CW_MCP_BODIES "/%s", name));
    cw_mcp_handles_read(folder, path.data, MOST, &body);
    if (body.size == MOST)
        json_object_set_new(page->facts, "text_cut", json_true());
    fetched_add_text(page, record, crawl_buf_slice(&body));
    crawl_buf_free(&path);
    crawl_buf_free(&body);
}

/* Adds the links that a reader could follow, once each. */
static void fetched_add_links(cw_mcp_page *page, const crawl_buf *folder)
{
    enum { MOST = 4 << 20 };
    crawl_buf file = {0};
    json_t *seen = json_object();
    cw_mcp_handles_read(folder, CW_MCP_LINKS, MOST, &file);
    cw_tool_memory_must(crawl_buf_append_text(&page->text, "\n\nLinks:\n"));
    for (crawl_slice rest = crawl_buf_slice(&file); rest.size;) {
        json_t *link = cw_json_read(cw_cut_line(&rest), NULL);
        const char *tag = json_string_value(json_object_get(link, "tag"));
        const char *to = json_string_value(json_object_get(link, "to"));
        if (to && tag && (strcmp(tag, "a") == 0 || strcmp(tag, "area") == 0) && !json_object_get(seen, to)) {
            json_object_set_new(seen, to, json_true());
            cw_tool_memory_must(crawl_buf_append_text(&page->text, "- "));
            cw_mcp_clean_into(crawl_slice_from(json_string_value(json_object_get(link, "text"))), &page->text);
            cw_tool_memory_must(crawl_buf_printf(&page->text, " <%s>\n", to));
        }
        json_decref(link);
    }
    json_decref(seen);
    crawl_buf_free(&file);
}

cw_mcp_page *cw_mcp_fetched_keep(cw_mcp_job *job, const char *key, const json_t *record, const crawl_buf *folder)
{
    cw_mcp_server *server = job->server;
    cw_mcp_page *page = cw_mcp_fetched_find(server, key);
    if (!page)
        page = &server->pages[server->next_page++ % CW_MCP_PAGES];
    fetched_free(page);
    page->key = cw_tool_memory_copy(key);
    fetched_add_facts(page, record);
    const char *title = json_string_value(json_object_get(record, "title"));
    const json_t *text = json_object_get(record, "text");
    if (title) {
        cw_tool_memory_must(crawl_buf_append_text(&page->text, "Title: "));
        cw_mcp_clean_into(crawl_slice_from(title), &page->text);
        cw_tool_memory_must(crawl_buf_append_text(&page->text, "\n\n"));
    }
    if (text)
        cw_mcp_clean_into(crawl_slice_of(json_string_value(text), json_string_length(text)), &page->text);
    else if (folder)
        fetched_add_body(page, record, folder);
    if (folder && cw_mcp_flag(job, "links"))
        fetched_add_links(page, folder);
    return page;
}

void cw_mcp_fetched_show(cw_mcp_job *job, const cw_mcp_page *page)
{
    json_t *facts = json_copy(page->facts);
    cw_mcp_holds_tell(job, facts);
    cw_mcp_answer_part(job, facts, crawl_buf_slice(&page->text), page->failed);
}
