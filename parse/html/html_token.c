/* See html_token.h. Every loop only moves forward, so that the time for a page is proportional to its size, whatever it
 * contains. */
#include "parse/html/html_token.h"

#include "parse/html/html_find.h"

#include "base/bytes.h"

static const char *html_token_skip_past(const char *at, const char *end, char wanted)
{
    at = cw_html_find(at, end, wanted);
    return at < end ? at + 1 : end;
}

/* Returns true if `text`, in any case, is at `at`. */
static bool stands_at(const char *at, const char *end, crawl_slice text)
{
    return (size_t)(end - at) >= text.size && cw_equal_nocase(crawl_slice_of(at, text.size), text);
}

enum { IS_SPACE = CW_SPACE | CW_ENDS_NAME | CW_ENDS_LABEL | CW_ENDS_VALUE | CW_BEFORE_NAME };

const uint8_t cw_html_classes[256] = {
    ['\t'] = IS_SPACE,
    ['\n'] = IS_SPACE,
    ['\f'] = IS_SPACE,
    ['\r'] = IS_SPACE,
    [' '] = IS_SPACE,
    ['/'] = CW_ENDS_NAME | CW_ENDS_LABEL | CW_BEFORE_NAME,
    ['>'] = CW_ENDS_NAME | CW_ENDS_LABEL | CW_ENDS_VALUE,
    ['='] = CW_ENDS_LABEL,
};

/* --- attributes (13.2.5.32 to 13.2.5.40) --- */

typedef struct attribute {
    crawl_slice name;
    crawl_slice value; /* without quotes */
} attribute;

/* Takes the value between the quote at `at` and the next. Returns where it ends; NULL: its quote never closes. */
static inline const char *html_token_take_quoted(const char *at, const char *end, crawl_slice *value)
{
    const char *close = cw_html_find(at + 1, end, *at);
    *value = crawl_slice_of(at + 1, (size_t)(close - at - 1));
    return close < end ? close + 1 : NULL;
}

/* Takes the value at `at`, after "=" and white space. Returns where it ends; NULL: its quote never closes. */
static inline const char *html_token_take_value(const char *at, const char *end, crawl_slice *value)
{
    const char *start = at;
    if (at < end && (*at == '"' || *at == '\''))
        return html_token_take_quoted(at, end, value);
    at = cw_html_skip_to(at, end, CW_ENDS_VALUE);
    *value = crawl_slice_of(start, (size_t)(at - start));
    return at;
}

/* Takes the attribute whose name begins at `at`. Returns where it ends; NULL: the page ends inside it. */
static inline const char *html_token_take_attribute(const char *at, const char *end, attribute *out)
{
    const char *name = at;
    at = cw_html_skip_name(at + 1, end, CW_ENDS_LABEL); /* "=" may begin a name */
    out->name = crawl_slice_of(name, (size_t)(at - name));
    out->value = crawl_slice_of(at, 0);
    if (end - at > 1 && *at == '=' && at[1] == '"') /* as most attributes are written */
        return html_token_take_quoted(at + 1, end, &out->value);
    const char *equals = cw_html_skip(at, end, CW_SPACE);
    if (equals < end && *equals == '=')
        return html_token_take_value(cw_html_skip(equals + 1, end, CW_SPACE), end, &out->value);
    return at;
}

bool cw_html_is_posted(crawl_slice method)
{
    return cw_is_nocase(method, "post") || cw_is_nocase(method, "dialog");
}

bool cw_html_next_attribute(crawl_slice *rest, crawl_slice *name, crawl_slice *value)
{
    const char *end = rest->data + rest->size;
    const char *at = cw_html_skip(rest->data, end, CW_BEFORE_NAME);
    if (at == end || *at == '>')
        return false;
    attribute a;
    at = html_token_take_attribute(at, end, &a);
    *name = a.name;
    *value = a.value;
    *rest = crawl_slice_of(at, at ? (size_t)(end - at) : 0);
    return at != NULL;
}

/* Takes the next attribute of the tag at *at. 1: there is one; 0: the tag ends here, and *at is after it; -1: the page
 * ends first. */
