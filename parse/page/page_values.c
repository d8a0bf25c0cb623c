/* Readers of attribute and header values: directives for robots, candidates of a srcset, a refresh, links of the header
 * Link. Each is read piece by piece from its front, in the order of the standard's steps. */
#include "parse/page/page_values.h"

#include "base/bytes.h"
#include "parse/html/html_token.h"
#include "parse/sitemap/doctype.h"

#include <crawl/links.h>
#include <crawl/robots.h>

/* --- directives --- */

/* Returns the flags of one directive. 0: it forbids nothing that concerns us. */
static unsigned directive_flags(crawl_slice word)
{
    static const struct {
        const char *name;
        unsigned flags;
    } directives[] = {
        {"noindex", CRAWL_ROBOTS_NOINDEX},
        {"nofollow", CRAWL_ROBOTS_NOFOLLOW},
        {"none", CRAWL_ROBOTS_NOINDEX | CRAWL_ROBOTS_NOFOLLOW},
    };
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (cw_is_nocase(word, directives[i].name))
            return directives[i].flags;
    return 0;
}

unsigned cw_page_robots_directives(crawl_slice content)
{
    unsigned flags = 0;
    while (content.size) {
        crawl_slice part = cw_cut(&content, ';'); /* written by some instead of a comma */
        while (part.size)
            flags |= directive_flags(cw_take_word(&part, true));
    }
    return flags;
}

/* Takes the name of an agent with its ":" off the front of *part; size 0: there is none. Some directives have a value
 * after a ":", as the name of an agent has its directives. */
static crawl_slice take_agent(crawl_slice *part)
{
    static const char *const with_value[] = {"unavailable_after", "max-snippet", "max-image-preview",
                                             "max-video-preview"};
    size_t colon = cw_find_char(*part, ':');
    crawl_slice name = cw_trim(crawl_slice_of(part->data, colon < part->size ? colon : 0));
    if (!crawl_robots_agent_valid(name) || cw_is_among(name, with_value, sizeof with_value / sizeof *with_value))
        return (crawl_slice){0};
    *part = cw_drop(*part, colon + 1);
    return name;
}

bool cw_page_tag_next(crawl_slice *value, crawl_slice *agent, crawl_slice *directives)
{
    if (!value->size)
        return false;
    *directives = cw_cut(value, ',');
    crawl_slice name = take_agent(directives);
    if (name.size)
        *agent = name;
    return true;
}

unsigned crawl_robots_tag(crawl_slice value, const char *agent)
{
    unsigned flags = 0;
    crawl_slice named = {0};
    for (crawl_slice part; cw_page_tag_next(&value, &named, &part);)
        if (!named.size || (agent && cw_is_nocase(named, agent)))
            flags |= cw_page_robots_directives(part);
    return flags;
}

/* Returns true if a <meta> begins with one of these words; any other content is not searched. */
static bool begins_with_directive(crawl_slice content)
{
    static const char *const words[] = {"noindex",   "nofollow",     "none",  "noai",   "noimageai", "noarchive",
                                        "nosnippet", "noimageindex", "index", "follow", "all"};
    crawl_slice first = cw_trim_start(content);
    if (!first.size || !strchr("nNiIfFaA", *first.data))
        return false;
    return cw_is_among(cw_take_word(&first, true), words, sizeof words / sizeof *words);
}

bool cw_page_speaks_of_use(crawl_slice name, crawl_slice content, bool told)
{
    if (cw_starts_nocase(name, "tdm-"))
        return cw_is_nocase(name, "tdm-reservation") || cw_is_nocase(name, "tdm-policy");
    if (!told && (!begins_with_directive(content) || !crawl_robots_agent_valid(name)))
        return false;
    while (content.size) {
        crawl_slice word = cw_take_word(&content, true);
        if (cw_is_nocase(word, "noai") || cw_is_nocase(word, "noimageai"))
            return true;
    }
    return false;
}

/* --- srcset --- */

/* Returns the size up to and including the comma that ends the descriptors: one outside parentheses. */
static size_t descriptors_size(crawl_slice text)
{
    bool inside = false;
    size_t at = 0;
    while (at < text.size) {
        char c = text.data[at++];
        if (c == ',' && !inside)
            break;
        inside = inside ? c != ')' : c == '(';
    }
    return at;
}

