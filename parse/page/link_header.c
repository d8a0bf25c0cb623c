/* Values of the headers Link and Refresh. Link: RFC 8288, appendix B, in its order. */
#include "parse/page/refresh.h"

#include "base/bytes.h"

#include <crawl/links.h>

static void drop(crawl_slice *rest, size_t size)
{
    rest->data += size;
    rest->size -= size;
}

static bool begins(const crawl_slice *rest, char c)
{
    return rest->size && *rest->data == c;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(crawl_slice *rest)
{
    while (rest->size && is_blank(*rest->data))
        drop(rest, 1);
}

/* Takes bytes up to one of those in stops, or to the end. */
static crawl_slice take_to(crawl_slice *rest, const char *stops)
{
    size_t size = 0;
    while (size < rest->size && (!rest->data[size] || !strchr(stops, rest->data[size])))
        size++;
    crawl_slice taken = crawl_slice_of(rest->data, size);
    drop(rest, size);
    return taken;
}

/* B.4: the inside of a quoted string; one that does not end goes to the end. */
static crawl_slice take_quoted(crawl_slice *rest)
{
    drop(rest, 1);
    size_t size = 0;
    while (size < rest->size && rest->data[size] != '"')
        size += rest->data[size] == '\\' && size + 1 < rest->size ? 2 : 1;
    crawl_slice inside = crawl_slice_of(rest->data, size);
    drop(rest, size < rest->size ? size + 1 : size);
    return inside;
}

typedef struct parameter {
    crawl_slice name;
    crawl_slice value;
} parameter;

/* B.3: one of them, with the ";" before it. */
static bool take_parameter(crawl_slice *rest, parameter *out)
{
    skip_blanks(rest);
    if (!begins(rest, ';'))
        return false;
    drop(rest, 1);
    skip_blanks(rest);
    *out = (parameter){take_to(rest, " \t=;,"), crawl_slice_of("", 0)};
    skip_blanks(rest);
    if (!begins(rest, '='))
        return true;
    drop(rest, 1);
    skip_blanks(rest);
    out->value = begins(rest, '"') ? take_quoted(rest) : cw_trim(take_to(rest, ";,"));
    return true;
}

/* The first of each name counts. */
static void keep_first(const parameter *p, const char *name, crawl_slice *value)
{
    if (!value->data && cw_equal_nocase(p->name, crawl_slice_from(name)))
        *value = p->value;
}

static crawl_slice or_empty(crawl_slice value)
{
    return value.data ? value : crawl_slice_of("", 0);
}

bool crawl_link_header_next(crawl_slice *rest, crawl_header_link *link)
{
    crawl_slice at = *rest;
    while (at.size && (is_blank(*at.data) || *at.data == ','))
        drop(&at, 1);
    if (!begins(&at, '<'))
        return false;
    drop(&at, 1);
    crawl_slice href = take_to(&at, ">");
    if (!at.size)
        return false;
    drop(&at, 1);
    crawl_slice rel = {0};
    crawl_slice anchor = {0};
    for (parameter p; take_parameter(&at, &p);) {
        keep_first(&p, "rel", &rel);
        keep_first(&p, "anchor", &anchor);
    }
    take_to(&at, ",");
    *link = (crawl_header_link){cw_trim(href), or_empty(rel), or_empty(anchor)};
    *rest = at;
    return true;
}

crawl_err crawl_refresh_header(crawl_slice value, double *delay, crawl_slice *href)
{
    return cw_refresh_parse(value, delay, href);
}