static inline int html_token_next_attribute(const char **at, const char *end, attribute *out, bool *self_closing)
{
    const char *before = *at;
    const char *name = cw_html_skip(before, end, CW_BEFORE_NAME);
    if (name == end)
        return -1;
    if (*name == '>') {
        *self_closing = name > before && name[-1] == '/';
        *at = name + 1;
        return 0;
    }
    *at = html_token_take_attribute(name, end, out);
    return *at ? 1 : -1;
}

bool cw_html_finish_tag(cw_html_scanner *scanner, unsigned wanted, cw_html_values *values, bool *self_closing)
{
    const char *at = scanner->at;
    const char *end = scanner->end;
    attribute a;
    values->found = 0;
    int found = html_token_next_attribute(&at, end, &a, self_closing);
    for (; found > 0; found = html_token_next_attribute(&at, end, &a, self_closing)) {
        unsigned bit = cw_html_attribute_named(a.name, wanted & ~values->found);
        if (bit)
            values->value[__builtin_ctz(bit)] = a.value;
        values->found |= bit;
    }
    scanner->at = found < 0 ? end : at;
    return found == 0;
}

bool cw_html_split_tag(cw_html_scanner *scanner, cw_html_attributes *attributes, bool *self_closing)
{
    const char *at = scanner->at;
    const char *end = scanner->end;
    size_t count = 0;
    attribute a;
    const char *rest = NULL;
    int found = html_token_next_attribute(&at, end, &a, self_closing);
    for (; found > 0; found = html_token_next_attribute(&at, end, &a, self_closing)) {
        if (count == CW_HTML_SPLIT) {
            rest = rest ? rest : a.name.data;
            continue;
        }
        attributes->split[count].name = a.name;
        attributes->split[count++].value = a.value;
    }
    attributes->count = count;
    scanner->at = found < 0 ? end : at;
    attributes->rest = crawl_slice_of(rest, rest ? (size_t)(scanner->at - rest) : 0);
    return found == 0;
}

void cw_html_values_of(const cw_html_attributes *attributes, unsigned wanted, cw_html_values *values)
{
    cw_html_cursor cursor = cw_html_first_of(attributes);
    crawl_slice name, value;
    values->found = 0;
    while (wanted & ~values->found && cw_html_next_of(&cursor, &name, &value)) {
        unsigned bit = cw_html_attribute_named(name, wanted & ~values->found);
        if (bit)
            values->value[__builtin_ctz(bit)] = value;
        values->found |= bit;
    }
}

/* --- tags --- */

/* Skips a comment that opens at `at` (13.2.5.43 to 13.2.5.52): it closes at "-->", where the dashes may be those of
 * "<!--" itself, or at "--!>". */
