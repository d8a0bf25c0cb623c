#include "parse/script/script_token.h"

#include "base/bytes.h"

/* Nested substitutions that are skipped; deeper ones end the text. */
enum { MAX_NESTING = 16 };

static bool is_word(char c)
{
    return cw_is_alnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && cw_is_space((unsigned char)*at))
        at++;
    return at;
}

/* Returns the next byte that is not white space. NUL: there is none. */
static char script_peek(const char *at, const char *end)
{
    at = skip_space(at, end);
    return at < end ? *at : '\0';
}

/* --- skipping --- */

static const char *skip_template(const char *at, const char *end, bool *substitutes, unsigned nesting);

/* Steps past the quote that closes a string. NULL: its line ends first. */
static const char *skip_quoted(const char *at, const char *end, bool *has_escapes)
{
    for (char quote = *at++; at < end && *at != '\n'; at++) {
        if (*at == quote)
            return at + 1;
        if (*at == '\\') {
            *has_escapes = true;
            at += at + 1 < end;
        }
    }
    return NULL;
}

/* Steps past the "}" of a substitution. */
static const char *skip_substitution(const char *at, const char *end, unsigned nesting)
{
    bool ignored = false;
    for (unsigned braces = 1; at < end;) {
        const char *behind = NULL;
        if (*at == '`')
            behind = skip_template(at, end, &ignored, nesting);
        else if (*at == '"' || *at == '\'')
            behind = skip_quoted(at, end, &ignored);
        if (*at == '{')
            braces++;
        else if (*at == '}' && --braces == 0)
            return at + 1;
        at = behind ? behind : at + 1;
    }
    return end;
}

/* Steps past the "`" that closes a template, or to the end. */
static const char *skip_template(const char *at, const char *end, bool *substitutes, unsigned nesting)
{
    if (nesting == MAX_NESTING)
        return end;
    for (at++; at < end; at++) {
        if (*at == '`')
            return at + 1;
        if (*at == '\\') {
            at += at + 1 < end;
        } else if (*at == '$' && end - at > 1 && at[1] == '{') {
            *substitutes = true;
            at = skip_substitution(at + 2, end, nesting + 1) - 1;
        }
    }
    return end;
}

static const char *skip_block_comment(const char *at, const char *end)
{
    crawl_slice rest = crawl_slice_of(at, (size_t)(end - at));
    size_t behind = cw_find_text(rest, "*/");
    return behind < rest.size ? at + behind + 2 : end;
}

static const char *skip_line(const char *at, const char *end)
{
    const char *line = memchr(at, '\n', (size_t)(end - at));
    return line ? line : end;
}

/* Steps past a regular expression; if its line ends first, it is not one, and only its "/" is skipped. */
static const char *skip_pattern(const char *start, const char *end)
{
    bool in_class = false;
    for (const char *at = start + 1; at < end && *at != '\n'; at++) {
        if (*at == '\\')
            at += at + 1 < end;
        else if (*at == '[')
            in_class = true;
        else if (*at == ']')
            in_class = false;
        else if (*at == '/' && !in_class)
            return at + 1;
    }
    return start + 1;
}

/* The "/" of an HTML end tag begins no pattern, though no value precedes it. */
static void skip_slash(cw_script_reader *r, bool is_in_tag)
{
    char next = r->at + 1 < r->end ? r->at[1] : '\0';
    if (next == '/') {
        r->at = skip_line(r->at, r->end);
    } else if (next == '*') {
        r->at = skip_block_comment(r->at + 2, r->end);
    } else {
        r->at = r->is_value || is_in_tag ? r->at + 1 : skip_pattern(r->at, r->end);
        r->is_value = !r->is_value;
    }
}

/* --- names --- */

static void forget_name(cw_script_reader *r)
{
    r->name = (crawl_slice){0};
    r->how = CW_SCRIPT_ALONE;
    r->arrays = 0;
}

/* A word names what comes next if ":", "=" or "(" follows it. */
static void take_name(cw_script_reader *r, crawl_slice name)
{
    const char *at = skip_space(r->at, r->end);
    char c = at < r->end ? *at : '\0';
    char behind = r->end - at > 1 ? at[1] : '\0';
    forget_name(r);
    if (c == ':' || (c == '=' && behind != '=' && behind != '>'))
        r->how = CW_SCRIPT_VALUE;
    else if (c == '(')
        r->how = CW_SCRIPT_CALL;
    else
        return;
    r->name = name;
    r->at = at + 1;
    r->is_value = false;
}

/* Returns true for words after which a "/" begins a regular expression. */
static bool is_before_value(crawl_slice word)
{
    static const char *const words[] = {"return", "typeof", "case",  "in",  "of",
                                        "delete", "void",   "throw", "new", "else"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (cw_is(word, words[i]))
            return true;
    return false;
}

/* Takes numbers too, which change no name: arrays have them before a string. */
static void take_word(cw_script_reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && is_word(*r->at))
        r->at++;
    crawl_slice word = crawl_slice_of(start, (size_t)(r->at - start));
    r->is_value = !is_before_value(word);
    if (!cw_is_digit((unsigned char)*start))
        take_name(r, word);
}

static void script_take_mark(cw_script_reader *r)
{
    char c = *r->at++;
    r->is_value = c == ')' || c == ']' || c == '}';
    if (c == '[' && r->how == CW_SCRIPT_VALUE) {
        r->arrays++;
    } else if (c == ']' && r->arrays > 1) {
        r->arrays--;
    } else if (c != ',' || !r->arrays) {
        forget_name(r);
    }
}

/* --- strings --- */

/* Takes a string. One that names another is returned without a name of its own, and is the name of what follows. */
static bool take_string(cw_script_reader *r, bool is_behind_plus, cw_script_string *string)
{
    bool has_escapes = false, substitutes = false;
    const char *start = r->at;
    const char *behind =
        *start == '`' ? skip_template(start, r->end, &substitutes, 0) : skip_quoted(start, r->end, &has_escapes);
    if (!behind || substitutes || behind - start < 2 || behind[-1] != *start) {
        r->at = behind ? behind : start + 1;
        r->is_value = true;
        return false;
    }
    char next = script_peek(behind, r->end);
    *string = (cw_script_string){
        .raw = crawl_slice_of(start + 1, (size_t)(behind - start) - 2),
        .name = r->name,
        .how = r->how,
        .has_escapes = has_escapes || (*start == '`' && memchr(start, '\\', (size_t)(behind - start))),
        .is_key = next == ':',
        .is_part = is_behind_plus || next == '+' || next == '.',
    };
    r->at = behind;
    r->is_value = true;
    if (string->is_key) {
        string->how = CW_SCRIPT_ALONE;
        take_name(r, string->raw);
    } else if (!r->arrays) {
        forget_name(r);
    }
    return true;
}

bool cw_script_next(cw_script_reader *reader, cw_script_string *string)
{
    while (reader->at < reader->end) {
        char c = *reader->at, before = reader->before;
        if (cw_is_space((unsigned char)c)) {
            reader->at++;
            continue;
        }
        reader->before = c;
        if (c == '"' || c == '\'' || c == '`') {
            if (take_string(reader, before == '+', string))
                return true;
        } else if (c == '/') {
            skip_slash(reader, before == '<');
        } else if (is_word(c)) {
            take_word(reader);
        } else {
            script_take_mark(reader);
        }
    }
    return false;
}
