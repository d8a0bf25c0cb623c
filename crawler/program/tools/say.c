/* See say.h. */
#include "crawler/program/tools/say.h"

size_t cw_utf8_size(crawl_slice text)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text.data;
    if (!text.size)
        return 0;
    size_t size = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (size == 0 || size > text.size)
        return 0;
    uint32_t code = size == 1 ? p[0] : p[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[size] || code > 0x10ffff || surrogate ? 0 : size;
}

/* C1 characters are U+0080 to U+009F: C2 80 to C2 9F. */
static bool is_control(crawl_slice character)
{
    unsigned char first = (unsigned char)character.data[0];
    return first < ' ' || first == 0x7f || (first == 0xc2 && (unsigned char)character.data[1] < 0xa0);
}

/* The size of the character that text begins with if it may stay as it is; 0: it is to be escaped. */
static size_t harmless(crawl_slice text)
{
    size_t size = cw_utf8_size(text);
    return size && !is_control(text) ? size : 0;
}

/* Takes what may stay as it is off the front of *rest. */
static crawl_slice cut_harmless(crawl_slice *rest)
{
    crawl_slice run = {rest->data, 0};
    for (size_t size; rest->size && (size = harmless(*rest)); run.size += size)
        *rest = crawl_slice_of(rest->data + size, rest->size - size);
    return run;
}

/* Takes a byte off the front of text, of which there is one. */
static unsigned char cut_byte(crawl_slice *rest)
{
    unsigned char byte = (unsigned char)*rest->data;
    *rest = crawl_slice_of(rest->data + 1, rest->size - 1);
    return byte;
}

crawl_err cw_escape(crawl_slice text, crawl_buf *out)
{
    crawl_slice run = cut_harmless(&text);
    crawl_err err = crawl_buf_append(out, run.data, run.size);
    while (text.size && !err) {
        err = crawl_buf_printf(out, "\\x%02x", cut_byte(&text));
        run = cut_harmless(&text);
        if (!err)
            err = crawl_buf_append(out, run.data, run.size);
    }
    return err;
}

static void print_harmless(crawl_slice *text, FILE *out)
{
    crawl_slice run = cut_harmless(text);
    if (run.size)
        fwrite(run.data, 1, run.size, out);
}

void cw_escape_print(crawl_slice text, FILE *out)
{
    print_harmless(&text, out);
    while (text.size) {
        fprintf(out, "\\x%02x", cut_byte(&text));
        print_harmless(&text, out);
    }
}

/* Cut to 2 KiB, which is room for any message and a URL; without memory nothing is said of the stranger's. */
void cw_say(const char *tool, const char *format, ...)
{
    char text[2048];
    crawl_buf line = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool whole = !crawl_buf_printf(&line, tool ? "crawl %s: " : "crawl: ", tool) &&
                 !cw_escape(crawl_slice_from(text), &line) && !crawl_buf_append_char(&line, '\n');
    fputs(whole ? line.data : "crawl: out of memory\n", stderr);
    crawl_buf_free(&line);
}
