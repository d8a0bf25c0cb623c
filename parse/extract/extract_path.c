#include "parse/extract/extract_path.h"

#include "base/bytes.h"

typedef struct path_scan {
    crawl_slice xpath;
    size_t at;
    size_t from; /* of the piece */
    cw_extract_pieces *out;
    cw_extract_piece piece;
    unsigned level;    /* of brackets */
    uint64_t has_step; /* a bit per level: the path there has a step */
    bool is_operand;   /* an operand precedes, so that a name is an operator */
    bool is_no_path;   /* it has operators */
    bool is_joining;   /* anywhere */
} path_scan;

enum { LEVELS_MAX = 64 };

static bool extract_path_is_of_name(char c)
{
    return cw_is_alnum((unsigned char)c) || (c && strchr("_.-", c)) || (unsigned char)c > 0x7f;
}

/* Returns 0 after the end. */
static char char_at(const path_scan *s, size_t at)
{
    return at < s->xpath.size ? s->xpath.data[at] : '\0';
}

static size_t skip_spaces(const path_scan *s, size_t at)
{
    while (cw_is_space((unsigned char)char_at(s, at)))
        at++;
    return at;
}

static size_t skip_name(const path_scan *s, size_t at)
{
    while (char_at(s, at) && (extract_path_is_of_name(char_at(s, at)) ||
                              (char_at(s, at) == ':' && char_at(s, at + 1) != ':' && char_at(s, at - 1) != ':')))
        at++;
    return at;
}

static bool is_axis(const path_scan *s, size_t end)
{
    size_t at = skip_spaces(s, end);
    return char_at(s, at) == ':' && char_at(s, at + 1) == ':';
}

/* Returns true if a step that begins here returns each node at most once, whatever nodes it begins from. libxml2 knows
 * this of these axes. */
static bool is_disjoint(const path_scan *s, size_t at)
{
    static const char *const axes[] = {"child", "attribute", "self", "namespace"};
    at = skip_spaces(s, at);
    size_t end = skip_name(s, at);
    if (char_at(s, at) == '.')
        return char_at(s, at + 1) != '.';
    if (!is_axis(s, end))
        return true;
    crawl_slice name = crawl_slice_of(s->xpath.data + at, end - at);
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (cw_is(name, axes[i]))
            return true;
    return false;
}

static bool path_has_step(const path_scan *s)
{
    return s->has_step >> s->level & 1;
}

static void end_operand(path_scan *s, bool is_operand)
{
    s->is_operand = is_operand;
    if (is_operand)
        s->has_step |= UINT64_C(1) << s->level;
    else
        s->has_step &= ~(UINT64_C(1) << s->level);
}

static void put_piece(path_scan *s, crawl_slice text, cw_extract_piece next)
{
    if (s->out->count == CW_EXTRACT_PIECES_MAX) {
        s->is_no_path = true;
        return;
    }
    s->piece.text = text;
    s->out->items[s->out->count++] = s->piece;
    s->piece = next;
}

/* Ends the piece, and begins another one at from. */
static void extract_path_cut(path_scan *s, size_t from, cw_extract_piece next)
{
    put_piece(s, crawl_slice_of(s->xpath.data + s->from, s->at - s->from), next);
    s->from = from;
}

static void extract_path_join(path_scan *s)
{
    s->is_joining = s->piece.is_joining = true;
}

static void cut_at_slash(path_scan *s, bool is_double, bool is_disjoint_step)
{
    size_t from = s->at + (is_double ? 2 : 1);
    bool is_later = path_has_step(s);
    if (is_later && (is_double || !is_disjoint_step)) {
        extract_path_cut(s, from, (cw_extract_piece){.is_below = is_double && is_disjoint_step});
        if (is_double && !is_disjoint_step)
            put_piece(s, crawl_slice_from("descendant-or-self::node()"), (cw_extract_piece){0});
    } else if (is_double && !is_disjoint_step) {
        put_piece(s, crawl_slice_from("/descendant-or-self::node()"), (cw_extract_piece){0});
        s->from = from;
    }
}

