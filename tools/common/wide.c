#include "tools/common/wide.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

/* Not a unit: end of file. */
#define WIDE_END UINT32_MAX

typedef struct wide_file {
    FILE *in;
    bool is_big;   /* high byte first */
    uint32_t held; /* a unit read after half a pair; WIDE_END: none */
} wide_file;

static uint32_t wide_next_unit(wide_file *file)
{
    uint32_t held = file->held;
    file->held = WIDE_END;
    if (held != WIDE_END)
        return held;
    int first = getc_unlocked(file->in);
    int second = first == EOF ? EOF : getc_unlocked(file->in);
    if (second == EOF)
        return first == EOF ? WIDE_END : CW_UTF8_REPLACEMENT;
    return (uint32_t)(file->is_big ? first << 8 | second : second << 8 | first);
}

static uint32_t wide_next_code(wide_file *file)
{
    uint32_t code = wide_next_unit(file);
    if (code == WIDE_END || (code & 0xf800) != 0xd800)
        return code;
    uint32_t low = code & 0x400 ? WIDE_END : wide_next_unit(file);
    if (low != WIDE_END && (low & 0xfc00) == 0xdc00)
        return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
    file->held = low;
    return CW_UTF8_REPLACEMENT;
}

static ssize_t wide_read(void *cookie, char *out, size_t room)
{
    enum { LONGEST = 4 };
    wide_file *file = cookie;
    size_t written = 0;
    while (room - written >= LONGEST) {
        uint32_t code = wide_next_code(file);
        if (code == WIDE_END)
            break;
        written += cw_utf8_encode(code, out + written);
    }
    return written || !ferror(file->in) ? (ssize_t)written : -1;
}

static int wide_close(void *cookie)
{
    wide_file *file = cookie;
    if (file->in != stdin)
        fclose(file->in);
    free(file);
    return 0;
}

static FILE *wide_open(FILE *in, bool is_big)
{
    wide_file *file = malloc(sizeof *file);
    if (!file) {
        if (in != stdin)
            fclose(in);
        errno = ENOMEM;
        return NULL;
    }
    *file = (wide_file){.in = in, .is_big = is_big, .held = WIDE_END};
    FILE *out = fopencookie(file, "r", (cookie_io_functions_t){.read = wide_read, .close = wide_close});
    if (!out) {
        wide_close(file);
        errno = ENOMEM;
    }
    return out;
}

FILE *cw_tool_wide(FILE *file)
{
    int first = file ? getc(file) : EOF;
    int second = first == 0xff || first == 0xfe ? getc(file) : EOF;
    if (second != EOF && first + second == 0xff + 0xfe)
        return wide_open(file, first == 0xfe);
    if (second != EOF)
        ungetc(second, file);
    if (first != EOF)
        ungetc(first, file);
    return file;
}
