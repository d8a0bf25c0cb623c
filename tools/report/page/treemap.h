/* The geometry of a treemap: a rectangle is cut into rectangles whose areas are in proportion to given weights, each as
 * near to a square as can be (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000). Pure. */
#pragma once

#include <stddef.h>

typedef struct cw_survey_box {
    double x, y, width, height;
} cw_survey_box;

/* weights: positive, the largest first. Writes a box for each, in their order. */
void cw_survey_squarify(const double *weights, size_t count, cw_survey_box into, cw_survey_box *out);
