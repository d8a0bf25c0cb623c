/* The links in scripts: see CRAWL_LINK_SCRIPTS of <crawl/links.h>, and parse/script/. */
#include "parse/page/page_build.h"

#include "parse/html/html_reference.h"
#include "parse/html/html_token.h"
#include "parse/script/script_find.h"
#include "parse/script/script_url.h"

#include "base/bytes.h"

#define NAMED_ROW(name) {CW_ID_OTHER, CW_PAGE_ONE, 0, CRAWL_LINK_SCRIPT_DATA, "script", #name},

static const cw_page_source named_rows[] = {CW_SCRIPT_VALUES(NAMED_ROW) CW_SCRIPT_CALLS(NAMED_ROW)};
static const cw_page_source guess_row = {CW_ID_OTHER, CW_PAGE_ONE, 0, CRAWL_LINK_SCRIPT_TEXT, "script", "string"};
static const cw_page_source form_row = {CW_ID_OTHER, CW_PAGE_ONE, 0, CRAWL_LINK_FORM, "script", "action"};
static const cw_page_source file_row = {CW_ID_OTHER, CW_PAGE_ONE, 0, CRAWL_LINK_SCRIPT, "script", "src"};

typedef struct page_script {
    crawl_page *page;
    const cw_page_source *row; /* the attribute that contains the code; NULL: it is that of a <script> */
} page_script;

static crawl_err page_script_found(void *user, crawl_slice url, int name)
{
    const page_script *script = user;
    crawl_page *page = script->page;
    if (name == CW_SCRIPT_FILE || name == CW_SCRIPT_FORM) {
        const cw_page_source *row = name == CW_SCRIPT_FILE ? &file_row : &form_row;
        return page->kinds & (unsigned)row->kind ? cw_page_add_value(page, row, url, (crawl_slice){0}) : CRAWL_OK;
    }
    const cw_page_source *row = script->row ? script->row : name < 0 ? &guess_row : &named_rows[name];
    if (name < 0 && (page->scripts.guesses == CW_SCRIPT_MAX_GUESSES || !(page->kinds & CRAWL_LINK_SCRIPT_TEXT)))
        return CRAWL_OK;
    page->scripts.guesses += name < 0;
    return cw_page_add_value(page, row, url, (crawl_slice){0});
}

static cw_script_finder finder_of(page_script *script)
{
    const crawl_page *page = script->page;
    return (cw_script_finder){
        .user = script,
        .found = page_script_found,
        .guesses = !script->row && (page->kinds & CRAWL_LINK_SCRIPT_TEXT),
        .host = page->base_known ? crawl_url_hostname(page->base) : (crawl_slice){0},
    };
}

/* An import map (HTML standard, 8.1.6.2) only names parts of the page. */
static bool is_import_map(crawl_slice text)
{
    if (!cw_take_text(&text, "{"))
        return false;
    text = cw_trim(text);
    return cw_starts_with(text, "\"imports\"") || cw_starts_with(text, "\"scopes\"");
}

/* Removes what hides a script from old browsers (ECMA-262, B.1.1), or from readers of XML. */
static crawl_slice page_script_unwrap(crawl_slice text)
{
    if (cw_starts_with(text, "<!--"))
        cw_cut_line(&text);
    else
        cw_take_text(&text, "<![CDATA[");
    return cw_trim(text);
}

crawl_err cw_page_on_script(void *owner, crawl_slice text)
{
    crawl_page *page = owner;
    page_script script = {page, NULL};
    text = cw_trim(text);
    page->has_script = true;
    page->has_rsl |= cw_starts_with(text, "<rsl");
    text = page_script_unwrap(text);
    bool is_read =
        text.size && text.data[0] != '<' && (page->kinds & (CRAWL_LINK_SCRIPT_DATA | CRAWL_LINK_SCRIPT_TEXT));
    if (!is_read || is_import_map(text))
        return CRAWL_OK;
    bool is_piece;
    cw_script_finder finder = finder_of(&script);
    crawl_err err = cw_script_flight(text, &page->scripts.stream, &is_piece);
    if (!err && !is_piece)
        err = cw_script_find(text, &finder);
    return err || is_piece ? err : cw_script_find_flat(text, &finder);
}

static crawl_err search_stream(crawl_page *page)
{
    page_script script = {page, NULL};
    cw_script_finder finder = finder_of(&script);
    crawl_slice stream = crawl_buf_slice(&page->scripts.stream);
    return stream.size ? cw_script_find(stream, &finder) : CRAWL_OK;
}

/* --- attributes --- */

#define ROW(form, tag, attr)                                  \
    {                                                         \
        0, CW_PAGE_##form, 0, CRAWL_LINK_DATA_HREF, tag, attr \
    }

