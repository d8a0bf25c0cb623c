/* The links that scripts hold: see CRAWL_LINK_SCRIPTS of <crawl/links.h>, and parse/script/. */
#include "parse/page/page_build.h"

#include "parse/script/script_find.h"
#include "parse/script/script_url.h"

#include "base/bytes.h"

#define ROW_OF(name) {CW_ID_OTHER, CW_PAGE_ONE, 0, CRAWL_LINK_SCRIPT_DATA, "script", #name},

static const cw_page_source named_rows[] = {CW_SCRIPT_VALUES(ROW_OF) CW_SCRIPT_CALLS(ROW_OF)};
static const cw_page_source guess_row = {CW_ID_OTHER, CW_PAGE_ONE, 0, CRAWL_LINK_SCRIPT_TEXT, "script", "string"};

typedef struct page_script {
    crawl_page *page;
    const cw_page_source *row; /* the attribute that the code stands in; NULL: it is that of a <script> */
} page_script;

static crawl_err page_script_found(void *user, crawl_slice url, int name)
{
    const page_script *script = user;
    crawl_page *page = script->page;
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

/* An import map (HTML standard, 8.1.6.2) names parts of the page alone. */
static bool is_import_map(crawl_slice text)
{
    if (!cw_take_text(&text, "{"))
        return false;
    text = cw_trim(text);
    return cw_starts_with(text, "\"imports\"") || cw_starts_with(text, "\"scopes\"");
}

crawl_err cw_page_on_script(void *owner, crawl_slice text)
{
    crawl_page *page = owner;
    page_script script = {page, NULL};
    text = cw_trim(text);
    page->has_script = true;
    page->has_rsl |= cw_starts_with(text, "<rsl");
    bool is_read = text.size && text.data[0] != '<' && (page->kinds & CRAWL_LINK_SCRIPTS & ~CRAWL_LINK_ANYWHERE);
    if (!is_read || is_import_map(text))
        return CRAWL_OK;
    bool is_piece;
    cw_script_finder finder = finder_of(&script);
    crawl_err err = cw_script_flight(text, &page->scripts.stream, &is_piece);
    if (!err && !is_piece)
        err = cw_script_find(text, &finder);
    return err || is_piece ? err : cw_script_find_flat(text, &finder);
}

bool crawl_page_is_scripted(const crawl_page *page)
{
    const unsigned links = CRAWL_LINK_A | CRAWL_LINK_AREA | CRAWL_LINK_FRAME | CRAWL_LINK_IFRAME | CRAWL_LINK_REFRESH;
    for (size_t i = 0; i < page->link_count; i++)
        if ((unsigned)page->links[i].link.kind & links)
            return false;
    return page->has_script;
}

crawl_err cw_page_end_scripts(crawl_page *page)
{
    page_script script = {page, NULL};
    cw_script_finder finder = finder_of(&script);
    crawl_slice stream = crawl_buf_slice(&page->scripts.stream);
    return stream.size ? cw_script_find(stream, &finder) : CRAWL_OK;
}

crawl_err cw_page_add_code(crawl_page *page, const cw_page_source *row, crawl_slice code)
{
    page_script script = {page, row};
    cw_script_finder finder = finder_of(&script);
    return cw_script_find(code, &finder);
}
