/* See tool_say.h. */
#include "crawler/tool_say.h"

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

/* The first character of text: its size, and what stands for it in code, "" for itself. */
static size_t first_of(crawl_slice text, char code[12])
{
    size_t size = cw_utf8_size(text);
    *code = '\0';
    if (size && !is_control(text))
        return size;
    size = size ? size : 1;
    for (size_t i = 0; i < size; i++)
        snprintf(code + 4 * i, 5, "\\x%02x", (unsigned char)text.data[i]);
    return size;
}

crawl_err cw_escape(crawl_slice text, crawl_buf *out)
{
    char code[12];
    crawl_err err = CRAWL_OK;
    for (size_t i = 0, size; i < text.size && !err; i += size) {
        size = first_of(crawl_slice_of(text.data + i, text.size - i), code);
        err = *code ? crawl_buf_append_text(out, code) : crawl_buf_append(out, text.data + i, size);
    }
    return err;
}

void cw_escape_print(crawl_slice text, FILE *out)
{
    char code[12];
    for (size_t i = 0, size; i < text.size; i += size) {
        size = first_of(crawl_slice_of(text.data + i, text.size - i), code);
        if (*code)
            fputs(code, out);
        else
            fwrite(text.data + i, 1, size, out);
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
    bool whole = !crawl_buf_printf(&line, tool ? "crawl %s: " : "crawl: ", tool) && !cw_escape(crawl_slice_from(text), &line) &&
                 !crawl_buf_append_char(&line, '\n');
    fputs(whole ? line.data : "crawl: out of memory\n", stderr);
    crawl_buf_free(&line);
}
