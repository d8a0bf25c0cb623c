/* Quotes and unquotes values of the configuration: see quote.h. */
#include "config/quote.h"

#include "base/bytes.h"

static const struct {
    char letter;
    char byte;
} escapes[] = {{'\\', '\\'}, {'"', '"'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};

/* The position in a quoted text. */
typedef struct quoted {
    crawl_slice in;
    size_t at;
    const char *why;
} quoted;

static crawl_err wrong(quoted *reading, const char *why)
{
    reading->why = why;
    return CRAWL_EPARSE;
}

/* Reads the \xHH whose x is at `at`. */
static crawl_err unescape_hex(quoted *reading, char *out)
{
    if (reading->in.size - reading->at < 3)
        return wrong(reading, "\\x needs two hexadecimal digits");
    int high = cw_hex_value((unsigned char)reading->in.data[reading->at + 1]);
    int low = cw_hex_value((unsigned char)reading->in.data[reading->at + 2]);
    if (high < 0 || low < 0)
        return wrong(reading, "\\x needs two hexadecimal digits");
    if (high + low == 0)
        return wrong(reading, "a value cannot hold a NUL");
    *out = (char)(high * 16 + low);
    reading->at += 3;
    return CRAWL_OK;
}

/* Reads an escape; `at` is after the backslash. */
static crawl_err quote_unescape(quoted *reading, char *out)
{
    char letter = reading->at < reading->in.size ? reading->in.data[reading->at] : '\0';
    if (letter == 'x')
        return unescape_hex(reading, out);
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].letter == letter) {
            reading->at++;
            *out = escapes[i].byte;
            return CRAWL_OK;
        }
    return wrong(reading, "unknown escape; known are \\\\ \\\" \\n \\r \\t \\xHH");
}

/* Reads from after the opening quote to after the closing quote. */
static crawl_err read_quoted(quoted *reading, crawl_buf *out)
{
    while (reading->at < reading->in.size) {
        char c = reading->in.data[reading->at++];
        if (c == '"')
            return CRAWL_OK;
        crawl_err err = c == '\\' ? quote_unescape(reading, &c) : CRAWL_OK;
        if (!err)
            err = crawl_buf_append_char(out, c);
        if (err)
            return err;
    }
    return wrong(reading, "the closing quote is missing");
}

static bool quote_has(const quoted *reading, char c)
{
    return reading->at < reading->in.size && reading->in.data[reading->at] == c;
}

/* Returns true if there was white space. */
static bool quote_skip_space(quoted *reading)
{
    size_t before = reading->at;
    while (reading->at < reading->in.size && cw_is_space((unsigned char)reading->in.data[reading->at]))
        reading->at++;
    return reading->at > before;
}

/* Reads the rest after the closing quote: a backslash and a comment, both optional. */
static crawl_err read_end(quoted *reading, bool *more)
{
    bool is_apart = quote_skip_space(reading);
    *more = quote_has(reading, '\\');
    if (*more) {
        reading->at++;
        is_apart = quote_skip_space(reading);
    }
    return reading->at == reading->in.size || (is_apart && quote_has(reading, ';'))
               ? CRAWL_OK
               : wrong(reading, "nothing but a backslash or a comment (;) may follow the closing quote");
}

crawl_err cw_config_unquote(crawl_slice value, crawl_buf *out, bool *more, const char **why, size_t *where)
{
    *more = false;
    if (value.size == 0 || value.data[0] != '"')
        return crawl_buf_append(out, value.data, value.size);
    quoted reading = {.in = value, .at = 1};
    crawl_err err = read_quoted(&reading, out);
    if (!err)
        err = read_end(&reading, more);
    *why = reading.why;
    *where = reading.at;
    return err;
}

size_t cw_config_find_hash(crawl_slice value)
{
    size_t i = 0;
    while (i < value.size && !(value.data[i] == '#' && (i == 0 || cw_is_space((unsigned char)value.data[i - 1])) &&
                               (i + 1 == value.size || cw_is_space((unsigned char)value.data[i + 1]))))
        i++;
    return i;
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Returns true if value needs no quotes in a line of an INI file. */
static bool quote_is_plain(crawl_slice value)
{
    if (value.size &&
        (value.data[0] == '"' || value.data[0] == ';' || value.data[0] == ' ' || value.data[value.size - 1] == ' '))
        return false;
    for (size_t i = 0; i < value.size; i++)
        if (is_control(value.data[i]) || (value.data[i] == ';' && value.data[i - 1] == ' '))
            return false;
    return cw_config_find_hash(value) == value.size;
}

static crawl_err quote_append_escaped(char c, crawl_buf *out)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].byte == c) {
            char pair[] = {'\\', escapes[i].letter};
            return crawl_buf_append(out, pair, sizeof pair);
        }
    if (is_control(c))
        return crawl_buf_printf(out, "\\x%02x", (unsigned char)c);
    return crawl_buf_append_char(out, c);
}

/* Bytes reserved at the end of a line: for an escape, the closing quote and a backslash. */
#define LINE_END 8u

crawl_err cw_config_quote(crawl_slice value, size_t used, size_t line, crawl_buf *out)
{
    if (quote_is_plain(value) && value.size + used <= line)
        return crawl_buf_append(out, value.data, value.size);
    size_t start = out->size - (used < out->size ? used : out->size);
    crawl_err err = crawl_buf_append_char(out, '"');
    for (size_t i = 0; i < value.size && !err; i++) {
        if (out->size - start + LINE_END > line) {
            err = crawl_buf_append_text(out, "\" \\\n    \"");
            start = out->size - 5;
        }
        if (!err)
            err = quote_append_escaped(value.data[i], out);
    }
    return err ? err : crawl_buf_append_char(out, '"');
}
