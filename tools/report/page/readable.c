#include "tools/report/page/readable.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "base/utf8.h"

#include <unictype.h>

enum { CHARACTER_MAX = 4 };

/* Letters and digits; not such as nobody sees. A mark belongs to what stands before it, which it may hide if that is no
 * letter. */
static bool is_readable(ucs4_t code, bool after_word)
{
    if (uc_is_property_default_ignorable_code_point(code))
        return false;
    return uc_is_general_category_withtable(code, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N) ||
           (after_word && uc_is_general_category_withtable(code, UC_CATEGORY_MASK_M));
}

/* The character whose bytes the escapes here are, into text; 0: there is none that may be shown. */
static size_t take_character(crawl_slice url, bool after_word, char text[CHARACTER_MAX])
{
    size_t bytes = 0;
    const char *end = url.data + url.size;
    for (const char *at = url.data; bytes < CHARACTER_MAX; at += 3) {
        int value = cw_percent_value(at, end);
        if (value < 0x80)
            break;
        text[bytes++] = (char)value;
    }
    cw_utf8 next = bytes ? cw_utf8_next(text, text + bytes) : (cw_utf8){.broken = true};
    return !next.broken && is_readable(next.code, after_word) ? next.size : 0;
}

crawl_err cw_survey_readable(crawl_slice url, crawl_buf *out)
{
    char text[CHARACTER_MAX];
    bool after_word = false;
    crawl_err err = CRAWL_OK;
    while (url.size && !err) {
        size_t size = *url.data == '%' ? take_character(url, after_word, text) : 0;
        after_word = size || cw_is_alnum((unsigned char)*url.data);
        err = size ? crawl_buf_append(out, text, size) : crawl_buf_append_char(out, *url.data);
        url = cw_drop(url, size ? 3 * size : 1);
    }
    return err;
}
