/* An adaptive pace settles even if the response time depends on it: at a host that works on one request after another,
 * so that early ones wait. */
#include "tests/unit/engine/host/pace_help.h"

TestSuite(pace_settles, .init = setup);

enum { REQUESTS = 400, LAST = 100, AT_ONCE = 2 };

typedef struct queue {
    int64_t mean_us;
    int64_t free_us; /* when it has answered everything received */
    uint64_t chance;
} queue;

typedef struct flight {
    int64_t started_us, ends_us; /* INT64_MAX: none */
} flight;

/* Returns when a request that arrives now is answered. Each takes a fifth more or less. */
static int64_t served_us(queue *host, int64_t now_us)
{
    host->chance = host->chance * 6364136223846793005u + 1442695040888963407u;
    int64_t work_us = host->mean_us * 4 / 5 + (int64_t)((host->chance >> 33) % (uint64_t)(host->mean_us * 2 / 5 + 1));
    host->free_us = (host->free_us > now_us ? host->free_us : now_us) + work_us;
    return host->free_us;
}

static flight *first_of(flight *flights)
{
    flight *first = flights;
    for (size_t i = 1; i < AT_ONCE; i++)
        first = flights[i].ends_us < first->ends_us ? &flights[i] : first;
    return first;
}

static flight *free_of(flight *flights)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (flights[i].ends_us == INT64_MAX)
            return &flights[i];
    return NULL;
}

static int64_t pause_us(void)
{
    cw_host_pace_by by;
    return cw_host_pace_pause(&pace, &rules, &by);
}

/* Sends requests; out receives the pause before each. */
static void crawl_host(queue *host, int64_t *out)
{
    flight flights[AT_ONCE] = {{0, INT64_MAX}, {0, INT64_MAX}};
    int64_t due_us = 0;
    for (size_t count = 0; count < REQUESTS;) {
        flight *first = first_of(flights);
        flight *place = free_of(flights);
        if (!place || first->ends_us <= due_us) {
            crawl_response response = {.size = sizeof response, .status = 200, .error_text = "", .ip = ""};
            cw_host_pace_answer(&pace, &rules, &response, false, false, first->started_us, first->ends_us);
            due_us = pace.started_us + pause_us() > first->ends_us ? pace.started_us + pause_us() : first->ends_us;
            first->ends_us = INT64_MAX;
            continue;
        }
        cw_host_pace_started(&pace, due_us);
        *place = (flight){due_us, served_us(host, due_us)};
        out[count++] = pause_us();
        due_us += pause_us();
    }
}

/* The smoothed time is within the response times, from 4 to 6 fifths of the mean if none waits, and the pause within an
 * eighth of it. So the last pauses differ by at most 6/4 times 9/7, and none is so far below the mean that requests
 * would pile up. */
Test(pace_settles, the_last_hundred_pauses_are_alike)
{
    static const int64_t means_us[] = {400 * MS, 1000 * MS, 3000 * MS, 12000 * MS};
    int64_t pauses[REQUESTS];
    for (size_t i = 0; i < sizeof means_us / sizeof *means_us; i++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            queue host = {.mean_us = means_us[i], .chance = seed};
            cw_host_pace_init(&pace, seed);
            crawl_host(&host, pauses);
            int64_t least = INT64_MAX;
            int64_t most = 0;
            for (size_t n = REQUESTS - LAST; n < REQUESTS; n++) {
                least = pauses[n] < least ? pauses[n] : least;
                most = pauses[n] > most ? pauses[n] : most;
            }
            cr_expect(most * 28 <= least * 54, "%lld us: from %lld to %lld us with %llu", (long long)host.mean_us,
                      (long long)least, (long long)most, (unsigned long long)seed);
            cr_expect_geq(least * 5, host.mean_us * 4, "%lld us at %lld", (long long)least, (long long)host.mean_us);
        }
}
