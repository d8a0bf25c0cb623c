#include "tools/query/query_expression.h"

#include "base/bytes.h"

typedef enum word_kind {
    WORD_FIELD,
    WORD_OPERATOR,
    WORD_CONDITION, /* a condition follows */
    WORD_BETWEEN,
    WORD_NAME /* a name follows that is not a field */
} word_kind;

static const struct {
    const char *word;
    word_kind kind;
} operators[] = {
    {"and", WORD_CONDITION},   {"or", WORD_CONDITION},    {"not", WORD_CONDITION},    {"when", WORD_CONDITION},
    {"between", WORD_BETWEEN}, {"as", WORD_NAME},         {"collate", WORD_NAME},     {"is", WORD_OPERATOR},
    {"null", WORD_OPERATOR},   {"isnull", WORD_OPERATOR}, {"notnull", WORD_OPERATOR}, {"in", WORD_OPERATOR},
    {"like", WORD_OPERATOR},   {"glob", WORD_OPERATOR},   {"escape", WORD_OPERATOR},  {"case", WORD_OPERATOR},
    {"then", WORD_OPERATOR},   {"else", WORD_OPERATOR},   {"end", WORD_OPERATOR},     {"true", WORD_OPERATOR},
    {"false", WORD_OPERATOR},
};

typedef struct expression {
    crawl_slice rest;
    cw_query_fields *fields;
    crawl_buf *sql;
    unsigned depth; /* of parentheses */
    bool is_column;
    bool has_name;   /* of a column: AS has given one */
    bool begins;     /* a condition begins here */
    bool is_between; /* the next AND belongs to BETWEEN */
    bool is_name;    /* the next word */
} expression;

/* ---- fields ---- */

static size_t field_find(const crawl_slice *names, size_t count, crawl_slice name)
{
    size_t i = 0;
    while (i < count && !crawl_slice_equal(names[i], name))
        i++;
    return i;
}

static crawl_err field_add(cw_query_fields *fields, crawl_slice path, size_t *index)
{
    *index = field_find(fields->paths, fields->count, path);
    if (*index < fields->count)
        return CRAWL_OK;
    if (fields->count == CW_QUERY_FIELDS_MAX)
        return CRAWL_FULL;
    crawl_slice rest = path;
    crawl_slice name = cw_cut(&rest, '.');
    size_t top = field_find(fields->names, fields->top_count, name);
    fields->names[top] = name;
    fields->top_count += top == fields->top_count;
    fields->tops[fields->count] = top;
    fields->paths[fields->count++] = path;
    return CRAWL_OK;
}

/* ---- words ---- */

static bool is_word_byte(crawl_slice text, size_t i)
{
    unsigned char c = i < text.size ? (unsigned char)text.data[i] : 0;
    return cw_is_alnum(c) || c == '_' || c == '$' || c >= 0x80;
}

/* Returns the size of a word. A name with dots may have hyphens: "headers.content-type". */
static size_t expression_word_size(crawl_slice text)
{
    bool has_point = false;
    size_t i = 0;
    for (; i < text.size; i++) {
        bool joins =
            text.data[i] == '.' || (text.data[i] == '-' && has_point && !cw_is_digit((unsigned char)*text.data));
        if (!is_word_byte(text, i) && !(joins && is_word_byte(text, i + 1)))
            break;
        has_point |= text.data[i] == '.';
    }
    return i;
}

static word_kind expression_kind_of(crawl_slice word)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (cw_is_nocase(word, operators[i].word))
            return operators[i].kind;
    return WORD_FIELD;
}

/* Returns true if a condition ends before rest. */
static bool expression_ends(crawl_slice rest)
{
    rest = cw_trim_start(rest);
    crawl_slice word = crawl_slice_of(rest.data, expression_word_size(rest));
    return !rest.size || *rest.data == ')' || cw_is_nocase(word, "and") || cw_is_nocase(word, "or") ||
           cw_is_nocase(word, "then");
}

/* Returns true if the expression tests for NULL. */
static bool expression_asks(crawl_slice rest)
{
    rest = cw_trim_start(rest);
    crawl_slice word = crawl_slice_of(rest.data, expression_word_size(rest));
    return cw_is_nocase(word, "is") || cw_is_nocase(word, "isnull") || cw_is_nocase(word, "notnull");
}

static crawl_err expression_put(expression *e, size_t size)
{
    crawl_slice taken = cw_take(&e->rest, size);
    e->begins = false;
    return crawl_buf_append(e->sql, taken.data, taken.size);
}