bool cw_page_srcset_next(crawl_slice *rest, crawl_slice *url)
{
    while (rest->size && (*rest->data == ',' || cw_is_space((unsigned char)*rest->data)))
        *rest = cw_drop(*rest, 1);
    crawl_slice word = cw_take_word(rest, false);
    size_t size = word.size;
    while (size && word.data[size - 1] == ',')
        size--;
    if (!size)
        return false;
    *url = crawl_slice_of(word.data, size);
    if (size == word.size) /* commas at the end of the URL end the candidate */
        *rest = cw_drop(*rest, descriptors_size(*rest));
    return true;
}

cw_page_lazy_form cw_page_lazy_form_of(crawl_slice name, crawl_slice value)
{
    enum { SUFFIX = sizeof "srcset" - 1 };
    if (name.size >= SUFFIX && cw_is_nocase(cw_drop(name, name.size - SUFFIX), "srcset"))
        return CW_LAZY_SET;
    if (cw_find_char(value, '(') < value.size)
        return CW_LAZY_DECLARATIONS;
    value = cw_trim(value);
    return cw_find_any(value, " \t\r\n\f{}<>\"") == value.size ? CW_LAZY_ONE : CW_LAZY_NONE;
}

/* --- refresh --- */

static bool begins_with_one_of(crawl_slice text, const char *bytes)
{
    return text.size && *text.data && strchr(bytes, *text.data);
}

/* Takes white space and one of these bytes, if present, off the front of *rest. */
static bool take_one_of(crawl_slice *rest, const char *bytes)
{
    *rest = cw_trim_start(*rest);
    bool there = begins_with_one_of(*rest, bytes);
    *rest = cw_drop(*rest, there);
    return there;
}

/* Steps 3 to 8: takes an integer; skips a fraction, which may stand by itself. */
static bool take_delay(crawl_slice *rest, double *delay)
{
    if (!begins_with_one_of(*rest, "0123456789."))
        return false;
    crawl_slice digits = cw_take(rest, cw_count_digits(*rest));
    *delay = 0;
    for (size_t i = 0; i < digits.size && *delay < CW_PAGE_MAX_REFRESH_DELAY; i++)
        *delay = *delay * 10 + (digits.data[i] - '0');
    if (*delay > CW_PAGE_MAX_REFRESH_DELAY)
        *delay = CW_PAGE_MAX_REFRESH_DELAY;
    while (begins_with_one_of(*rest, "0123456789."))
        *rest = cw_drop(*rest, 1);
    return true;
}

/* Takes "url" and "=". true: taken, or text that does not begin with "u" is left as it is. false: "u" without them, so
 * that a quote is not a quote. */
static bool take_url_sign(crawl_slice *rest)
{
    if (!cw_starts_nocase(*rest, "u"))
        return true;
    crawl_slice at = *rest;
    bool sign = cw_starts_nocase(at, "url");
    at = cw_drop(at, sign ? 3 : 0);
    if (!sign || !take_one_of(&at, "="))
        return false;
    *rest = cw_trim_start(at);
    return true;
}

static crawl_slice without_quotes(crawl_slice text)
{
    if (!begins_with_one_of(text, "\"'"))
        return text;
    char quote = *text.data;
    text = cw_drop(text, 1);
    return cw_cut(&text, quote);
}

crawl_err crawl_refresh_header(crawl_slice value, double *delay, crawl_slice *href)
{
    crawl_slice rest = cw_trim_start(value);
    double seconds;
    if (!take_delay(&rest, &seconds))
        return CRAWL_EPARSE;
    if (rest.size && !begins_with_one_of(rest, ";,") && !cw_is_space((unsigned char)*rest.data))
        return CRAWL_EPARSE;
    take_one_of(&rest, ";,");
    rest = cw_trim_start(rest);
    if (take_url_sign(&rest))
        rest = without_quotes(rest);
    *delay = seconds;
    *href = cw_trim(rest);
    return CRAWL_OK;
}

/* --- the header Link: RFC 8288, appendix B --- */

static void page_values_skip_blanks(crawl_slice *rest)
{
    while (begins_with_one_of(*rest, " \t"))
        *rest = cw_drop(*rest, 1);
}

