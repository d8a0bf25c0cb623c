/* Texts that stand one behind the other, each but the last followed by one byte that none of them has. */
#include <crawl/base.h>

size_t crawl_slices_cut(crawl_slice text, char end, crawl_slice *pieces, size_t most)
{
    size_t count = 0;
    const char *next = text.data;
    while (next) {
        const char *piece = next;
        size_t left = text.size - (size_t)(piece - text.data);
        const char *found = left ? memchr(piece, end, left) : NULL;
        if (count < most)
            pieces[count] = crawl_slice_of(piece, found ? (size_t)(found - piece) : left);
        next = found ? found + 1 : NULL;
        count++;
    }
    return count;
}
