/* See html_token.h. Every loop moves forward only, so that a page costs time in proportion to its size whatever is in it. */
#include "parse/html_token.h"

#include "base/bytes.h"

static const char *find(const char *at, const char *end, char wanted)
{
    const char *found = at < end ? memchr(at, wanted, (size_t)(end - at)) : NULL;
    return found ? found : end;
}

static const char *skip_past(const char *at, const char *end, char wanted)
{
    at = find(at, end, wanted);
    return at < end ? at + 1 : end;
}

/* Does `text` in any case stand at `at`? */
static bool stands_at(const char *at, const char *end, crawl_slice text)
{
    return (size_t)(end - at) >= text.size && cw_equal_nocase(crawl_slice_of(at, text.size), text);
}

/* --- attributes (13.2.5.32 to 13.2.5.40) --- */

static bool ends_name(char c)
{
    return cw_is_space((unsigned char)c) || c == '/' || c == '>';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && cw_is_space((unsigned char)*at))
        at++;
    return at;
}

/* To before the name of an attribute, the ">" of the tag or the end; *slash: a "/" stood right before that. */
static const char *before_name(const char *at, const char *end, bool *slash)
{
    *slash = false;
    for (; at < end && (cw_is_space((unsigned char)*at) || *at == '/'); at++)
        *slash = *at == '/';
    return at;
}

/* The value at `at`, after "=" and white space; returns where it ends, NULL when its quote never closes. */
static const char *take_value(const char *at, const char *end, crawl_slice *value)
{
    const char *start = at;
    if (at < end && (*at == '"' || *at == '\'')) {
        at = find(at + 1, end, *start);
        *value = crawl_slice_of(start + 1, (size_t)(at - start - 1));
        return at < end ? at + 1 : NULL;
    }
    while (at < end && !cw_is_space((unsigned char)*at) && *at != '>')
        at++;
    *value = crawl_slice_of(start, (size_t)(at - start));
    return at;
}

/* The attribute whose name begins at `at`; returns where it ends, NULL when the page ends inside it. */
static const char *take_attribute(const char *at, const char *end, cw_html_attribute *out)
{
    const char *name = at++; /* "=" may begin a name */
    while (at < end && !ends_name(*at) && *at != '=')
        at++;
    out->name = crawl_slice_of(name, (size_t)(at - name));
    out->value = crawl_slice_of(at, 0);
    const char *equals = skip_space(at, end);
    if (equals < end && *equals == '=')
        return take_value(skip_space(equals + 1, end), end, &out->value);
    return at;
}

bool cw_html_next_attribute(crawl_slice *rest, cw_html_attribute *attribute)
{
    const char *end = rest->data + rest->size;
    bool slash;
    const char *at = before_name(rest->data, end, &slash);
    if (at == end)
        return false;
    at = take_attribute(at, end, attribute);
    if (!at)
        at = end;
    *rest = crawl_slice_of(at, (size_t)(end - at));
    return true;
}

/* --- tags --- */

/* The tag whose name begins at `at`; returns the place after its ">", NULL when the page ends first. */
static const char *take_tag(const char *at, const char *end, cw_html_tag *tag)
{
    const char *name = at;
    while (at < end && !ends_name(*at))
        at++;
    tag->name = crawl_slice_of(name, (size_t)(at - name));
    const char *attributes = at;
    cw_html_attribute attribute;
    for (;;) {
        at = before_name(at, end, &tag->self_closing);
        if (at == end)
            return NULL;
        if (*at == '>')
            break;
        at = take_attribute(at, end, &attribute);
        if (!at)
            return NULL;
    }
    tag->attributes = crawl_slice_of(attributes, (size_t)(at - attributes));
    return at + 1;
}

/* Past a comment that opens at `at` (13.2.5.43 to 13.2.5.52): it closes at "-->", where the dashes may be those of "<!--"
 * itself, or at "--!>". */
static const char *skip_comment(const char *at, const char *end)
{
    const char *body = at + 4;
    for (const char *close = find(at + 4, end, '>'); close < end; close = find(close + 1, end, '>')) {
        if (close >= body && memcmp(close - 2, "--", 2) == 0)
            return close + 1;
        if (close >= body + 3 && memcmp(close - 3, "--!", 3) == 0)
            return close + 1;
    }
    return end;
}

