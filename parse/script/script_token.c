#include "parse/script/script_token.h"

#include "base/array.h"
#include "base/bytes.h"

/* Nested substitutions that are skipped; deeper ones end the text. */
enum { MAX_NESTING = 16 };

static bool is_word(char c)
{
    return cw_is_alnum((unsigned char)c) || c == '_' || c == '$' || (signed char)c < 0;
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

static const char *skip_template(const char *at, const char *end, const char **unclosed, bool *substitutes,
                                 unsigned nesting);

/* Steps past the quote that closes a string. NULL: its line ends first. */
static const char *skip_quoted(const char *start, const char *end, const char **unclosed, bool *has_escapes)
{
    const char **limit = &unclosed[*start == '\''], *at = start + 1;
    if (start < *limit)
        return NULL;
    for (; at < end && *at != '\n'; at++) {
        if (*at == *start)
            return at + 1;
        if (*at == '\\') {
            *has_escapes = true;
            at += at + 1 < end;
        }
    }
    *limit = at;
    return NULL;
}

/* Steps past the "}" of a substitution. */
static const char *skip_substitution(const char *at, const char *end, const char **unclosed, unsigned nesting)
{
    bool ignored = false;
    for (unsigned braces = 1; at < end;) {
        const char *behind = NULL;
        if (*at == '`')
            behind = skip_template(at, end, unclosed, &ignored, nesting);
        else if (*at == '"' || *at == '\'')
            behind = skip_quoted(at, end, unclosed, &ignored);
        if (*at == '{')
            braces++;
        else if (*at == '}' && --braces == 0)
            return at + 1;
        at = behind ? behind : at + 1;
    }
    return end;
}

/* Steps past the "`" that closes a template, or to the end. */
static const char *skip_template(const char *at, const char *end, const char **unclosed, bool *substitutes,
                                 unsigned nesting)
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
            at = skip_substitution(at + 2, end, unclosed, nesting + 1) - 1;
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
static const char *skip_pattern(const char *start, const char *end, const char **unclosed)
{
    const char **limit = &unclosed[2], *at = start + 1;
    bool in_class = false;
    if (start < *limit)
        return at;
    for (; at < end && *at != '\n'; at++) {
        if (*at == '\\')
            at += at + 1 < end;
        else if (*at == '[')
            in_class = true;
        else if (*at == ']')
            in_class = false;
        else if (*at == '/' && !in_class)
            return at + 1;
    }
    *limit = at;
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
        r->at = r->is_value || is_in_tag ? r->at + 1 : skip_pattern(r->at, r->end, r->unclosed);
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
    if (c == '(' && script_peek(at + 1, r->end) == '{')
        r->call = name;
    r->name = name;
    r->at = at + 1;
    r->is_value = false;
}

/* Returns true for words after which a "/" begins a regular expression. */
static bool is_before_value(crawl_slice word)
{
    static const char *const words[] = {"return", "typeof", "case",  "in",  "of",
                                        "delete", "void",   "throw", "new", "else"};
    for (size_t i = 0; word.size > 1 && cw_is_alpha((unsigned char)*word.data) && i < sizeof words / sizeof *words; i++)
        if (word.data[0] == words[i][0] && cw_is(word, words[i]))
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
    r->joins |= c == ']' && script_peek(r->at, r->end) == '.';
    if (c == '}')
        r->call = (crawl_slice){0};
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
    const char *behind = *start == '`' ? skip_template(start, r->end, r->unclosed, &substitutes, 0)
                                       : skip_quoted(start, r->end, r->unclosed, &has_escapes);
    r->joins |= substitutes;
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
        .call = r->call,
        .has_escapes = has_escapes || (*start == '`' && memchr(start, '\\', (size_t)(behind - start))),
        .is_key = next == ':',
        .is_part = is_behind_plus || next == '+' || next == '.',
    };
    r->at = behind;
    r->is_value = true;
    r->joins |= string->is_part;
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

/* --- all tokens --- */

typedef struct script_lexer {
    cw_script_tokens *out; /* has room for what a step adds */
    const char *at;
    const char *end;
    const char *unclosed[CW_SCRIPT_UNCLOSED];
    uint32_t open; /* innermost bracket without a pair; its extent is the one around it */
} script_lexer;

static void lexer_add(script_lexer *l, char kind, const char *at, size_t extent)
{
    uint32_t limit = extent < CW_SCRIPT_NO_TOKEN ? (uint32_t)extent : CW_SCRIPT_NO_TOKEN;
    uint32_t place = (uint32_t)(at - l->out->text.data);
    l->out->list[l->out->count++] = (cw_script_token){place, (unsigned char)kind, limit & CW_SCRIPT_NO_TOKEN};
}

static void lexer_open(script_lexer *l, char kind, size_t size)
{
    uint32_t bracket = (uint32_t)l->out->count;
    lexer_add(l, kind, l->at, l->open);
    l->open = bracket;
    l->at += size;
}

static void lexer_close(script_lexer *l, char kind)
{
    cw_script_token *bracket = &l->out->list[l->open];
    uint32_t around = bracket->extent;
    bracket->extent = (uint32_t)l->out->count & CW_SCRIPT_NO_TOKEN;
    lexer_add(l, kind, l->at++, around);
    l->open = around;
}

/* Takes the rest of a template up to its end or its next substitution. */
static void lexer_take_piece(script_lexer *l)
{
    const char *start = l->at;
    while (l->at < l->end && *l->at != '`' && !(*l->at == '$' && l->end - l->at > 1 && l->at[1] == '{'))
        l->at += *l->at == '\\' && l->end - l->at > 1 ? 2 : 1;
    if (l->at > start)
        lexer_add(l, CW_SCRIPT_STRING, start, (size_t)(l->at - start));
    if (l->at == l->end)
        return;
    if (*l->at == '`')
        lexer_close(l, CW_SCRIPT_ENDS);
    else
        lexer_open(l, CW_SCRIPT_INSERTS, 2);
}

static void lexer_take_string(script_lexer *l)
{
    bool ignored;
    const char *start = l->at, *behind = skip_quoted(start, l->end, l->unclosed, &ignored);
    l->at = behind ? behind : start + 1;
    if (behind)
        lexer_add(l, CW_SCRIPT_STRING, start + 1, (size_t)(behind - start) - 2);
}

static void lexer_take_word(script_lexer *l)
{
    const char *start = l->at;
    while (l->at < l->end && is_word(*l->at))
        l->at++;
    bool is_number = cw_is_digit((unsigned char)*start);
    lexer_add(l, is_number ? CW_SCRIPT_NUMBER : CW_SCRIPT_WORD, start, (size_t)(l->at - start));
}

static void lexer_take_operator(script_lexer *l)
{
    const char *start = l->at++;
    char kind = *start;
    char next = l->at < l->end ? *l->at : '\0';
    if (next != '=' && next != '>' && next != '.' && next != kind) {
        lexer_add(l, kind, start, 1);
        return;
    }
    if ((next == kind && strchr("+-&|?*<>", kind)) || (kind == '?' && next == '.')) {
        l->at++;
        kind = kind == '+' || kind == '-' ? CW_SCRIPT_STEPS : CW_SCRIPT_OPERATOR;
    } else if (kind == '=' && next == '>') {
        l->at++;
        kind = CW_SCRIPT_ARROW;
    }
    bool may_set = kind == CW_SCRIPT_OPERATOR || strchr("=!<>+-*/%&|^", kind);
    if (may_set && l->at < l->end && *l->at == '=') {
        kind = strchr("=!<>", kind) ? CW_SCRIPT_OPERATOR : CW_SCRIPT_SETS;
        for (int i = 0; i < 2 && l->at < l->end && *l->at == '='; i++)
            l->at++;
    }
    lexer_add(l, kind, start, (size_t)(l->at - start));
}

/* Returns true if the last token is a value, so that a "/" divides. An HTML end tag is no pattern either. */
static bool lexer_is_behind_value(const script_lexer *l)
{
    const cw_script_token *last = l->out->count ? &l->out->list[l->out->count - 1] : NULL;
    if (last && last->kind == CW_SCRIPT_WORD)
        return !is_before_value(crawl_slice_of(l->out->text.data + last->at, last->extent));
    return last && strchr("0srt)]}<", (char)last->kind);
}

static void lexer_take_slash(script_lexer *l)
{
    const char *start = l->at;
    char next = start + 1 < l->end ? start[1] : '\0';
    if (next == '/') {
        l->at = skip_line(start, l->end);
    } else if (next == '*') {
        l->at = skip_block_comment(start + 2, l->end);
    } else if (lexer_is_behind_value(l)) {
        lexer_take_operator(l);
    } else {
        l->at = skip_pattern(start, l->end, l->unclosed);
        lexer_add(l, CW_SCRIPT_PATTERN, start, (size_t)(l->at - start));
    }
}

/* Returns true if this closes the innermost bracket. */
static bool lexer_pairs(const script_lexer *l, char closing)
{
    char opening = l->open < CW_SCRIPT_NO_TOKEN ? (char)l->out->list[l->open].kind : '\0';
    return closing == ')'   ? opening == '('
           : closing == ']' ? opening == '['
                            : opening == '{' || opening == CW_SCRIPT_INSERTS;
}

static void lexer_take_closing(script_lexer *l)
{
    if (!lexer_pairs(l, *l->at)) {
        l->at++;
        return;
    }
    bool continues = l->out->list[l->open].kind == CW_SCRIPT_INSERTS;
    lexer_close(l, *l->at);
    if (continues)
        lexer_take_piece(l);
}

static void lexer_step(script_lexer *l)
{
    char c = *l->at;
    if (is_word(c)) {
        lexer_take_word(l);
    } else if (c == '"' || c == '\'') {
        lexer_take_string(l);
    } else if (c == '`') {
        lexer_open(l, CW_SCRIPT_TEMPLATE, 1);
        lexer_take_piece(l);
    } else if (c == '(' || c == '[' || c == '{') {
        lexer_open(l, c, 1);
    } else if (c == ')' || c == ']' || c == '}') {
        lexer_take_closing(l);
    } else if (c == '/') {
        lexer_take_slash(l);
    } else if (c) {
        lexer_take_operator(l);
    } else {
        l->at++;
    }
}

/* Bytes of a text, so that numbers of bytes fit into extents; tokens that a step adds. */
enum { MAX_TEXT = CW_SCRIPT_NO_TOKEN, TOKENS_A_STEP = 4 };

crawl_err cw_script_tokenize(crawl_slice text, cw_script_tokens *tokens)
{
    *tokens = (cw_script_tokens){.text = crawl_slice_of(text.data, text.size < MAX_TEXT ? text.size : MAX_TEXT)};
    const char *at = text.data;
    script_lexer lexer = {tokens, at, at + tokens->text.size, {at, at, at}, CW_SCRIPT_NO_TOKEN};
    crawl_err err = CRAWL_OK;
    while (!err && tokens->count < CW_SCRIPT_MAX_TOKENS) {
        lexer.at = skip_space(lexer.at, lexer.end);
        if (lexer.at == lexer.end)
            break;
        err = CW_ARRAY_RESERVE(tokens->list, tokens->capacity, tokens->count + TOKENS_A_STEP, 64);
        if (!err)
            lexer_step(&lexer);
    }
    for (uint32_t open = lexer.open, around; open < CW_SCRIPT_NO_TOKEN; open = around) {
        around = tokens->list[open].extent;
        tokens->list[open].extent = (uint32_t)tokens->count & CW_SCRIPT_NO_TOKEN;
    }
    return err;
}