/* B.4: takes the content of a quoted string; one that does not end extends to the end. */
static crawl_slice page_values_take_quoted(crawl_slice *rest)
{
    *rest = cw_drop(*rest, 1);
    size_t size = 0;
    while (size < rest->size && rest->data[size] != '"')
        size += rest->data[size] == '\\' && size + 1 < rest->size ? 2 : 1;
    crawl_slice inside = cw_take(rest, size);
    *rest = cw_drop(*rest, rest->size > 0);
    return inside;
}

typedef struct link_parameter {
    crawl_slice name;
    crawl_slice value;
} link_parameter;

/* B.3: takes one parameter, with the ";" before it. */
static bool page_values_take_parameter(crawl_slice *rest, link_parameter *out)
{
    page_values_skip_blanks(rest);
    if (!cw_take_text(rest, ";"))
        return false;
    page_values_skip_blanks(rest);
    out->name = cw_take(rest, cw_find_any(*rest, " \t=;,"));
    out->value = crawl_slice_from("");
    page_values_skip_blanks(rest);
    if (!cw_take_text(rest, "="))
        return true;
    page_values_skip_blanks(rest);
    out->value =
        cw_starts_with(*rest, "\"") ? page_values_take_quoted(rest) : cw_trim(cw_take(rest, cw_find_any(*rest, ";,")));
    return true;
}

/* The first of each name counts. */
static void keep_first(const link_parameter *p, const char *name, crawl_slice *value)
{
    if (!value->data && cw_is_nocase(p->name, name))
        *value = p->value;
}

static crawl_slice or_empty(crawl_slice value)
{
    return value.data ? value : crawl_slice_from("");
}

bool crawl_link_header_next(crawl_slice *rest, crawl_header_link *link)
{
    crawl_slice at = *rest;
    while (begins_with_one_of(at, " \t,"))
        at = cw_drop(at, 1);
    if (!cw_take_text(&at, "<"))
        return false;
    crawl_slice href = cw_take(&at, cw_find_char(at, '>'));
    if (!cw_take_text(&at, ">"))
        return false;
    crawl_slice rel = {0};
    crawl_slice type = {0};
    crawl_slice anchor = {0};
    crawl_slice hreflang = {0};
    for (link_parameter p; page_values_take_parameter(&at, &p);) {
        keep_first(&p, "rel", &rel);
        keep_first(&p, "type", &type);
        keep_first(&p, "anchor", &anchor);
        keep_first(&p, "hreflang", &hreflang);
    }
    at = cw_drop(at, cw_find_char(at, ','));
    *link = (crawl_header_link){.href = cw_trim(href),
                                .rel = or_empty(rel),
                                .type = or_empty(type),
                                .anchor = or_empty(anchor),
                                .hreflang = or_empty(hreflang)};
    *rest = at;
    return true;
}

/* --- base --- */

/* The first <base> with href decides; one that is not a URL, or has nothing to resolve against, makes the page's own
 * URL the base. */
static bool is_base_allowed(const crawl_url *url)
{
    crawl_slice scheme = crawl_url_scheme(url);
    return !cw_is(scheme, "data") && !cw_is(scheme, "javascript");
}

crawl_err cw_page_base_of(crawl_slice href, const crawl_url *url, const char *charset, crawl_url *base, bool *is_base)
{
    crawl_err err = crawl_url_parse(base, href, url, charset);
    *is_base = !err && is_base_allowed(base);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

/* --- style sheets before the root element --- */

static const char instruction[] = "<?xml-stylesheet";

/* Its pseudo-attributes are written like attributes. */
static bool find_href(crawl_slice inside, crawl_slice *href)
{
    crawl_slice name;
    while (cw_html_next_attribute(&inside, &name, href))
        if (cw_is(name, "href"))
            return href->size && *href->data != '#';
    return false;
}

bool cw_page_next_sheet(crawl_slice *rest, crawl_slice *href)
{
    crawl_slice item = cw_sitemap_next_in_prolog(rest);
    for (; item.size; item = cw_sitemap_next_in_prolog(rest)) {
        bool is_whole = cw_take_text(&item, instruction) && cw_ends_with(item, "?>") && cw_is_space(*item.data);
        if (is_whole && find_href(crawl_slice_of(item.data, item.size - 2), href))
            return true;
    }
    return false;
}
