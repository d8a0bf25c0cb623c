/* See text_hint.h. Names of classes and identifiers are nobody's standard. They are cut into words, at signs and where
 * a capital begins a word (topNav), and speak against a part only if each of their words does, or is a word of place or
 * form: "site-footer" does, "cookie-objects", the section of a manual about objects for cookies, does not. */
#include "parse/text/text_hint.h"

#include "base/bytes.h"
#include "parse/text/text_tree.h"

/* --- attributes --- */

static crawl_slice *text_hint_place_of(cw_text_attributes *attributes, crawl_slice name)
{
    switch (name.data[0] | 0x20) {
    case 'a':
        return cw_is_nocase(name, "alt") ? &attributes->alt : NULL;
    case 'c':
        return cw_is_nocase(name, "class")     ? &attributes->class
               : cw_is_nocase(name, "colspan") ? &attributes->colspan
                                               : NULL;
    case 'h':
        return cw_is_nocase(name, "href") ? &attributes->href : NULL;
    case 'i':
        return cw_is_nocase(name, "id") ? &attributes->id : NULL;
    case 'r':
        return cw_is_nocase(name, "role")       ? &attributes->role
               : cw_is_nocase(name, "rowspan")  ? &attributes->rowspan
               : cw_is_nocase(name, "reversed") ? &attributes->reversed
                                                : NULL;
    case 's':
        return cw_is_nocase(name, "src")     ? &attributes->src
               : cw_is_nocase(name, "style") ? &attributes->style
               : cw_is_nocase(name, "start") ? &attributes->start
                                             : NULL;
    case 'v':
        return cw_is_nocase(name, "value") ? &attributes->value : NULL;
    default:
        return NULL;
    }
}

void cw_text_attributes_take(cw_text_attributes *attributes, crawl_slice name, crawl_slice value)
{
    crawl_slice *place = text_hint_place_of(attributes, name);
    if (place && !place->data)
        *place = value;
    else if (!place &&
             (cw_is_nocase(name, "hidden") || (cw_is_nocase(name, "aria-hidden") && cw_is_nocase(value, "true"))))
        attributes->hidden = true;
    else if (!place && cw_is_nocase(name, "shadowrootmode"))
        attributes->is_shadow = cw_is_nocase(value, "open") || cw_is_nocase(value, "closed");
}

static bool has_style(crawl_slice style, const char *name, const char *value)
{
    while (style.size) {
        crawl_slice text = cw_cut(&style, ';');
        if (cw_is_nocase(cw_trim(cw_cut(&text, ':')), name) && cw_starts_nocase(cw_trim(text), value))
            return true;
    }
    return false;
}

bool cw_text_hint_is_hidden(const cw_text_attributes *attributes)
{
    crawl_slice style = attributes->style;
    return attributes->hidden ||
           (style.size && (has_style(style, "display", "none") || has_style(style, "visibility", "hidden")));
}

/* --- roles of WAI-ARIA 1.2 (5.3.4, landmarks; 5.3.2 and 5.3.5) --- */

static unsigned role_flags(crawl_slice role)
{
    static const struct {
        const char *role;
        unsigned flags;
    } roles[] = {
        {"navigation", CW_SECTION_NAV},     {"search", CW_SECTION_NAV},          {"menu", CW_SECTION_NAV},
        {"menubar", CW_SECTION_NAV},        {"toolbar", CW_SECTION_NAV},         {"tablist", CW_SECTION_NAV},
        {"tree", CW_SECTION_NAV},           {"complementary", CW_SECTION_ASIDE}, {"banner", CW_SECTION_HEADER},
        {"contentinfo", CW_SECTION_FOOTER}, {"dialog", CW_SECTION_HIDDEN},       {"alertdialog", CW_SECTION_HIDDEN},
        {"main", CW_SECTION_MAIN},          {"article", CW_SECTION_ARTICLE},
    };
    crawl_slice word = cw_take_word(&role, false);
    for (size_t i = 0; i < sizeof roles / sizeof *roles && word.size; i++)
        if (cw_is_nocase(word, roles[i].role))
            return roles[i].flags;
    return 0;
}

/* --- classes and identifiers --- */

/* Sorted. */
static const char *const against[] = {
    "ad",
    "ads",
    "advert",
    "advertisement",
    "breadcrumb",
    "breadcrumbs",
    "consent",
    "contentinfo",
    "cookie",
    "cookies",
    "copyright",
    "disqus",
    "footer",
    "gdpr",
    "linenodiv",
    "linenos",
    "masthead",
    "menu",
    "modal",
    "nav",
    "navbar",
    "navfooter",
    "navheader",
    "navi",
    "navigation",
    "navpath",
    "newsletter",
    "noprint",
    "pager",
    "pagination",
    "popup",
    "promo",
    "searchbox",
    "share",
    "sharing",
    "sidebar",
    "sidenav",
    "skip",
    "skiplink",
    "skiplinks",
    "social",
    "sphinxsidebar",
    "sphinxsidebarwrapper",
    "sponsor",
    "subscribe",
    "toolbar",
    "topbar",
    "topnav",
};

