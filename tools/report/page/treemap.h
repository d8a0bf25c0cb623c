/* The geometry of a treemap: cuts a rectangle into rectangles whose areas are in proportion to given weights, each as
 * nearly square as possible (Bruls, Huizing, van Wijk: Squarified Treemaps, 2000). Pure. */
#pragma once

#include <stddef.h>

typedef struct cw_survey_box {
    double x, y, width, height;
} cw_survey_box;

/* Writes a box for each weight, in order. weights: positive, the largest first. */
void cw_survey_squarify(const double *weights, size_t count, cw_survey_box into, cw_survey_box *out);