/* Attributes that scripts take URLs of pages from, and those that are scripts. */
static const cw_page_source attribute_rows[] = {
    ROW(NAMED, "*", "data-href"),       ROW(NAMED, "*", "data-url"),
    ROW(NAMED, "*", "data-link"),       ROW(NAMED, "*", "data-permalink"),
    ROW(NAMED, "*", "routerlink"),      ROW(NAMED, "option", "value"),
    ROW(CODE, "*", "onclick"),          ROW(CODE, "*", "onmousedown"),
    ROW(CODE, "*", "ondblclick"),       ROW(CODE, "a", "href"),
    ROW(CODE, "astro-island", "props"),
};
enum { ATTRIBUTE_ROWS = sizeof attribute_rows / sizeof *attribute_rows };
static const cw_page_source custom_row = ROW(NAMED, "*", "href");
static const cw_page_source json_row = ROW(CODE, "*", "json");

static bool is_json(crawl_slice text)
{
    return cw_starts_with(text, "{") || cw_starts_with(text, "[");
}

/* Custom elements make links of their own, and any attribute may hold JSON. NULL: it is of no interest. */
static const cw_page_source *page_script_row_of(const cw_html_token *token, bool is_custom, crawl_slice attribute,
                                                crawl_slice value)
{
    const cw_page_source *row = cw_page_row_of(attribute_rows, ATTRIBUTE_ROWS, token, attribute);
    if (!row && is_custom && cw_is_nocase(attribute, "href"))
        row = &custom_row;
    return row || !is_json(cw_trim_start(value)) ? row : &json_row;
}

/* The value of an <option> may be anything. */
static crawl_err add_named(crawl_page *page, const cw_page_source *row, crawl_slice value)
{
    bool is_url = cw_script_is_named_url(value, 0) && (*row->tag == '*' || cw_starts_with(value, "/"));
    return is_url ? cw_page_add_value(page, row, value, (crawl_slice){0}) : CRAWL_OK;
}

static crawl_err add_code(crawl_page *page, const cw_page_source *row, crawl_slice code)
{
    if (!strcmp(row->attr, "href") && !cw_starts_nocase(cw_trim(code), "javascript:"))
        return CRAWL_OK;
    page_script script = {page, row};
    cw_script_finder finder = finder_of(&script);
    finder.is_handler = !is_json(cw_trim_start(code));
    return cw_script_find(code, &finder);
}

static crawl_err take_attribute(crawl_page *page, const cw_page_source *row, crawl_slice raw)
{
    crawl_buf *text = &page->parts.value;
    crawl_buf_clear(text);
    crawl_err err = raw.size > CW_HTML_MAX_RAW_VALUE ? CRAWL_OK : cw_html_decode(text, raw, CW_IN_ATTRIBUTE);
    if (err)
        return err;
    crawl_slice value = crawl_buf_slice(text);
    return row->form == CW_PAGE_CODE ? add_code(page, row, value) : add_named(page, row, cw_trim(value));
}

static crawl_err page_script_on_tag(void *user, const cw_html_token *token)
{
    crawl_slice attribute, value;
    crawl_err err = CRAWL_OK;
    if (token->tag.closing)
        return err;
    bool is_custom = cw_find_char(token->tag.name, '-') < token->tag.name.size;
    for (cw_html_cursor rest = cw_html_first_of(token->attributes);
         !err && cw_html_next_of(&rest, &attribute, &value);) {
        const cw_page_source *row = page_script_row_of(token, is_custom, attribute, value);
        if (row && !(token->in_template && cw_html_has_blank(value)))
            err = take_attribute(user, row, value);
    }
    return err;
}

/* A separate walk, which pages without scripts are spared. */
static crawl_err search_attributes(crawl_page *page, crawl_slice text, bool xml)
{
    const cw_html_every every = {.user = page, .tag = page_script_on_tag};
    const cw_html_visitor visitor = {.xml = xml, .every = {&every}};
    bool is_wanted = page->has_script && (page->kinds & CRAWL_LINK_DATA_HREF);
    return is_wanted ? cw_html_walk(text, &visitor) : CRAWL_OK;
}

crawl_err cw_page_end_scripts(crawl_page *page, crawl_slice text, bool xml)
{
    crawl_err err = search_stream(page);
    return err ? err : search_attributes(page, text, xml);
}

bool crawl_page_is_scripted(const crawl_page *page)
{
    const unsigned links = CRAWL_LINK_A | CRAWL_LINK_AREA | CRAWL_LINK_FRAME | CRAWL_LINK_IFRAME | CRAWL_LINK_REFRESH;
    for (size_t i = 0; i < page->link_count; i++)
        if ((unsigned)page->links[i].link.kind & links)
            return false;
    return page->has_script;
}