/* Words of place and form, which say nothing by themselves. Sorted. */
static const char *const neutral[] = {
    "area",   "banner",  "bar",     "block",   "bottom", "box",       "bs",      "btn",     "col",  "container",
    "dialog", "doc",     "footer",  "full",    "global", "group",     "header",  "inner",   "js",   "left",
    "links",  "list",    "main",    "message", "mobile", "notice",    "outer",   "overlay", "page", "panel",
    "path",   "primary", "related", "right",   "row",    "secondary", "section", "side",    "site", "small",
    "spirit", "sticky",  "sub",     "text",    "to",     "top",       "wrap",    "wrapper",
};

static bool text_hint_is_listed(crawl_slice word, const char *const *words, size_t count)
{
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = (low + high) / 2;
        crawl_slice other = crawl_slice_from(words[middle]);
        int order = memcmp(other.data, word.data, other.size < word.size ? other.size : word.size);
        if (order == 0 && other.size == word.size)
            return true;
        if (order < 0 || (order == 0 && other.size < word.size))
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Takes the next word of a name off its front, in lower case. False: there is none, or it is longer than any listed. */
static bool text_hint_take_word(crawl_slice *name, char *lower, size_t most, crawl_slice *word)
{
    size_t from = 0;
    while (from < name->size && !cw_is_alpha((unsigned char)name->data[from]))
        from++;
    *name = cw_drop(*name, from);
    size_t size = 0;
    while (size < name->size && cw_is_alpha((unsigned char)name->data[size])) {
        bool capital = name->data[size] >= 'A' && name->data[size] <= 'Z';
        if (size && capital && !(name->data[size - 1] >= 'A' && name->data[size - 1] <= 'Z'))
            break;
        size++;
    }
    if (!size || size >= most)
        return false;
    *word = cw_take(name, size);
    cw_copy_lower(lower, *word);
    word->data = lower;
    return true;
}

enum { WORD_MAX = 24, NAME_MAX = 64 };

/* Does a class or an identifier speak against its element? */
static bool is_against(crawl_slice name)
{
    char lower[WORD_MAX];
    crawl_slice word;
    unsigned found = 0;
    if (name.size > NAME_MAX)
        return false;
    while (name.size) {
        crawl_slice before = name;
        if (!text_hint_take_word(&name, lower, sizeof lower, &word))
            return found && !cw_is_alpha((unsigned char)before.data[before.size - 1]);
        if (text_hint_is_listed(word, against, sizeof against / sizeof *against))
            found++;
        else if (!text_hint_is_listed(word, neutral, sizeof neutral / sizeof *neutral))
            return false;
    }
    return found > 0;
}

/* Sphinx's bars of links above and below a page have this class alone. */
static bool is_bar(crawl_slice name)
{
    return cw_is(name, "related");
}

unsigned cw_text_hint_flags(const cw_text_attributes *attributes)
{
    unsigned flags = role_flags(attributes->role);
    crawl_slice rest = attributes->class;
    enum { CLASSES_MAX = 16 };
    unsigned classes = 0;
    for (crawl_slice name = cw_take_word(&rest, false); name.size && classes < CLASSES_MAX; classes++) {
        if (is_against(name) || is_bar(name))
            return flags | CW_SECTION_HINT;
        name = cw_take_word(&rest, false);
    }
    return is_against(cw_trim(attributes->id)) ? flags | CW_SECTION_HINT : flags;
}

/* --- languages --- */

static bool is_language(crawl_slice text)
{
    static const char *const none[] = {"default", "none", "text", "plaintext", "plain"};
    for (size_t i = 0; i < text.size; i++)
        if (!cw_is_alnum((unsigned char)text.data[i]) && !strchr("+#-", text.data[i]))
            return false;
    return text.size && text.size < sizeof(((cw_text_block *)0)->language) &&
           !cw_is_among(text, none, sizeof none / sizeof *none);
}

crawl_slice cw_text_hint_language(crawl_slice class)
{
    static const char *const before[] = {"language-", "lang-", "highlight-source-", "highlight-"};
    for (crawl_slice name = cw_take_word(&class, false); name.size; name = cw_take_word(&class, false))
        for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
            crawl_slice rest = name;
            if (cw_take_text(&rest, before[i]) && is_language(rest))
                return rest;
        }
    return (crawl_slice){0};
}
