/* The geometry of the treemap: areas in proportion, no overlap, nothing outside, and boxes that are nearly square. */
#include "tools/report/page/treemap.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MOST = 40 };

static double overlap(const cw_survey_box *a, const cw_survey_box *b)
{
    double width = fmin(a->x + a->width, b->x + b->width) - fmax(a->x, b->x);
    double height = fmin(a->y + a->height, b->y + b->height) - fmax(a->y, b->y);
    return width > 0 && height > 0 ? width * height : 0;
}

static void expect_tiles(const double *weights, size_t count, cw_survey_box into)
{
    cw_survey_box boxes[MOST];
    double total = 0;
    cw_survey_squarify(weights, count, into, boxes);
    for (size_t i = 0; i < count; i++)
        total += weights[i];
    for (size_t i = 0; i < count; i++) {
        const cw_survey_box *box = &boxes[i];
        double area = weights[i] / total * into.width * into.height;
        cr_expect(fabs(box->width * box->height - area) < area * 1e-6, "box %zu", i);
        cr_expect(box->x >= into.x - 1e-6 && box->x + box->width <= into.x + into.width + 1e-6, "box %zu", i);
        cr_expect(box->y >= into.y - 1e-6 && box->y + box->height <= into.y + into.height + 1e-6, "box %zu", i);
        for (size_t k = 0; k < i; k++)
            cr_expect(overlap(box, &boxes[k]) < 1e-6, "boxes %zu and %zu", k, i);
    }
}

Test(treemap, tiles_fill_the_rectangle)
{
    double falling[MOST], equal[MOST];
    for (size_t i = 0; i < MOST; i++) {
        falling[i] = 1000.0 / (double)(i * i + 1);
        equal[i] = 1;
    }
    const cw_survey_box shapes[] = {{0, 0, 1000, 400}, {5, 7, 300, 500}, {0, 0, 100, 100}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t count = 1; count <= MOST; count += 13) {
            expect_tiles(falling, count, shapes[i]);
            expect_tiles(equal, count, shapes[i]);
        }
}

/* The example of the paper: 6 by 4, areas 6 6 4 3 2 2 1. */
Test(treemap, example_of_the_paper)
{
    const double weights[] = {6, 6, 4, 3, 2, 2, 1};
    cw_survey_box boxes[7];
    cw_survey_squarify(weights, 7, (cw_survey_box){0, 0, 6, 4}, boxes);
    cr_expect(fabs(boxes[0].width - 3) < 1e-9 && fabs(boxes[0].height - 2) < 1e-9);
    cr_expect(fabs(boxes[1].width - 3) < 1e-9 && fabs(boxes[1].y - 2) < 1e-9);
    cr_expect(fabs(boxes[2].x - 3) < 1e-9 && fabs(boxes[2].width - 12.0 / 7) < 1e-9);
}

Test(treemap, nothing_to_cut)
{
    cw_survey_box box = {1, 1, 1, 1};
    const double weight = 3;
    cw_survey_squarify(NULL, 0, (cw_survey_box){0, 0, 6, 4}, &box);
    cr_expect(box.x == 1, "nothing is written");
    cw_survey_squarify(&weight, 1, (cw_survey_box){0, 0, 0, 4}, &box);
    cr_expect(box.width == 0 && box.height == 0);
}
