/* The figures of a table, and the check of its invariants.
 *
 * The rate is computed in two ways: by the arithmetic of table.h from the number of entries made at each level, and
 * from the lengths of the entries in a sample of lines.
 *
 * A new key is lost if it is a false positive, with the present rate f. For each new key added, f / (1 - f) keys are
 * lost on average, so these odds are summed over the keys added: they are computed some hundred times during a
 * doubling, and the keys in between count with the mean of the odds before and after. */
#include "bloom/table/table_spill.h"

#include <math.h>

/* Lines sampled; gives the rate within about 2 %, in less than a millisecond. */
#define SAMPLE 4096

static double table_stats_rate_by_count(const cw_table_tags *tags)
{
    double sum = 0;
    for (int level = 0; level < CW_TABLE_LEVELS; level++)
        sum += ldexp((double)tags->born[level][0] + (double)tags->born[level][1] / 2, -level);
    return fmin(ldexp(sum / (double)tags->first, -CW_TABLE_FINGER_BITS - (int)tags->shape.width), 1);
}

static double odds_now(const cw_table_tags *tags)
{
    double rate = fmin(table_stats_rate_by_count(tags), 0.999); /* closer to 1 the odds are meaningless */
    return rate / (1 - rate);
}

static double table_stats_lost_now(const cw_table_tags *tags, double odds)
{
    double added = (double)tags->added + (double)tags->quiet_from - (double)tags->quiet;
    return tags->lost + added * (tags->odds + odds) / 2;
}

void cw_table_tags_settle(cw_table_tags *tags)
{
    double odds = odds_now(tags);
    tags->lost += (double)tags->added * (tags->odds + odds) / 2;
    tags->odds = odds;
    tags->added = 0;
    tags->settle_at = tags->lines / 16 + 1;
}

/* Returns the chance that an absent key of the line matches one of its entries: the sum of the small chances of all
 * entries. */
static double rate_of_line(const cw_table_line_shape *shape, const cw_table_line *line)
{
    uint64_t sum = 0; /* in units of the smallest possible chance */
    for (unsigned i = 0; i < shape->lanes; i++) {
        if (line->lane[i])
            sum += (uint64_t)1 << (cw_table_finger_age(line->lane[i]) + (i >= shape->wider));
    }
    return fmin(ldexp((double)sum, -CW_TABLE_FINGER_BITS - 1 - (int)shape->width), 1);
}

/* Returns the mean over lines at even distances in the space of keys, which weights them as keys do. */
static double rate_of_sample(const cw_table_tags *tags)
{
    double sum = 0;
    for (uint64_t i = 0; i < SAMPLE; i++) {
        uint64_t key = i * (UINT64_MAX / SAMPLE) + UINT64_MAX / SAMPLE / 2;
        sum += rate_of_line(&tags->shape, &tags->line[cw_table_spot_of(tags, key).line]);
    }
    return sum / SAMPLE;
}

/* Returns the number of lines that hold keys: those before the edge, and two for each line after it. */
static uint64_t lines_used(const cw_table_tags *tags)
{
    return tags->edge + 2 * (tags->lines - tags->edge);
}

/* Returns the memory held. While the table doubles, untouched memory does not count. */
static uint64_t bytes_held(const cw_table_tags *tags)
{
    uint64_t old = tags->lines * sizeof(cw_table_line);
    uint64_t held = tags->room * sizeof(cw_table_line) - (tags->touched > old ? tags->touched - old : 0);
    return sizeof *tags + held + cw_table_spill_slots(held / sizeof(cw_table_line)) * sizeof *tags->spill;
}

void cw_table_tags_stats(const crawl_bloom *bloom, crawl_bloom_stats *out)
{
    const cw_table_tags *tags = (const cw_table_tags *)bloom;
    *out = (crawl_bloom_stats){
        .count = tags->entries - tags->copies,
        .capacity = cw_table_tags_begin_at(tags, tags->room),
        .bytes = bytes_held(tags),
        .fill = ((double)tags->entries - (double)tags->spilled) / ((double)lines_used(tags) * tags->shape.lanes),
        .fpr = bloom->options.fpr,
        .fpr_now = rate_of_sample(tags),
        .fpr_by_count = table_stats_rate_by_count(tags),
        .expected_false = table_stats_lost_now(tags, odds_now(tags)),
        .refused = tags->refused,
        .filters = 1,
    };
}

