/* Finders of bytes in a page (parse/html/html_find.h), on any bytes. Comparing sixteen bytes at once must give the same
 * as the portable code, and from each place of a text the finders must stop where a loop over its bytes stops.
 *
 * The first two bytes of the input are searched for; the rest is the text. It is copied to memory of its exact size, so
 * that a sanitizer notices a read beyond it. */
#include "parse/html/html_find.h"

#include <stdlib.h>

enum { LONGEST = 600 }; /* bytes; more than the finders compare before they call memchr, from each place */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_masks(const char *at, char one, char other)
{
    unsigned ends = cw_html_find_name_end_portably(at);
    require(cw_html_find_mask(at, one) == cw_html_find_mask2_portably(at, one, one));
    require(cw_html_find_mask2(at, one, other) == cw_html_find_mask2_portably(at, one, other));
    require((cw_html_find_name_end(at) & ends) == ends);
}

static const char *first_of(const char *at, const char *end, char one, char other)
{
    while (at < end && *at != one && *at != other)
        at++;
    return at;
}

static void check_finders(const char *at, const char *end, char one, char other)
{
    require(cw_html_find(at, end, one) == first_of(at, end, one, one));
    require(cw_html_find_either(at, end, one, other) == first_of(at, end, one, other));
    require(cw_html_skip_name(at, end, CW_ENDS_NAME) == cw_html_skip_to(at, end, CW_ENDS_NAME));
    require(cw_html_skip_name(at, end, CW_ENDS_LABEL) == cw_html_skip_to(at, end, CW_ENDS_LABEL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size_t length = size - 2 < LONGEST ? size - 2 : LONGEST;
    char *text = malloc(length);
    require(text != NULL);
    memcpy(text, data + 2, length);
    const char *end = text + length;
    for (const char *at = text; at < end; at++) {
        if (end - at >= CW_STEP)
            check_masks(at, (char)data[0], (char)data[1]);
        check_finders(at, end, (char)data[0], (char)data[1]);
    }
    free(text);
    return 0;
}
