/* Pages of any bytes. Every way of marking them that this processor has must give the same marks as the portable one,
 * and with either marks the same tags must be found as by looking at each tag. */
#include "tests/support/skimmed.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_marks(cw_html_marker mark, const char *bytes, size_t size)
{
    cw_html_marks portable;
    cw_html_marks other;
    for (size_t at = 0; at + CW_MARKS_BLOCK <= size; at += 13) {
        cw_html_mark_portably(bytes + at, 1, &portable);
        mark(bytes + at, 1, &other);
        require(memcmp(&portable, &other, sizeof portable) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cw_html_marker markers[CW_HTML_MARKERS];
    size_t count = cw_html_all_markers(markers);
    crawl_slice page = size ? crawl_slice_of(data, size) : crawl_slice_of("", 0);
    for (size_t m = 0; m < count; m++) {
        check_marks(markers[m], page.data, page.size);
        require(skims_right(markers[m], page));
    }
    return 0;
}
