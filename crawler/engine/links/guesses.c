#include "crawler/engine/links/guesses.h"

/* Answers before a host is judged, of which so many of ten may be none. The count stops where it fits no byte. */
enum { ENOUGH = 5, MOST_OF_TEN = 4, MOST_COUNTED = 255 };

static uint32_t guesses_asked(uint32_t counts)
{
    return counts & 0xff;
}

static uint32_t guesses_gone(uint32_t counts)
{
    return counts >> 8;
}

bool cw_links_guesses_are_shut(const cw_host_record *host)
{
    uint32_t counts = atomic_load_explicit(&host->guesses, memory_order_relaxed);
    return guesses_asked(counts) >= ENOUGH && guesses_gone(counts) * 10 > guesses_asked(counts) * MOST_OF_TEN;
}

void cw_links_guesses_answered(cw_host_record *host, bool exists)
{
    uint32_t counts = atomic_load_explicit(&host->guesses, memory_order_relaxed);
    if (guesses_asked(counts) < MOST_COUNTED)
        atomic_fetch_add_explicit(&host->guesses, exists ? 1 : 1 + (1 << 8), memory_order_relaxed);
}
