/* Decides, without a browser and also in a build without rendering, whether a page needs one, and how a page sees a
 * request without an answer. Reads the HTML and a parser's results. The rules recognised all of 15 test pages and three
 * frameworks' builds, and falsely chose 12 of 2,400 pages of Debian's documentation. */
#include "base/bytes.h"

#include <crawl/sys/render.h>

/* Limits of visible text, in bytes, and of links. A page with scripts below them is taken for a frame that the scripts
 * fill. */
enum { GATE_LITTLE_TEXT = 250, GATE_FEW_LINKS = 3, GATE_SOME_TEXT = 1500, GATE_ONE_LINK = 2 };

/* A tag: its name, and the text from there to its end. */
typedef struct gate_tag {
    crawl_slice name, attributes;
    size_t text_bytes; /* between the previous tag and this one, without white space */
    bool is_end;
} gate_tag;

/* Facts read from a page so far. */
typedef struct gate_page {
    bool has_scripts, has_root, is_asking;
    bool has_frame;
    bool has_detour;          /* a refresh only for readers without scripts */
    size_t text_bytes, links; /* outside the frame */
    crawl_slice frame;        /* name of the open frame element; empty: none */
    unsigned depth;           /* nesting of elements of that name */
} gate_page;

/* Takes the text of a tag, which ends at the first ">" outside quotes. False: it has no end. */
static bool gate_take_tag(crawl_slice *rest, crawl_slice *text)
{
    crawl_slice from = *rest;
    while (rest->size) {
        *rest = cw_drop(*rest, cw_find_any(*rest, "=>"));
        *text = crawl_slice_of(from.data, from.size - rest->size);
        if (cw_take_text(rest, ">"))
            return true;
        *rest = cw_trim_start(cw_drop(*rest, rest->size > 0));
        if (rest->size && (rest->data[0] == '"' || rest->data[0] == '\''))
            *rest = cw_drop(*rest, 1 + cw_find_char(cw_drop(*rest, 1), rest->data[0]));
    }
    return false;
}

/* Takes the next tag from *rest. False: no more. */
static bool gate_next_tag(crawl_slice *rest, gate_tag *tag)
{
    tag->text_bytes = 0;
    while (rest->size) {
        tag->text_bytes += cw_trim(cw_take(rest, cw_find_char(*rest, '<'))).size;
        if (cw_starts_with(*rest, "<!--")) {
            size_t end = cw_find_text(*rest, "-->");
            *rest = cw_drop(*rest, end < rest->size ? end + 3 : rest->size);
            continue;
        }
        *rest = cw_drop(*rest, rest->size > 0);
        tag->is_end = cw_take_text(rest, "/");
        if (!rest->size || !cw_is_alpha((unsigned char)rest->data[0]))
            continue;
        crawl_slice whole;
        if (!gate_take_tag(rest, &whole))
            return false;
        tag->name = cw_take(&whole, cw_find_any(whole, " \t\r\n\f/"));
        tag->attributes = whole;
        return true;
    }
    return false;
}

/* Returns the value of an attribute; data NULL: absent. Good enough for tags that frameworks print. */
static crawl_slice gate_attribute(crawl_slice rest, const char *wanted)
{
    for (;;) {
        rest = cw_trim_start(rest);
        if (!rest.size)
            return (crawl_slice){0};
        crawl_slice name = cw_take(&rest, cw_find_any(rest, "= \t\r\n\f"));
        crawl_slice value = crawl_slice_of("", 0);
        rest = cw_trim_start(rest);
        if (cw_take_text(&rest, "=")) {
            rest = cw_trim_start(rest);
            char quote = rest.size ? rest.data[0] : ' ';
            bool is_quoted = quote == '"' || quote == '\'';
            rest = cw_drop(rest, is_quoted);
            value = is_quoted ? cw_cut(&rest, quote) : cw_take(&rest, cw_find_any(rest, " \t\r\n\f"));
        } else if (!name.size) {
            rest = cw_drop(rest, 1);
        }
        if (cw_equal_nocase(name, crawl_slice_from(wanted)))
            return value;
    }
}

/* Returns true for a type that runs (MIME Sniffing, 4.6 "JavaScript MIME type"). Data in scripts does not. */
static bool gate_runs(crawl_slice attributes)
{
    static const char *const types[] = {"javascript", "ecmascript", "jscript", "livescript"};
    crawl_slice type = cw_trim(gate_attribute(attributes, "type")), language = type;
    if (!type.size || cw_is_nocase(type, "module"))
        return true;
    crawl_slice top = cw_cut(&language, '/');
    if (cw_starts_nocase(language, "x-"))
        language = cw_drop(language, 2);
    language.size = cw_find_text(language, "1."); /* text/javascript1.5 */
    return (cw_is_nocase(top, "text") || cw_is_nocase(top, "application")) &&
           cw_is_among(language, types, sizeof types / sizeof *types);
}