static const char *skip_cdata(const char *at, const char *end)
{
    const char *close = memmem(at, (size_t)(end - at), "]]>", 3);
    return close ? close + 3 : end;
}

/* Past "<!", "<?" or "</" that begin no tag. */
static const char *skip_declaration(const char *at, const char *end, bool cdata)
{
    if (stands_at(at, end, crawl_slice_of("<!--", 4)))
        return skip_comment(at, end);
    if (cdata && (size_t)(end - at) >= 9 && memcmp(at, "<![CDATA[", 9) == 0)
        return skip_cdata(at + 9, end);
    return skip_past(at + 2, end, '>');
}

bool cw_html_next_tag(cw_html_scanner *scanner, bool cdata, cw_html_tag *tag)
{
    const char *at = scanner->at;
    const char *end = scanner->end;
    while ((at = find(at, end, '<')) < end) {
        const char *name = at + 1;
        tag->closing = name < end && *name == '/';
        name += tag->closing;
        if (name < end && cw_is_alpha((unsigned char)*name)) {
            at = take_tag(name, end, tag);
            scanner->at = at ? at : end;
            return at != NULL;
        }
        if (name < end && (tag->closing || *name == '!' || *name == '?'))
            at = skip_declaration(at, end, cdata);
        else
            at++;
    }
    scanner->at = end;
    return false;
}

/* --- elements whose content is text --- */

/* Does the tag "<name" or "</name" stand at `at`, name ended? */
static bool tag_at(const char *at, const char *end, crawl_slice open, crawl_slice name)
{
    if (!stands_at(at, end, open) || !stands_at(at + open.size, end, name))
        return false;
    const char *after = at + open.size + name.size;
    return after < end && ends_name(*after);
}

static bool end_tag_at(const char *at, const char *end, crawl_slice name)
{
    return tag_at(at, end, crawl_slice_of("</", 2), name);
}

static crawl_slice step_to(cw_html_scanner *scanner, const char *to)
{
    crawl_slice text = crawl_slice_of(scanner->at, (size_t)(to - scanner->at));
    scanner->at = to;
    return text;
}

crawl_slice cw_html_skip_text(cw_html_scanner *scanner, crawl_slice name)
{
    const char *at = find(scanner->at, scanner->end, '<');
    while (at < scanner->end && !end_tag_at(at, scanner->end, name))
        at = find(at + 1, scanner->end, '<');
    return step_to(scanner, at);
}

/* Where in a script we are: by itself, inside "<!--", or inside "<!-- <script". */
typedef enum script_state { SCRIPT_DATA, SCRIPT_ESCAPED, SCRIPT_DOUBLE_ESCAPED } script_state;

static const char *next_mark(const char *at, const char *end, script_state state)
{
    if (state == SCRIPT_DATA)
        return find(at, end, '<');
    while (at < end && *at != '<' && *at != '-')
        at++;
    return at;
}

crawl_slice cw_html_skip_script(cw_html_scanner *scanner)
{
    const crawl_slice name = crawl_slice_of("script", 6);
    const char *end = scanner->end;
    const char *at = scanner->at;
    script_state state = SCRIPT_DATA;
    for (; (at = next_mark(at, end, state)) < end; at++) {
        if (end_tag_at(at, end, name)) {
            if (state != SCRIPT_DOUBLE_ESCAPED)
                break;
            state = SCRIPT_ESCAPED;
        } else if (state == SCRIPT_DATA && stands_at(at, end, crawl_slice_of("<!--", 4))) {
            state = SCRIPT_ESCAPED;
            at++; /* its dashes may be those of "-->" */
        } else if (state == SCRIPT_ESCAPED && tag_at(at, end, crawl_slice_of("<", 1), name)) {
            state = SCRIPT_DOUBLE_ESCAPED;
        } else if (state != SCRIPT_DATA && stands_at(at, end, crawl_slice_of("-->", 3))) {
            state = SCRIPT_DATA;
        }
    }
    return step_to(scanner, at);
}
