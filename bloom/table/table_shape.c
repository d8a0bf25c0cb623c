/* The geometry of a table's lines, and the arithmetic that chooses it; see table.h. */
#include "bloom/table/table.h"

#include <math.h>

#define SPILLED_BITS 6
#define LINE_BITS 512

/* Average number of spilled keys per line at the end of a doubling. There is half a slot per line, so the spill is
 * then three quarters full for lines that are not split yet. */
#define SPILL_MOST 0.38

void cw_table_shape_of_line(unsigned lanes, cw_table_line_shape *out)
{
    *out = (cw_table_line_shape){.lanes = lanes, .mask = (uint32_t)(((uint64_t)1 << lanes) - 1)};
    unsigned bits = LINE_BITS - SPILLED_BITS - 16 * lanes;
    unsigned at = 16 * lanes;
    out->width = bits / lanes;
    out->wider = bits % lanes;
    for (unsigned i = 0; i < lanes; i++) {
        unsigned width = out->width + (i < out->wider);
        unsigned byte = at / 8 < 56 ? at / 8 : 56;
        out->check[i] = (cw_table_check){
            .mask = ((uint32_t)1 << width) - 1, .byte = (uint8_t)byte, .shift = (uint8_t)(at - 8 * byte)};
        out->words[i] = UINT16_MAX;
        at += width;
    }
}

/* Returns how many keys of a line find no lane at an average of `load`: E max(X - lanes, 0) of a Poisson
 * distribution, which is load - lanes + E max(lanes - X, 0). */
static double left_over(unsigned lanes, double load)
{
    double chance = exp(-load);
    double sum = load - lanes;
    for (unsigned j = 0; j < lanes; j++) {
        sum += (lanes - j) * chance;
        chance *= load / (j + 1);
    }
    return sum;
}

unsigned cw_table_load_of(unsigned lanes)
{
    unsigned load = 16;
    while (left_over(lanes, (load + 1) / 16.0) <= SPILL_MOST)
        load++;
    return load;
}

/* See table.h. While a table doubles, one key is added for CW_TABLE_SPLITS lines. Half of these keys go to lines not
 * split yet, with one bit less than those behind the edge. At the end of memory, lines fill up with new entries. */
double cw_table_highest_rate(unsigned lanes)
{
    cw_table_line_shape shape;
    cw_table_shape_of_line(lanes, &shape);
    double load = cw_table_load_of(lanes) / 16.0;
    double entries = load + CW_TABLE_DOUBLINGS * (load / 2 + 0.5 / CW_TABLE_SPLITS) + (lanes - load);
    double narrow = ldexp(1, -CW_TABLE_FINGER_BITS - (int)shape.width);
    return entries * narrow * (1 - shape.wider / 2.0 / lanes);
}

unsigned cw_table_lanes_for(double fpr)
{
    unsigned lanes = CW_TABLE_LANES_MOST;
    while (lanes > CW_TABLE_LANES_LEAST && cw_table_highest_rate(lanes) > fpr)
        lanes--;
    return lanes;
}

uint64_t cw_table_tags_begin_at(const cw_table_tags *tags, uint64_t lines)
{
    return lines * (tags->load - 16 / CW_TABLE_SPLITS) / 16; /* each new key splits some lines */
}