static bool gate_is_root(const gate_tag *tag)
{
    static const char *const ids[] = {"root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "application"};
    return cw_equal_nocase(tag->name, crawl_slice_from("app-root")) ||
           cw_equal_nocase(tag->name, crawl_slice_from("main")) ||
           cw_is_nocase(gate_attribute(tag->attributes, "role"), "main") ||
           cw_is_among(gate_attribute(tag->attributes, "id"), ids, sizeof ids / sizeof *ids);
}

/* Takes a comment, or a no-break space. */
static bool gate_take_blank(crawl_slice *rest)
{
    if (!cw_starts_with(*rest, "<!--"))
        return cw_take_text(rest, "&nbsp;") || cw_take_text(rest, "&#160;") || cw_take_text(rest, "\xc2\xa0");
    size_t end = cw_find_text(*rest, "-->");
    *rest = cw_drop(*rest, end < rest->size ? end + 3 : rest->size);
    return true;
}

/* Returns true if the element is empty, except for white space and comments. */
static bool gate_is_empty(crawl_slice rest, crawl_slice name)
{
    do
        rest = cw_trim_start(rest);
    while (gate_take_blank(&rest));
    return cw_take_text(&rest, "</") && rest.size >= name.size &&
           cw_equal_nocase(crawl_slice_of(rest.data, name.size), name);
}

/* Takes the content up to the end of the element, which has no tags inside. */
static crawl_slice gate_take_content(crawl_slice *rest, crawl_slice name)
{
    crawl_slice from = *rest;
    while (rest->size) {
        *rest = cw_drop(*rest, cw_find_char(*rest, '<'));
        crawl_slice end = *rest;
        if (cw_take_text(&end, "</") && end.size >= name.size &&
            cw_equal_nocase(crawl_slice_of(end.data, name.size), name))
            break;
        *rest = cw_drop(*rest, rest->size > 0);
    }
    return crawl_slice_of(from.data, from.size - rest->size);
}

/* Recognises "You need to enable JavaScript to run this app." */
static bool gate_asks_for_scripts(crawl_slice text)
{
    bool is_named = cw_find_text(text, "JavaScript") < text.size || cw_find_text(text, "javascript") < text.size ||
                    cw_find_text(text, "Javascript") < text.size;
    return is_named && (cw_find_text(text, "nable") < text.size || cw_find_text(text, "equire") < text.size ||
                        cw_find_text(text, "urn on") < text.size);
}

/* Returns true if the tag begins a part that all pages of a site have around their content, or one that only scripts
 * show. */
static bool gate_is_frame(const gate_tag *tag)
{
    static const char *const names[] = {"header", "nav", "footer", "aside"};
    static const char *const roles[] = {"banner", "navigation", "contentinfo", "complementary"};
    if (cw_is_nocase(tag->name, "template"))
        return !gate_attribute(tag->attributes, "shadowrootmode").data;
    return cw_is_among(tag->name, names, sizeof names / sizeof *names) ||
           cw_is_among(gate_attribute(tag->attributes, "role"), roles, sizeof roles / sizeof *roles);
}

/* Counts text and links outside the frame. */
static void gate_count(gate_page *page, const gate_tag *tag)
{
    if (!page->frame.size)
        page->text_bytes += tag->text_bytes;
    if (page->frame.size && cw_equal_nocase(tag->name, page->frame)) {
        if (!tag->is_end)
            page->depth++;
        else if (!--page->depth)
            page->frame.size = 0;
    } else if (!page->frame.size && !tag->is_end) {
        page->links +=
            cw_equal_nocase(tag->name, crawl_slice_from("a")) && gate_attribute(tag->attributes, "href").data;
        if (gate_is_frame(tag)) {
            page->has_frame = true;
            page->frame = tag->name;
            page->depth = 1;
        }
    }
}

static gate_page gate_read(crawl_slice rest)
{
    gate_page page = {0};
    for (gate_tag tag; gate_next_tag(&rest, &tag);) {
        gate_count(&page, &tag);
        if (tag.is_end)
            continue;
        bool is_script = cw_equal_nocase(tag.name, crawl_slice_from("script"));
        bool is_noscript = cw_equal_nocase(tag.name, crawl_slice_from("noscript"));
        page.has_scripts |= is_script && gate_runs(tag.attributes);
        page.has_root |= gate_is_root(&tag) && gate_is_empty(rest, tag.name);
        if (is_script || is_noscript || cw_equal_nocase(tag.name, crawl_slice_from("style")) ||
            cw_equal_nocase(tag.name, crawl_slice_from("title"))) {
            crawl_slice content = gate_take_content(&rest, tag.name);
            page.is_asking |= is_noscript && gate_asks_for_scripts(content);
            page.has_detour |= is_noscript && cw_find_text(content, "http-equiv") < content.size;
        }
    }
    return page;
}

const char *crawl_render_gate(const crawl_render_facts *facts)
{
    gate_page page = gate_read(facts->html);
    if (!page.has_scripts || (facts->has_refresh && !page.has_detour))
        return NULL;
    if (page.has_root)
        return "an empty root";
    if (page.is_asking)
        return "it asks for scripts";
    size_t text = facts->text_bytes, links = facts->links;
    bool is_little = (text < GATE_LITTLE_TEXT && links < GATE_FEW_LINKS) ||
                     (text < GATE_SOME_TEXT && links < GATE_ONE_LINK) ||
                     (page.has_frame && page.text_bytes < GATE_LITTLE_TEXT && page.links < GATE_FEW_LINKS);
    return is_little ? "little text" : NULL;
}

crawl_render_refusal crawl_render_refusal_of(crawl_fetch_error error)
{
    switch (error) {
    case CRAWL_FETCH_DNS:
        return CRAWL_RENDER_REFUSE_NAME;
    case CRAWL_FETCH_CONNECT:
    case CRAWL_FETCH_PRIVATE:
        return CRAWL_RENDER_REFUSE_CONNECT;
    case CRAWL_FETCH_TIMEOUT:
        return CRAWL_RENDER_REFUSE_TIMEOUT;
    case CRAWL_FETCH_TOO_LARGE:
        return CRAWL_RENDER_REFUSE_LARGE;
    default:
        return CRAWL_RENDER_REFUSE_CLOSED;
    }
}
