#include "parse/css/css_token.h"

#include "base/bytes.h"
#include "base/utf8.h"

/* --- characters (CSS Syntax 4.2), as bytes --- */

static bool is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

/* Returns true if a name may begin with c. U+0000 counts, as it becomes U+FFFD before it is read (3.3). */
static bool starts_name(char c)
{
    return cw_is_alpha((unsigned char)c) || c == '_' || c == '\0' || (unsigned char)c >= 0x80;
}

static bool css_token_is_of_name(char c)
{
    return starts_name(c) || cw_is_digit((unsigned char)c) || c == '-';
}

static bool is_unprintable(char c)
{
    return (c > 0 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f;
}

/* Returns the byte n bytes ahead; at the end of the sheet a space, which no caller can take for anything but the end of
 * what it reads. */
static char ahead(const cw_css_scanner *s, size_t n)
{
    return n < (size_t)(s->end - s->at) ? s->at[n] : ' ';
}

static bool is_ahead(const cw_css_scanner *s, const char *text)
{
    return cw_starts_with(crawl_slice_of(s->at, (size_t)(s->end - s->at)), text);
}

/* Returns true if an escape begins n bytes ahead (4.3.8). A backslash at the end of the sheet is one. */
static bool css_token_is_escape(const cw_css_scanner *s, size_t n)
{
    return ahead(s, n) == '\\' && !is_newline(ahead(s, n + 1));
}

/* 4.3.9 */
static bool css_token_is_name(const cw_css_scanner *s, size_t n)
{
    if (ahead(s, n) == '-')
        return starts_name(ahead(s, n + 1)) || ahead(s, n + 1) == '-' || css_token_is_escape(s, n + 1);
    return starts_name(ahead(s, n)) || css_token_is_escape(s, n);
}

/* 4.3.10 */
static bool css_token_is_number(const cw_css_scanner *s)
{
    size_t sign = ahead(s, 0) == '+' || ahead(s, 0) == '-';
    size_t point = ahead(s, sign) == '.';
    return cw_is_digit((unsigned char)ahead(s, sign + point));
}

/* --- escapes --- */

uint32_t cw_css_take_escape(const char **at, const char *end)
{
    enum { MOST_DIGITS = 6 };
    uint32_t code = 0;
    int digits = 0;
    ++*at;
    for (; digits < MOST_DIGITS && *at < end && cw_hex_value((unsigned char)**at) >= 0; digits++, ++*at)
        code = code * 16 + (uint32_t)cw_hex_value((unsigned char)**at);
    if (digits == 0) {
        cw_utf8 next = *at < end ? cw_utf8_next(*at, end) : (cw_utf8){.code = 0};
        *at += next.size;
        return next.code ? next.code : CW_UTF8_REPLACEMENT;
    }
    if (end - *at >= 2 && (*at)[0] == '\r' && (*at)[1] == '\n')
        *at += 2;
    else if (*at < end && cw_is_space((unsigned char)**at))
        ++*at;
    bool scalar = code && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return scalar ? code : CW_UTF8_REPLACEMENT;
}

/* Takes the next character of a name or content, which extends to end. */
static uint32_t css_token_take_code(const char **at, const char *end)
{
    if (**at == '\\')
        return cw_css_take_escape(at, end);
    cw_utf8 next = cw_utf8_next(*at, end);
    *at += next.size;
    return next.code ? next.code : CW_UTF8_REPLACEMENT;
}

bool cw_css_is_named(crawl_slice name, const char *word)
{
    const char *end = name.data + name.size;
    for (const char *at = name.data; at < end; word++) {
        uint32_t code = css_token_take_code(&at, end);
        if (code > 0x7f || *word == '\0' || cw_lower((unsigned char)code) != (unsigned char)*word)
            return false;
    }
    return *word == '\0';
}

bool cw_css_is_coded(crawl_slice name)
{
    return cw_find_char(name, '\\') < name.size || cw_find_char(name, '\0') < name.size ||
           cw_utf8_valid_prefix(name) < name.size;
}

/* Moves *at past a backslash without a meaning in a string: with the line end after it, or as its last byte. */
static bool skip_joint(const char **at, const char *end)
{
    bool last = end - *at == 1;
    if (**at != '\\' || (!last && !is_newline((*at)[1])))
        return false;
    bool pair = end - *at > 2 && (*at)[1] == '\r' && (*at)[2] == '\n';
    *at += last ? 1 : 2 + pair;
    return true;
}

crawl_err cw_css_decode_name(crawl_slice name, bool string, crawl_buf *out)
{
    const char *end = name.size ? name.data + name.size : name.data; /* an empty one may be at NULL */
    crawl_err err = CRAWL_OK;
    for (const char *at = name.data; at < end && !err;) {
        if (string && skip_joint(&at, end))
            continue;
        char character[4];
        err = crawl_buf_append(out, character, cw_utf8_encode(css_token_take_code(&at, end), character));
    }
    return err;
}

/* --- tokens (4.3) --- */

static void css_token_skip_space(cw_css_scanner *s)
{
    while (s->at < s->end && cw_is_space((unsigned char)*s->at))
        s->at++;
}

static void skip_escape(cw_css_scanner *s)
{
    cw_css_take_escape(&s->at, s->end);
}

static void skip_comments(cw_css_scanner *s)
{
    while (is_ahead(s, "/*")) {
        const char *inside = s->at + 2;
        const char *found = memmem(inside, (size_t)(s->end - inside), "*/", 2);
        s->at = found ? found + 2 : s->end;
    }
}

static crawl_slice css_token_since(const cw_css_scanner *s, const char *start)
{
    return crawl_slice_of(start, (size_t)(s->at - start));
}

/* 4.3.11 */
static crawl_slice css_token_take_name(cw_css_scanner *s)
{
    const char *start = s->at;
    while (s->at < s->end && (css_token_is_of_name(*s->at) || css_token_is_escape(s, 0))) {
        if (*s->at == '\\')
            skip_escape(s);
        else
            s->at++;
    }
    return css_token_since(s, start);
}

static void css_token_skip_digits(cw_css_scanner *s)
{
    while (s->at < s->end && cw_is_digit((unsigned char)*s->at))
        s->at++;
}

/* 4.3.12 */
static void skip_number(cw_css_scanner *s)
{
    s->at += *s->at == '+' || *s->at == '-';
    css_token_skip_digits(s);
    if (ahead(s, 0) == '.' && cw_is_digit((unsigned char)ahead(s, 1))) {
        s->at++;
        css_token_skip_digits(s);
    }
    size_t sign = ahead(s, 1) == '+' || ahead(s, 1) == '-';
    if (cw_lower((unsigned char)ahead(s, 0)) == 'e' && cw_is_digit((unsigned char)ahead(s, 1 + sign))) {
        s->at += 1 + sign;
        css_token_skip_digits(s);
    }
}

/* 4.3.3 */
static void take_numeric(cw_css_scanner *s, cw_css_token *token)
{
    skip_number(s);
    token->type = CW_CSS_NUMBER;
    if (css_token_is_name(s, 0)) {
        token->type = CW_CSS_DIMENSION;
        token->name = css_token_take_name(s);
    } else if (ahead(s, 0) == '%') {
        token->type = CW_CSS_PERCENTAGE;
        s->at++;
    }
}

/* 4.3.5. The line end after a bad string is a token of its own. */
static void css_token_take_string(cw_css_scanner *s, cw_css_token *token)
{
    char quote = *s->at++;
    const char *start = s->at;
    while (s->at < s->end && *s->at != quote && !is_newline(*s->at)) {
        bool joint = *s->at == '\\' && skip_joint(&s->at, s->end);
        if (joint)
            continue;
        if (*s->at == '\\')
            skip_escape(s);
        else
            s->at++;
    }
    token->name = css_token_since(s, start);
    bool bad = s->at < s->end && *s->at != quote;
    token->type = bad ? CW_CSS_BAD_STRING : CW_CSS_STRING;
    s->at += s->at < s->end && !bad;
}

/* 4.3.14 */
static void skip_bad_url(cw_css_scanner *s)
{
    while (s->at < s->end && *s->at != ')') {
        if (css_token_is_escape(s, 0))
            skip_escape(s);
        else
            s->at++;
    }
    s->at += s->at < s->end;
}

static bool is_of_url(const cw_css_scanner *s)
{
    char c = *s->at;
    return !cw_is_space((unsigned char)c) && c != ')' && c != '"' && c != '\'' && c != '(' && !is_unprintable(c) &&
           (c != '\\' || css_token_is_escape(s, 0));
}

/* 4.3.6, after "url(" */
static void css_token_take_url(cw_css_scanner *s, cw_css_token *token)
{
    css_token_skip_space(s);
    const char *start = s->at;
    while (s->at < s->end && is_of_url(s)) {
        if (*s->at == '\\')
            skip_escape(s);
        else
            s->at++;
    }
    token->name = css_token_since(s, start);
    css_token_skip_space(s);
    bool good = s->at == s->end || *s->at == ')';
    token->type = good ? CW_CSS_URL : CW_CSS_BAD_URL;
    if (good)
        s->at += s->at < s->end;
    else
        skip_bad_url(s);
}

/* Returns true if a string comes next, after any white space. */
static bool is_quote_next(cw_css_scanner s)
{
    css_token_skip_space(&s);
    return ahead(&s, 0) == '"' || ahead(&s, 0) == '\'';
}

/* 4.3.4 */
static void css_token_take_word(cw_css_scanner *s, cw_css_token *token)
{
    token->name = css_token_take_name(s);
    token->type = CW_CSS_IDENT;
    if (ahead(s, 0) != '(')
        return;
    s->at++;
    token->type = CW_CSS_FUNCTION;
    if (cw_css_is_named(token->name, "url") && !is_quote_next(*s))
        css_token_take_url(s, token);
}

/* Takes a token that "#" or "@" begins: of this type if a name follows, otherwise a delim. */
static void take_marked(cw_css_scanner *s, cw_css_token *token, cw_css_type type)
{
    token->id = css_token_is_name(s, 1);
    bool named = token->id || (type == CW_CSS_HASH && (css_token_is_of_name(ahead(s, 1)) || css_token_is_escape(s, 1)));
    s->at++;
    token->type = named ? type : CW_CSS_DELIM;
    if (named)
        token->name = css_token_take_name(s);
}

/* Returns the type of a token that is always one byte. */
static cw_css_type type_of_byte(char c)
{
    switch (c) {
    case ':':
        return CW_CSS_COLON;
    case ';':
        return CW_CSS_SEMICOLON;
    case ',':
        return CW_CSS_COMMA;
    case '(':
    case '[':
    case '{':
        return CW_CSS_OPEN;
    case ')':
    case ']':
    case '}':
        return CW_CSS_CLOSE;
    default:
        return CW_CSS_DELIM;
    }
}

static void take_mark(cw_css_scanner *s, cw_css_token *token, const char *mark, cw_css_type type)
{
    token->type = type;
    s->at += strlen(mark);
}

/* 4.3.1 */
static void css_take_token(cw_css_scanner *s, cw_css_token *token)
{
    char c = *s->at;
    if (cw_is_space((unsigned char)c)) {
        token->type = CW_CSS_WHITESPACE;
        css_token_skip_space(s);
    } else if (c == '"' || c == '\'') {
        css_token_take_string(s, token);
    } else if (c == '#' || c == '@') {
        take_marked(s, token, c == '#' ? CW_CSS_HASH : CW_CSS_AT_KEYWORD);
    } else if (css_token_is_number(s)) {
        take_numeric(s, token);
    } else if (is_ahead(s, "-->")) {
        take_mark(s, token, "-->", CW_CSS_CDC);
    } else if (css_token_is_name(s, 0)) {
        css_token_take_word(s, token);
    } else if (is_ahead(s, "<!--")) {
        take_mark(s, token, "<!--", CW_CSS_CDO);
    } else {
        token->type = type_of_byte(c);
        s->at++;
    }
}

bool cw_css_next(cw_css_scanner *s, cw_css_token *token)
{
    skip_comments(s);
    if (s->at == s->end)
        return false;
    const char *start = s->at;
    *token = (cw_css_token){0};
    css_take_token(s, token);
    token->raw = css_token_since(s, start);
    return true;
}