static const char *skip_comment(const char *at, const char *end)
{
    const char *body = at + 4;
    for (const char *close = cw_html_find(at + 4, end, '>'); close < end; close = cw_html_find(close + 1, end, '>')) {
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

static const char cdata_start[] = "<![CDATA[";
enum { CDATA_START = sizeof cdata_start - 1 };

static bool is_cdata(const char *at, const char *end)
{
    return (size_t)(end - at) >= CDATA_START && memcmp(at, cdata_start, CDATA_START) == 0;
}

/* Skips a "<!", "<?" or "</" that begins no tag. */
static const char *html_token_skip_declaration(const char *at, const char *end, bool cdata)
{
    if (stands_at(at, end, crawl_slice_of("<!--", 4)))
        return skip_comment(at, end);
    if (cdata && is_cdata(at, end))
        return skip_cdata(at + CDATA_START, end);
    return html_token_skip_past(at + 2, end, '>');
}

/* Skips markup that begins with the "<" at `at` and is not a tag. */
static const char *skip_no_tag(const char *at, const char *end, bool cdata)
{
    bool declaration = end - at > 1 && (at[1] == '!' || at[1] == '?');
    bool closing = end - at > 2 && at[1] == '/';
    return declaration || closing ? html_token_skip_declaration(at, end, cdata) : at + 1;
}

/* Examines the markup that begins with the "<" at `at`. true: it is a tag, and *rest is the end of its name. false: it
 * is not, and *rest is its end. */
static inline bool html_token_take_tag(const cw_html_scanner *scanner, const char *at, cw_html_tag *tag,
                                       const char **rest)
{
    const char *end = scanner->end;
    const char *name = at + 1;
    bool closing = name < end && *name == '/';
    if (closing)
        name++;
    if (name == end || !cw_is_alpha((unsigned char)*name)) {
        *rest = skip_no_tag(at, end, scanner->cdata);
        return false;
    }
    *rest = cw_html_skip_name(name, end, CW_ENDS_NAME);
    *tag = (cw_html_tag){crawl_slice_of(name, (size_t)(*rest - name)), closing};
    return true;
}

static inline const char *find_tag(const cw_html_scanner *scanner, const char *at)
{
    if (scanner->skimmer)
        return cw_html_skim(scanner->skimmer, at, scanner->end);
    return at < scanner->end && *at == '<' ? at : cw_html_find(at, scanner->end, '<'); /* as it is after a text */
}

bool cw_html_next_tag(cw_html_scanner *scanner, cw_html_tag *tag)
{
    bool taken = false;
    const char *rest = find_tag(scanner, scanner->at);
    while (rest < scanner->end && !taken) {
        taken = html_token_take_tag(scanner, rest, tag, &rest);
        rest = taken ? rest : find_tag(scanner, rest);
    }
    scanner->at = rest;
    return taken;
}

/* --- text between tags --- */

static bool is_tag(const char *at, const char *end)
{
    const char *name = at + 1 + (end - at > 1 && at[1] == '/');
    return name < end && cw_is_alpha((unsigned char)*name);
}

/* Returns the text of the section that was stepped over; its end may be missing if the page ends. */
static crawl_slice text_of_cdata(const char *at, const char *end)
{
    crawl_slice text = crawl_slice_of(at + CDATA_START, (size_t)(end - at) - CDATA_START);
    if (text.size >= 3 && memcmp(end - 3, "]]>", 3) == 0)
        text.size -= 3;
    return text;
}

bool cw_html_next_text(cw_html_scanner *scanner, crawl_slice *text, crawl_slice *cdata)
{
    const char *start = scanner->at;
    const char *end = scanner->end;
    const char *at = cw_html_find(start, end, '<');
    const char *rest = at;
    while (at < end && !is_tag(at, end)) {
        rest = skip_no_tag(at, end, scanner->cdata);
        if (rest > at + 1)
            break;
        at = rest = cw_html_find(rest, end, '<');
    }
    *text = crawl_slice_of(start, (size_t)(at - start));
    *cdata = scanner->cdata && rest > at && is_cdata(at, end) ? text_of_cdata(at, rest) : (crawl_slice){0};
    scanner->at = rest;
    return rest > start;
}

/* --- elements whose content is text --- */

/* Returns true if the tag "<name" or "</name" is at `at` and the name ends there. */
static bool tag_at(const char *at, const char *end, crawl_slice open, crawl_slice name)
{
    if (!stands_at(at, end, open) || !stands_at(at + open.size, end, name))
        return false;
    const char *after = at + open.size + name.size;
    return after < end && cw_html_is_of(*after, CW_ENDS_NAME);
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
    const char *at = cw_html_find(scanner->at, scanner->end, '<');
    while (at < scanner->end && !end_tag_at(at, scanner->end, name))
        at = cw_html_find(at + 1, scanner->end, '<');
    return step_to(scanner, at);
}

/* The state inside a script: plain, inside "<!--", or inside "<!-- <script". */
typedef enum script_state { SCRIPT_DATA, SCRIPT_ESCAPED, SCRIPT_DOUBLE_ESCAPED } script_state;

static const char *next_mark(const char *at, const char *end, script_state state)
{
    return state == SCRIPT_DATA ? cw_html_find(at, end, '<') : cw_html_find_either(at, end, '<', '-');
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