static void take_slash(path_scan *s)
{
    bool is_double = char_at(s, s->at + 1) == '/';
    size_t from = s->at + (is_double ? 2 : 1);
    bool is_disjoint_step = is_disjoint(s, from);
    if (!s->level)
        cut_at_slash(s, is_double, is_disjoint_step);
    else if (!is_disjoint_step || (is_double && path_has_step(s)))
        extract_path_join(s);
    s->is_operand = false;
    s->has_step |= UINT64_C(1) << s->level;
    s->at = from;
}

/* Returns true if a literal or a number is directly before `from` or after `end`. */
static bool is_value(const path_scan *s, size_t from, size_t end)
{
    size_t next = skip_spaces(s, end);
    size_t last = from;
    while (last && cw_is_space((unsigned char)s->xpath.data[last - 1]))
        last--;
    size_t first = last;
    while (first && extract_path_is_of_name(s->xpath.data[first - 1]))
        first--;
    return strchr("'\"-0123456789", char_at(s, next)) || cw_is_digit((unsigned char)char_at(s, first)) ||
           (last && strchr("'\"", s->xpath.data[last - 1]));
}

/* A comparison of two sets compares each node with each. */
static void take_operator(path_scan *s)
{
    size_t end = s->at + (char_at(s, s->at + 1) == '=' ? 2 : 1);
    if (strchr("=!<>", char_at(s, s->at)) && !is_value(s, s->at, end))
        extract_path_join(s);
    s->is_no_path = s->is_no_path || !s->level;
    end_operand(s, false);
    s->at = end;
}

static void extract_path_take_name(path_scan *s)
{
    size_t end = skip_name(s, s->at);
    if (s->is_operand) {
        s->is_no_path = s->is_no_path || !s->level;
        end_operand(s, false);
    } else if (is_axis(s, end))
        end = skip_spaces(s, end) + 2;
    else
        end_operand(s, true);
    s->at = end;
}

static void take_union(path_scan *s)
{
    if (s->level)
        extract_path_join(s);
    else
        extract_path_cut(s, s->at + 1, (cw_extract_piece){.begins = true});
    end_operand(s, false);
    s->at++;
}

static void take_bracket(path_scan *s, char c)
{
    s->at++;
    if (c == '(' || c == '[') {
        s->level += s->level + 1 < LEVELS_MAX;
        end_operand(s, false);
    } else {
        s->level -= s->level > 0;
        end_operand(s, true);
    }
}

static void take_literal(path_scan *s, char quote)
{
    const char *end = memchr(s->xpath.data + s->at + 1, quote, s->xpath.size - s->at - 1);
    s->at = end ? (size_t)(end - s->xpath.data) + 1 : s->xpath.size;
    end_operand(s, true);
}

static void extract_path_take_token(path_scan *s, char c)
{
    if (cw_is_space((unsigned char)c) || c == '@' || c == '$')
        s->at++;
    else if (c == '\'' || c == '"')
        take_literal(s, c);
    else if (strchr("()[]", c))
        take_bracket(s, c);
    else if (c == '/')
        take_slash(s);
    else if (c == '|')
        take_union(s);
    else if (c == ',') {
        end_operand(s, false);
        s->at++;
    } else if (c == '*' && !s->is_operand) {
        end_operand(s, true);
        s->at++;
    } else if (c != '-' && extract_path_is_of_name(c))
        extract_path_take_name(s);
    else
        take_operator(s);
}

void cw_extract_path_cut(crawl_slice xpath, cw_extract_pieces *out)
{
    path_scan s = {.xpath = xpath, .out = out, .piece = {.begins = true}};
    out->count = 0;
    while (s.at < xpath.size)
        extract_path_take_token(&s, xpath.data[s.at]);
    extract_path_cut(&s, xpath.size, (cw_extract_piece){0});
    if (!s.is_no_path)
        return;
    out->items[0] = (cw_extract_piece){.text = xpath, .begins = true, .is_joining = s.is_joining || out->count > 1};
    out->count = 1;
}
