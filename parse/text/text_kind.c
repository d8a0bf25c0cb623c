#include "parse/text/text_kind.h"

#include "base/bytes.h"

enum {
    SIGN_ARTICLE = 1 << 0, /* an item of an article type */
    SIGN_DATED = 1 << 1,   /* article:published_time */
    SIGN_CALLED = 1 << 2,  /* og:type is article */
    SIGN_THING = 1 << 3,   /* an item that articles may describe, or have beside them */
    SIGN_OTHER = 1 << 4,
};

void cw_text_kind_take_type(cw_text_signs *signs, crawl_slice type)
{
    static const char *const others[] = {"APIReference",      "CollectionPage", "DiscussionForumPosting", "QAPage",
                                         "ProductGroup",      "Recipe",         "SearchResultsPage",      "TechArticle",
                                         "SoftwareSourceCode"};
    static const char *const things[] = {"Event", "FAQPage", "ItemList", "LocalBusiness", "Product", "Restaurant"};
    size_t slash = cw_find_last(type, '/');
    type = slash < type.size ? cw_drop(type, slash + 1) : type;
    if (cw_is_among(type, others, sizeof others / sizeof *others))
        *signs |= SIGN_OTHER;
    else if (cw_is_among(type, things, sizeof things / sizeof *things))
        *signs |= SIGN_THING;
    else if (cw_ends_with(type, "Article") || cw_is(type, "BlogPosting") || cw_is(type, "Report"))
        *signs |= SIGN_ARTICLE;
}

/* Returns true for programs whose pages are documentation or forums, whatever they declare. */
static bool is_of_other_program(crawl_slice generator)
{
    static const char *const programs[] = {"Discourse", "Docusaurus", "DokuWiki", "Doxygen",   "MediaWiki", "MkDocs",
                                           "MyBB",      "phpBB",      "Sphinx",   "vBulletin", "VitePress", "XenForo"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (cw_starts_nocase(generator, programs[i]))
            return true;
    return false;
}

void cw_text_kind_take_meta(cw_text_signs *signs, const cw_text_attributes *attributes)
{
    crawl_slice name = cw_trim(attributes->property.data ? attributes->property : attributes->name);
    crawl_slice content = cw_trim(attributes->content);
    if (cw_is_nocase(name, "article:published_time"))
        *signs |= SIGN_DATED;
    else if (cw_is_nocase(name, "og:type") && cw_is_nocase(content, "article"))
        *signs |= SIGN_CALLED;
    else if (cw_is_nocase(name, "og:type") && cw_starts_nocase(content, "product"))
        *signs |= SIGN_OTHER;
    else if (cw_is_nocase(name, "generator") && is_of_other_program(content))
        *signs |= SIGN_OTHER;
}

/* Reads the value of an "@type", a name or an array of names. The JSON is not parsed: pages that cut theirs short
 * still declare their type. */
static void take_type_values(cw_text_signs *signs, crawl_slice *json)
{
    *json = cw_trim_start(*json);
    bool is_array = cw_take_text(json, "[");
    do {
        *json = cw_trim_start(*json);
        if (!cw_take_text(json, "\""))
            return;
        cw_text_kind_take_type(signs, cw_cut(json, '"'));
        *json = cw_trim_start(*json);
    } while (is_array && cw_take_text(json, ","));
}

void cw_text_kind_take_json(cw_text_signs *signs, crawl_slice json)
{
    static const char key[] = "\"@type\"";
    for (size_t at; (at = cw_find_text(json, key)) < json.size;) {
        json = cw_trim_start(cw_drop(json, at + sizeof key - 1));
        if (cw_take_text(&json, ":"))
            take_type_values(signs, &json);
    }
}

cw_text_kind cw_text_kind_of(cw_text_signs signs)
{
    if (signs & SIGN_OTHER)
        return CW_KIND_OTHER;
    if (signs & SIGN_DATED)
        return CW_KIND_ARTICLE;
    if (signs & SIGN_THING)
        return CW_KIND_OTHER;
    if (signs & SIGN_ARTICLE)
        return CW_KIND_CALLED_ARTICLE;
    return signs & SIGN_CALLED ? CW_KIND_SAID_ARTICLE : CW_KIND_UNKNOWN;
}
