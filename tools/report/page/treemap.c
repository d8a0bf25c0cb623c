/* See treemap.h. Boxes are laid out in rows along the shorter side of the remaining rectangle. A row takes the next box
 * unless that makes the worst aspect ratio in the row worse. */
#include "tools/report/page/treemap.h"

#include <math.h>

static double treemap_sum(const double *weights, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += weights[i];
    return total;
}

/* Returns the worst aspect ratio in a row of `count` boxes along a side, with this total area. */
static double worst(const double *weights, size_t count, double area, double side, double scale)
{
    double largest = weights[0] * scale, smallest = weights[count - 1] * scale;
    double square = side * side;
    return fmax(square * largest / (area * area), area * area / (square * smallest));
}

/* Returns the number of weights in the next row. *area: the area they take. */
static size_t take_row(const double *weights, size_t count, double side, double scale, double *area)
{
    size_t taken = 1;
    *area = weights[0] * scale;
    while (taken < count) {
        double more = *area + weights[taken] * scale;
        if (worst(weights, taken + 1, more, side, scale) > worst(weights, taken, *area, side, scale))
            break;
        *area = more;
        taken++;
    }
    return taken;
}

/* Lays a row at the left of a wide box, or at the top of a tall one. Returns the rest of the box. */
static cw_survey_box lay_row(const double *weights, size_t count, double area, double scale, cw_survey_box into,
                             cw_survey_box *out)
{
    int is_wide = into.width >= into.height;
    double side = is_wide ? into.height : into.width;
    double thickness = area / side;
    double at = 0;
    for (size_t i = 0; i < count; i++) {
        double length = weights[i] * scale / thickness;
        out[i] = is_wide ? (cw_survey_box){into.x, into.y + at, thickness, length}
                         : (cw_survey_box){into.x + at, into.y, length, thickness};
        at += length;
    }
    if (is_wide)
        return (cw_survey_box){into.x + thickness, into.y, fmax(into.width - thickness, 0), into.height};
    return (cw_survey_box){into.x, into.y + thickness, into.width, fmax(into.height - thickness, 0)};
}

void cw_survey_squarify(const double *weights, size_t count, cw_survey_box into, cw_survey_box *out)
{
    double scale = into.width * into.height / fmax(treemap_sum(weights, count), 1e-9);
    for (size_t at = 0; at < count;) {
        double area, side = fmin(into.width, into.height);
        /* Only rounding errors are left. */
        if (side <= 0) {
            out[at++] = (cw_survey_box){into.x, into.y, 0, 0};
            continue;
        }
        size_t taken = take_row(weights + at, count - at, side, scale, &area);
        into = lay_row(weights + at, taken, area, scale, into, out + at);
        at += taken;
    }
}
