#include "parse/text/text_hint.h"

#include "base/bytes.h"
#include "parse/text/text_tree.h"

/* --- attributes --- */

static crawl_slice *text_hint_place_of(cw_text_attributes *attributes, crawl_slice name)
{
    switch (name.data[0] | 0x20) {
    case 'a':
        return cw_is_nocase(name, "alt")       ? &attributes->alt
               : cw_is_nocase(name, "alttext") ? &attributes->alttext
                                               : NULL;
    case 'c':
        return cw_is_nocase(name, "class")     ? &attributes->class
               : cw_is_nocase(name, "colspan") ? &attributes->colspan
               : cw_is_nocase(name, "content") ? &attributes->content
                                               : NULL;
    case 'e':
        return cw_is_nocase(name, "encoding") ? &attributes->encoding : NULL;
    case 'h':
        return cw_is_nocase(name, "href") ? &attributes->href : NULL;
    case 'i':
        return cw_is_nocase(name, "id")         ? &attributes->id
               : cw_is_nocase(name, "itemprop") ? &attributes->itemprop
               : cw_is_nocase(name, "itemtype") ? &attributes->itemtype
                                                : NULL;
    case 'l':
        return cw_is_nocase(name, "linethickness") ? &attributes->linethickness : NULL;
    case 'n':
        return cw_is_nocase(name, "name") ? &attributes->name : NULL;
    case 'o':
        return cw_is_nocase(name, "open") ? &attributes->open : NULL;
    case 'p':
        return cw_is_nocase(name, "property") ? &attributes->property : NULL;
    case 't':
        return cw_is_nocase(name, "type") ? &attributes->type : NULL;
    case 'r':
        return cw_is_nocase(name, "role")       ? &attributes->role
               : cw_is_nocase(name, "rowspan")  ? &attributes->rowspan
               : cw_is_nocase(name, "reversed") ? &attributes->reversed
                                                : NULL;
    case 's':
        return cw_is_nocase(name, "style")            ? &attributes->style
               : cw_is_nocase(name, "start")          ? &attributes->start
               : cw_is_nocase(name, "shadowrootmode") ? &attributes->shadow
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
    else if (!place && cw_is_nocase(name, "hidden"))
        attributes->hidden = !cw_is_nocase(value, "until-found"); /* such text counts as visible */
    else if (!place && cw_is_nocase(name, "aria-hidden"))
        attributes->muted = cw_is_nocase(value, "true");
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

/* Returns true for a part that React streams after the page, <div hidden id="S:0">, until a script moves it to its
 * place. */
static bool is_streamed(crawl_slice id)
{
    return cw_take_text(&id, "S:") && id.size && cw_hex_value((unsigned char)id.data[0]) >= 0;
}

bool cw_text_hint_is_absent(const cw_text_attributes *attributes)
{
    return (attributes->hidden && !is_streamed(attributes->id)) || has_style(attributes->style, "display", "none");
}

/* Returns true for a formula as MathJax 2 shows it, before the script that has its TeX. */
static bool is_of_mathjax(const cw_text_attributes *attributes)
{
    return cw_has_word(attributes->class, crawl_slice_from("MathJax_Preview"), false) ||
           (cw_starts_with(attributes->id, "MathJax-Element-") && cw_ends_with(attributes->id, "-Frame"));
}

bool cw_text_hint_is_hidden(const cw_text_attributes *attributes)
{
    return (attributes->muted && !is_streamed(attributes->id)) || cw_text_hint_is_absent(attributes) ||
           has_style(attributes->style, "visibility", "hidden") || is_of_mathjax(attributes);
}

bool cw_text_hint_numbers_line(const cw_text_attributes *attributes)
{
    static const char *const names[] = {"linenos", "lineno", "ln", "lnt"};
    for (size_t i = 0; i < sizeof names / sizeof *names && attributes->class.size; i++)
        if (cw_has_word(attributes->class, crawl_slice_from(names[i]), false))
            return true;
    return has_style(attributes->style, "user-select", "none");
}

bool cw_text_hint_integer(crawl_slice value, int64_t *number)
{
    value = cw_trim(value);
    bool is_negative = cw_take_text(&value, "-");
    if (!is_negative)
        cw_take_text(&value, "+");
    size_t digits = cw_count_digits(value);
    int64_t sum = 0;
    for (size_t i = 0; i < digits && sum <= INT32_MAX; i++)
        sum = sum * 10 + (value.data[i] - '0');
    if (!digits || sum > INT32_MAX)
        return false;
    *number = is_negative ? -sum : sum;
    return true;
}

/* --- roles of WAI-ARIA 1.2 (5.3.4 landmarks, 5.3.2, 5.3.5) --- */

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

unsigned cw_text_hint_flags(const cw_text_attributes *attributes, uint32_t *post)
{
    unsigned flags = role_flags(attributes->role) | cw_text_name_flags(attributes->class, attributes->id, post);
    return cw_has_word(attributes->itemprop, crawl_slice_from("articleBody"), false) ? flags | CW_SECTION_ARTICLE_BODY
                                                                                     : flags;
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
