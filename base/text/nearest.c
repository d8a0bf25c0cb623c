/* See nearest.h. The distance of two names is the Damerau-Levenshtein distance, computed with three rows of the usual
 * table. */
#include "base/text/nearest.h"

#include "base/bytes.h"

static size_t nearest_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return cw_lower((unsigned char)a) == cw_lower((unsigned char)b);
}

/* Fills row i from the two rows above. */
static void nearest_fill(size_t *row, const size_t *above, const size_t *above2, crawl_slice a, crawl_slice b, size_t i)
{
    row[0] = i;
    for (size_t j = 1; j <= b.size; j++) {
        size_t replaced = above[j - 1] + !same(a.data[i - 1], b.data[j - 1]);
        row[j] = nearest_smaller(replaced, nearest_smaller(above[j], row[j - 1]) + 1);
        if (i > 1 && j > 1 && same(a.data[i - 1], b.data[j - 2]) && same(a.data[i - 2], b.data[j - 1]))
            row[j] = nearest_smaller(row[j], above2[j - 2] + 1);
    }
}

size_t cw_distance(crawl_slice a, crawl_slice b)
{
    if (a.size > CW_NEAREST_MAX || b.size > CW_NEAREST_MAX)
        return SIZE_MAX;
    size_t rows[3][CW_NEAREST_MAX + 1] = {{0}};
    for (size_t j = 0; j <= b.size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.size; i++)
        nearest_fill(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, b, i);
    return rows[a.size % 3][b.size];
}

void cw_nearest_offer(cw_nearest *nearest, const char *candidate)
{
    size_t distance = cw_distance(nearest->text, crawl_slice_from(candidate));
    size_t limit = nearest->text.size < 6 ? 1 : nearest->text.size / 3;
    if (distance > limit || (nearest->best && distance >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = distance;
}