static crawl_err expression_put_field(expression *e, crawl_slice path)
{
    size_t index;
    crawl_err err = path.size ? field_add(e->fields, path, &index) : CRAWL_EINVAL;
    if (err)
        return err;
    bool is_condition = e->begins && expression_ends(e->rest);
    e->begins = false;
    e->fields->is_shown[index] |= e->is_column;
    e->fields->is_compared[index] |= !e->is_column && !is_condition && !expression_asks(e->rest);
    return crawl_buf_printf(e->sql, is_condition ? "(coalesce(?%zu, '') NOT IN ('', 0, '{}'))" : "?%zu", index + 1);
}

static crawl_err expression_take_word(expression *e)
{
    crawl_slice word = crawl_slice_of(e->rest.data, expression_word_size(e->rest));
    word_kind kind = expression_kind_of(word);
    bool is_function = cw_starts_with(cw_trim_start(cw_drop(e->rest, word.size)), "(");
    if (kind == WORD_FIELD && !is_function && !e->is_name) {
        cw_take(&e->rest, word.size);
        return expression_put_field(e, word);
    }
    crawl_err err = expression_put(e, word.size);
    e->begins = kind == WORD_CONDITION && !(e->is_between && cw_is_nocase(word, "and"));
    e->is_between = kind == WORD_BETWEEN || (e->is_between && !cw_is_nocase(word, "and"));
    e->is_name = kind == WORD_NAME;
    e->has_name |= kind == WORD_NAME && !e->depth && cw_is_nocase(word, "as");
    return err;
}

static crawl_err expression_take_quoted(expression *e)
{
    crawl_slice inside = cw_drop(e->rest, 1);
    size_t size = cw_find_char(inside, *e->rest.data);
    bool is_text = *e->rest.data == '\'' || e->is_name;
    if (size == inside.size)
        return CRAWL_EINVAL;
    e->is_name = false;
    if (is_text)
        return expression_put(e, size + 2);
    cw_take(&e->rest, size + 2);
    return expression_put_field(e, cw_take(&inside, size));
}

/* Takes a token, or one byte that is not a name. */
static crawl_err expression_take(expression *e)
{
    char c = *e->rest.data;
    bool begins = e->begins;
    crawl_err err;
    if (cw_starts_with(e->rest, "--") || cw_starts_with(e->rest, "/*"))
        return CRAWL_EINVAL;
    if (c == '"' || c == '\'')
        return expression_take_quoted(e);
    if (cw_is_digit((unsigned char)c))
        return expression_put(e, expression_word_size(e->rest));
    if (is_word_byte(e->rest, 0))
        return expression_take_word(e);
    e->depth += c == '(';
    e->depth -= c == ')' && e->depth;
    if (c == '!' && !cw_starts_with(e->rest, "!=")) {
        cw_take(&e->rest, 1);
        e->begins = true;
        return crawl_buf_append_text(e->sql, " NOT ");
    }
    err = expression_put(e, 1);
    e->begins = begins && (c == '(' || cw_is_space((unsigned char)c));
    return err;
}

crawl_err cw_query_condition(const char *text, cw_query_fields *fields, crawl_buf *sql)
{
    expression e = {.rest = crawl_slice_from(text), .fields = fields, .sql = sql, .begins = true};
    crawl_err err = CRAWL_OK;
    while (e.rest.size && !err)
        err = expression_take(&e);
    return err;
}

static crawl_err expression_name(expression *e, crawl_slice text)
{
    crawl_err err = crawl_buf_append_text(e->sql, " AS \"");
    for (text = cw_trim(text); text.size && !err;) {
        crawl_slice piece = cw_cut(&text, '"');
        err = crawl_buf_append(e->sql, piece.data, piece.size);
    }
    return err ? err : crawl_buf_append_char(e->sql, '"');
}

crawl_err cw_query_columns(const char *text, cw_query_fields *fields, crawl_buf *sql)
{
    expression e = {.rest = crawl_slice_from(text), .fields = fields, .sql = sql, .is_column = true};
    crawl_err err = CRAWL_OK;
    for (bool is_last = false; !is_last && !err;) {
        crawl_slice column = e.rest;
        e.has_name = false;
        while (e.rest.size && (*e.rest.data != ',' || e.depth) && !err)
            err = expression_take(&e);
        column.size -= e.rest.size;
        is_last = !e.rest.size;
        if (!err && !e.has_name)
            err = expression_name(&e, column);
        if (!err && !is_last)
            err = expression_put(&e, 1);
    }
    return err;
}
