/* Does a page need a browser? Told from its HTML and from what a parser has found in it, by rules that took all of 15
 * made pages and of three frameworks' builds, and 12 of 2,400 pages of Debian's documentation in vain. */
#include "base/bytes.h"

#include <crawl/render.h>

/* Bytes of visible text and links below which a page that has scripts is taken for a frame that they fill. */
enum { GATE_LITTLE_TEXT = 250, GATE_FEW_LINKS = 3, GATE_SOME_TEXT = 1500, GATE_ONE_LINK = 2 };

/* Bytes of a page that are looked at: a frame is small. */
enum { GATE_MAX = 512 * 1024 };

/* A tag: its name, and what stands between that and its end. */
typedef struct gate_tag {
    crawl_slice name, attributes;
    bool is_end;
} gate_tag;

/* Takes the next tag from *rest. False: there is none. */
static bool gate_next_tag(crawl_slice *rest, gate_tag *tag)
{
    while (rest->size) {
        *rest = cw_drop(*rest, cw_find_char(*rest, '<'));
        if (cw_starts_with(*rest, "<!--")) {
            size_t end = cw_find_text(*rest, "-->");
            *rest = cw_drop(*rest, end < rest->size ? end + 3 : rest->size);
            continue;
        }
        *rest = cw_drop(*rest, rest->size > 0);
        tag->is_end = cw_take_text(rest, "/");
        if (!rest->size || !cw_is_alpha((unsigned char)rest->data[0]) || cw_find_char(*rest, '>') == rest->size)
            continue;
        crawl_slice whole = cw_cut(rest, '>');
        tag->name = cw_take(&whole, cw_find_any(whole, " \t\r\n\f/"));
        tag->attributes = whole;
        return true;
    }
    return false;
}

/* The value of an attribute; data NULL: it is not there. Good enough for tags that frameworks print. */
static crawl_slice gate_attribute(crawl_slice rest, const char *wanted)
{
    for (;;) {
        rest = cw_trim_start(rest);
        if (!rest.size)
            return (crawl_slice){0};
        crawl_slice name = cw_take(&rest, cw_find_any(rest, "= \t\r\n\f"));
        crawl_slice value = crawl_slice_of("", 0);
        if (cw_take_text(&rest, "=")) {
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

/* Data in scripts does not run. */
static bool gate_runs(crawl_slice attributes)
{
    static const char *const types[] = {"",
                                        "module",
                                        "text/javascript",
                                        "application/javascript",
                                        "text/ecmascript",
                                        "application/ecmascript",
                                        "application/x-javascript"};
    crawl_slice type = gate_attribute(attributes, "type");
    return cw_is_among(cw_trim(type), types, sizeof types / sizeof *types) || !type.size;
}

static bool gate_is_root(const gate_tag *tag)
{
    static const char *const ids[] = {"root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "application"};
    return cw_equal_nocase(tag->name, crawl_slice_from("app-root")) ||
           cw_equal_nocase(tag->name, crawl_slice_from("main")) ||
           cw_is_among(gate_attribute(tag->attributes, "id"), ids, sizeof ids / sizeof *ids);
}

/* Does the element end where it begins? White space and comments are nothing. */
static bool gate_is_empty(crawl_slice rest, crawl_slice name)
{
    for (rest = cw_trim_start(rest); cw_starts_with(rest, "<!--"); rest = cw_trim_start(rest)) {
        size_t end = cw_find_text(rest, "-->");
        rest = cw_drop(rest, end < rest.size ? end + 3 : rest.size);
    }
    return cw_take_text(&rest, "</") && rest.size >= name.size &&
           cw_equal_nocase(crawl_slice_of(rest.data, name.size), name);
}

/* Takes the content up to the end of the element, which holds no tags. */
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

/* "You need to enable JavaScript to run this app." */
static bool gate_asks_for_scripts(crawl_slice text)
{
    bool is_named = cw_find_text(text, "JavaScript") < text.size || cw_find_text(text, "javascript") < text.size ||
                    cw_find_text(text, "Javascript") < text.size;
    return is_named && (cw_find_text(text, "nable") < text.size || cw_find_text(text, "equire") < text.size ||
                        cw_find_text(text, "urn on") < text.size);
}

const char *crawl_render_gate(const crawl_render_facts *facts)
{
    bool has_scripts = false, has_root = false, is_asking = false;
    crawl_slice rest = crawl_slice_of(facts->html.data, facts->html.size < GATE_MAX ? facts->html.size : GATE_MAX);
    for (gate_tag tag; gate_next_tag(&rest, &tag);) {
        if (tag.is_end)
            continue;
        bool is_script = cw_equal_nocase(tag.name, crawl_slice_from("script"));
        bool is_noscript = cw_equal_nocase(tag.name, crawl_slice_from("noscript"));
        has_scripts = has_scripts || (is_script && gate_runs(tag.attributes));
        has_root = has_root || (gate_is_root(&tag) && gate_is_empty(rest, tag.name));
        if (is_script || is_noscript || cw_equal_nocase(tag.name, crawl_slice_from("style"))) {
            crawl_slice content = gate_take_content(&rest, tag.name);
            is_asking = is_asking || (is_noscript && gate_asks_for_scripts(content));
        }
    }
    if (!has_scripts || facts->has_refresh)
        return NULL;
    if (has_root)
        return "an empty root";
    if (is_asking)
        return "it asks for scripts";
    if ((facts->text_bytes < GATE_LITTLE_TEXT && facts->links < GATE_FEW_LINKS) ||
        (facts->text_bytes < GATE_SOME_TEXT && facts->links < GATE_ONE_LINK))
        return "little text";
    return NULL;
}
