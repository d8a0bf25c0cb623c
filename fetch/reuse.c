#include "fetch/reuse.h"

enum {
    FIRST_ROUND_US = 15 * 1000 * 1000, /* before one was used again */
    FORGETS = 256,                     /* the part of the difference by which a shorter time counts */
    ROUNDS = 2,
    APART_US = 1000 * 1000 / 16 /* between two that give way */
};

void cw_fetch_reuse_init(cw_fetch_reuse *reuse)
{
    *reuse = (cw_fetch_reuse){.round_us = FIRST_ROUND_US};
}

void cw_fetch_reuse_note(cw_fetch_reuse *reuse, int64_t idle_us)
{
    if (idle_us > reuse->round_us)
        reuse->round_us = idle_us;
    else
        reuse->round_us -= (reuse->round_us - idle_us) / FORGETS;
}

bool cw_fetch_reuse_gives_way(cw_fetch_reuse *reuse, int64_t since_us, int64_t now_us)
{
    bool gives_way = now_us >= reuse->next_us && now_us - since_us > ROUNDS * reuse->round_us;
    if (gives_way)
        reuse->next_us = now_us + APART_US;
    return gives_way;
}
