/* Reads an answer's statements on the use of its page: in headers, in the <meta> of TDMRep and of robots, and by
 * licences. The page keeps these <meta> while it is parsed (cw_page_speaks_of_use), so that most pages, which say
 * nothing, take no time here. */
#include "parse/preferences/preferences.h"

#include "parse/page/page_build.h"
#include "parse/page/page_values.h"

#include "base/bytes.h"
#include "base/structured.h"

static crawl_err preferences_add_meta(crawl_preferences *preferences, crawl_slice name, crawl_slice content)
{
    cw_preferences_said said = {.source = CW_PREFERENCES_META};
    if (cw_preferences_is_tdm(name)) {
        said.label = name;
        return cw_preferences_add_tdm(preferences, said, cw_trim(content));
    }
    if (!cw_is_nocase(name, "robots"))
        said.agent = name;
    return cw_preferences_add_words(preferences, said, content);
}

/* Distinguishes licences whose type says that they are RSL from others. */
static cw_preferences_said license_of(crawl_slice type)
{
    bool is_rsl = cw_is_nocase(cw_trim(type), "application/rsl+xml");
    return (cw_preferences_said){.source = is_rsl ? CW_PREFERENCES_RSL : CW_PREFERENCES_LINK};
}

static crawl_err add_page_licenses(crawl_preferences *preferences, const crawl_page *page)
{
    size_t count;
    crawl_err err = CRAWL_OK;
    const crawl_link *links = crawl_page_links(page, &count);
    for (size_t i = 0; i < count && page->has_license && !err; i++)
        if (cw_has_word(links[i].rel, crawl_slice_from("license"), false))
            err = cw_preferences_add_license(preferences, license_of(links[i].type), links[i].href,
                                             crawl_page_base(page), crawl_page_charset(page));
    if (!err && page->has_rsl)
        err = cw_preferences_add(preferences, &(cw_preferences_said){.source = CW_PREFERENCES_RSL,
                                                                     .label = crawl_slice_from("license"),
                                                                     .value = crawl_slice_from("inline")});
    return err;
}

bool crawl_page_speaks_of_use(const crawl_page *page)
{
    return page->uses.size || page->has_license || page->has_rsl;
}

crawl_err crawl_preferences_add_page(crawl_preferences *preferences, const crawl_page *page)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = crawl_buf_slice(&page->uses);
    while (rest.size && !err) {
        crawl_slice name = cw_cut(&rest, '\0');
        err = preferences_add_meta(preferences, name, cw_cut(&rest, '\0'));
    }
    return err ? err : add_page_licenses(preferences, page);
}

/* --- headers --- */

static crawl_err add_tag(crawl_preferences *preferences, crawl_slice value)
{
    crawl_err err = CRAWL_OK;
    cw_preferences_said said = {.source = CW_PREFERENCES_XRT};
    for (crawl_slice part; !err && cw_page_tag_next(&value, &said.agent, &part);)
        err = cw_preferences_add_words(preferences, said, part);
    return err;
}

/* Robots-Tag (draft-illyes-repext-03): a list of agents, "*" for all, with their words as parameters. */
static crawl_err add_tag_list(crawl_preferences *preferences, crawl_slice value)
{
    crawl_err err = CRAWL_OK;
    cw_structured at;
    cw_structured_item agent;
    if (!cw_structured_open(value, CW_STRUCTURED_LIST, &at))
        return CRAWL_OK;
    while (!err && cw_structured_next(&at, &agent)) {
        cw_preferences_said said = {.source = CW_PREFERENCES_XRT};
        cw_structured_value set;
        if (agent.value.type != CW_STRUCTURED_TOKEN)
            continue;
        if (!cw_is(agent.value.text, "*"))
            said.agent = agent.value.text;
        for (crawl_slice word; !err && cw_structured_parameter(&agent.parameters, &word, &set);)
            if (set.type == CW_STRUCTURED_BOOLEAN && set.number)
                err = cw_preferences_add_words(preferences, said, word);
    }
    return err;
}

static crawl_err add_link_header(crawl_preferences *preferences, crawl_slice value, const crawl_url *url)
{
    crawl_err err = CRAWL_OK;
    for (crawl_header_link link; !err && crawl_link_header_next(&value, &link);)
        if (!link.anchor.size && cw_has_word(link.rel, crawl_slice_from("license"), false))
            err = cw_preferences_add_license(preferences, license_of(link.type), link.href, url, NULL);
    return err;
}

/* Compares the size of the name first: an answer has a dozen headers that say nothing about use. */
bool crawl_header_speaks_of_use(crawl_slice name, crawl_slice value)
{
    switch (name.size) {
    case sizeof "link" - 1:
        return cw_is_nocase(name, "link") && cw_find_text(value, "icense") < value.size;
    case sizeof "robots-tag" - 1: /* and tdm-policy */
    case sizeof "tdm-reservation" - 1:
        return cw_preferences_is_tdm(name) || cw_is_nocase(name, "robots-tag");
    case sizeof "x-robots-tag" - 1:
        return cw_is_nocase(name, "x-robots-tag");
    case sizeof "content-usage" - 1:
        return cw_is_nocase(name, "content-usage");
    case sizeof "content-signal" - 1:
        return cw_is_nocase(name, "content-signal");
    default:
        return false;
    }
}

crawl_err crawl_preferences_add_header(crawl_preferences *preferences, crawl_slice name, crawl_slice value,
                                       const crawl_url *url)
{
    value = cw_trim(value);
    if (cw_is_nocase(name, "content-usage"))
        return cw_preferences_join_usage(preferences, value);
    if (cw_is_nocase(name, "content-signal"))
        return cw_preferences_add_signal(preferences, (cw_preferences_said){.source = CW_PREFERENCES_SIGNAL}, value);
    if (cw_preferences_is_tdm(name))
        return cw_preferences_add_tdm(preferences,
                                      (cw_preferences_said){.source = CW_PREFERENCES_HEADER, .label = name}, value);
    if (cw_is_nocase(name, "x-robots-tag"))
        return add_tag(preferences, value);
    if (cw_is_nocase(name, "robots-tag"))
        return add_tag_list(preferences, value);
    return cw_is_nocase(name, "link") ? add_link_header(preferences, value, url) : CRAWL_OK;
}

crawl_err crawl_preferences_finish(crawl_preferences *preferences)
{
    crawl_err err = cw_preferences_add_usage(preferences, (cw_preferences_said){.source = CW_PREFERENCES_HEADER},
                                             cw_preferences_joined_usage(preferences));
    cw_preferences_settle(preferences);
    return err;
}