/* --- check --- */

typedef struct tally {
    uint64_t taken;   /* lanes */
    uint64_t spilled; /* according to the lines */
} tally;

static crawl_err objection(crawl_error *error, const char *what, uint64_t line)
{
    return crawl_error_set(error, CRAWL_ECORRUPT, "table: line %llu: %s", (unsigned long long)line, what);
}

/* Checks a line: the number of its keys in its window of the spill must be right, and each of these must have a
 * reason to be there. */
static crawl_err table_stats_check_line(const cw_table_tags *tags, uint64_t index, tally *t, crawl_error *error)
{
    const cw_table_line *line = &tags->line[index];
    const uint64_t *window = tags->spill + index / 2;
    unsigned spilled = cw_table_line_spilled(line), found = 0;
    uint32_t free = cw_table_line_free(&tags->shape, cw_table_line_look(line, 0));
    t->taken += tags->shape.lanes - (unsigned)__builtin_popcount(free);
    t->spilled += spilled;
    for (unsigned i = 0; i < CW_TABLE_SPILL_WINDOW && spilled; i++) {
        cw_table_spot spot = cw_table_spot_of(tags, window[i]);
        if (window[i] == 0 || spot.line != index)
            continue;
        found++;
        uint32_t fit = (uint32_t)cw_table_line_look(line, spot.finger);
        if (free && !cw_table_line_confirm(&tags->shape, line, fit, window[i]))
            return objection(error, "has a free lane for a key in the spill", index);
    }
    return found == spilled ? CRAWL_OK : objection(error, "disagrees with the keys in the spill", index);
}

static crawl_err check_free(const cw_table_tags *tags, uint64_t index, crawl_error *error)
{
    for (unsigned i = 0; i < 8; i++) {
        if (tags->line[index].word[i])
            return objection(error, "is unused, but not empty", index);
    }
    return CRAWL_OK;
}

static crawl_err table_stats_check_sums(const cw_table_tags *tags, const tally *t, crawl_error *error)
{
    uint64_t slots = 0, born = 0;
    for (uint64_t i = 0; i < cw_table_spill_slots(tags->room); i++)
        slots += tags->spill[i] != 0;
    for (unsigned i = 0; i < CW_TABLE_LEVELS; i++)
        born += tags->born[i][0] + tags->born[i][1];
    if (slots != t->spilled || slots != tags->spilled)
        return crawl_error_set(error, CRAWL_ECORRUPT, "table: the spill has %llu keys, the lines %llu in it",
                               (unsigned long long)slots, (unsigned long long)t->spilled);
    uint64_t entries = t->taken + slots;
    if (entries != tags->entries || tags->copies > tags->entries)
        return crawl_error_set(error, CRAWL_ECORRUPT, "table: %llu entries, of which %llu copies, expected %llu",
                               (unsigned long long)entries, (unsigned long long)tags->copies,
                               (unsigned long long)tags->entries);
    if (tags->level + 1 < CW_TABLE_FINGER_BITS && (born != t->taken || tags->copies))
        return crawl_error_set(error, CRAWL_ECORRUPT, "table: %llu entries made, expected %llu",
                               (unsigned long long)born, (unsigned long long)t->taken);
    return CRAWL_OK;
}

crawl_err cw_table_tags_check(const crawl_bloom *bloom, crawl_error *error)
{
    const cw_table_tags *tags = (const cw_table_tags *)bloom;
    tally t = {0};
    crawl_err err = CRAWL_OK;
    for (uint64_t i = 0; i < tags->room && !err; i++) {
        bool used = i < tags->edge || (i >= 2 * tags->edge && tags->edge < tags->lines);
        err = used ? table_stats_check_line(tags, i, &t, error) : check_free(tags, i, error);
    }
    return err ? err : table_stats_check_sums(tags, &t, error);
}
