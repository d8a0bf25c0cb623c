#include "crawler/program/summary/report.h"

#include "base/date.h"
#include "crawler/program/summary/units.h"

#include <inttypes.h>

/* The words of the summary, and a hint at a setting that would change it; NULL: no hint. */
static const struct {
    const char *words;
    const char *hint;
} bounds[CRAWL_BOUND_COUNT] = {
    [CRAWL_BOUND_NOTHING] = {"nothing", NULL},
    [CRAWL_BOUND_PAUSES] =
        {"pauses of hosts",
         "a shorter --delay, where the hosts agree; a Crawl-delay and slow answers make pauses longer"},
    [CRAWL_BOUND_PER_HOST] = {"requests at once to a host", "a higher --per-host, where the hosts agree"},
    [CRAWL_BOUND_BLOCKS] = {"hosts that asked to wait or failed",
                            "a longer --delay asks less of them; see [politeness] backoff and give_up"},
    [CRAWL_BOUND_DATES] = {"nothing being due yet", NULL},
    [CRAWL_BOUND_ANSWERS] = {"answers with nothing else queued", NULL},
    [CRAWL_BOUND_NAMES] = {"the lookup of host names", "a resolver that is nearer, or caches"},
    [CRAWL_BOUND_CONNECTIONS] = {"connections", "more --connections"},
    [CRAWL_BOUND_PROCESSOR] = {"the processor", "more --workers, as long as there are cores for them"},
    [CRAWL_BOUND_DISK] = {"the disk of --state",
                          "more [state] queue_memory and cache_memory, or [state] sync = interval"},
    [CRAWL_BOUND_RECORDS] = {"waiting for the output",
                             "a Redis server or a command that takes the records of --output faster"},
    [CRAWL_BOUND_PAUSED] = {"being paused", NULL},
    [CRAWL_BOUND_RATE] = {"the rate limit", "a higher --rate-limit, or [politeness] host_rate_limit"},
    [CRAWL_BOUND_BROWSER] = {"the browser", "a higher [render] open, as long as there are cores for it"},
};

/* Returns the name of an origin as people know it: a.example:80 for "http://a.example:80". */
static const char *report_bound_name_of(const char *origin)
{
    const char *end = strstr(origin, "://");
    return end ? end + 3 : origin;
}

/* Appends how many hosts wait for something, with a comma before each kind but the first. */
static void say_hosts(uint64_t count, const char *before, const char *after, const char **comma, crawl_buf *out)
{
    if (!count)
        return;
    CW_PROGRAM_SAY(out, "%s%s%" PRIu64 " host%s%s", *comma, before, count, cw_program_plural(count), after);
    *comma = ", ";
}

static void say_due(const crawl_load *load, crawl_buf *out)
{
    const crawl_held_host *due = &load->frontier.due;
    int64_t wait_ms = load->frontier.due_ms - load->now_ms;
    if (due->standing == CRAWL_STANDING_BLOCKED && wait_ms > 0)
        CW_PROGRAM_SAY(out, "%s blocked until %.19sZ, in ", report_bound_name_of(due->origin),
                       cw_date_of(load->frontier.due_ms).text);
    else
        CW_PROGRAM_SAY(out, "next in ");
    cw_program_duration(out, wait_ms > 0 ? wait_ms : 0);
}

static void say_most_queued(const crawl_frontier_binding *frontier, crawl_buf *out)
{
    const char *before = "most queued: ";
    for (unsigned i = 0; i < frontier->most_queued_count; i++, before = ", ") {
        const crawl_held_host *host = &frontier->most_queued[i];
        CW_PROGRAM_SAY(out, "%s%s (%" PRIu64 ")", before, report_bound_name_of(host->origin), host->queued);
    }
}

/* Appends why hosts are held; there must be some. */
static void report_bound_say_held(const crawl_load *load, crawl_buf *out)
{
    const crawl_frontier_binding *frontier = &load->frontier;
    const char *comma = "waiting for ";
    say_hosts(frontier->hosts[CRAWL_STANDING_PAUSED], "pauses of ", "", &comma, out);
    say_hosts(frontier->hosts[CRAWL_STANDING_BUSY], "answers of ", "", &comma, out);
    say_hosts(frontier->hosts[CRAWL_STANDING_BLOCKED], "", " to be asked again", &comma, out);
    CW_PROGRAM_SAY(out, " (");
    if (frontier->due_ms < CRAWL_FOREVER) {
        say_due(load, out);
        CW_PROGRAM_SAY(out, "; ");
    }
    say_most_queued(frontier, out);
    CW_PROGRAM_SAY(out, ")");
}

static void say_rate(const crawl_load *load, crawl_buf *out)
{
    if (load->rate_owed_us > 0) {
        CW_PROGRAM_SAY(out, "held to %s a second", cw_program_size(load->rate).text);
        return;
    }
    CW_PROGRAM_SAY(out, "%" PRIu64 " of %" PRIu64 " transfer%s held by rate limits of hosts", load->throttled,
                   load->running, cw_program_plural(load->running));
}

void cw_report_bound(const crawl_load *load, crawl_bound bound, crawl_buf *out)
{
    switch (bound) {
    case CRAWL_BOUND_PAUSES:
    case CRAWL_BOUND_PER_HOST:
    case CRAWL_BOUND_BLOCKS:
        report_bound_say_held(load, out);
        break;
    case CRAWL_BOUND_DATES:
        CW_PROGRAM_SAY(out, "nothing due for ");
        cw_program_duration(out, load->frontier.due_ms - load->now_ms);
        break;
    case CRAWL_BOUND_ANSWERS:
        CW_PROGRAM_SAY(out, "waiting for %" PRIu64 " answer%s", load->running, cw_program_plural(load->running));
        break;
    case CRAWL_BOUND_NAMES:
        CW_PROGRAM_SAY(out, "looking up %" PRIu64 " host name%s", load->resolving, cw_program_plural(load->resolving));
        break;
    case CRAWL_BOUND_CONNECTIONS:
        CW_PROGRAM_SAY(out, "all %" PRIu64 " connection%s in use", load->connections,
                       cw_program_plural(load->connections));
        break;
    case CRAWL_BOUND_PROCESSOR:
        CW_PROGRAM_SAY(out, "processor: %" PRIu64 " worker%s %.0f%% busy", load->loops, cw_program_plural(load->loops),
                       load->processor * 100);
        break;
    case CRAWL_BOUND_DISK:
        CW_PROGRAM_SAY(out, "disk: %.0f%% of the time in the queue of --state", load->disk * 100);
        break;
    case CRAWL_BOUND_RECORDS:
        CW_PROGRAM_SAY(out, "waiting for the output to take records");
        break;
    case CRAWL_BOUND_PAUSED:
        CW_PROGRAM_SAY(out, "paused");
        break;
    case CRAWL_BOUND_RATE:
        say_rate(load, out);
        break;
    case CRAWL_BOUND_BROWSER:
        CW_PROGRAM_SAY(out, "waiting for the browser");
        break;
    default:
        break;
    }
}

static int64_t report_bound_sum_of(const crawl_bound_tally *tally)
{
    int64_t sum = 0;
    for (int i = 0; i < CRAWL_BOUND_COUNT; i++)
        sum += tally->bound_ms[i];
    return sum;
}

/* Finds the binding with the most time among those not yet reported. A table of ten rows needs no sorting. */
static crawl_bound report_bound_next_of(const crawl_bound_tally *tally, const bool *said)
{
    crawl_bound next = CRAWL_BOUND_COUNT;
    for (int i = 0; i < CRAWL_BOUND_COUNT; i++)
        if (!said[i] && tally->bound_ms[i] && (next == CRAWL_BOUND_COUNT || tally->bound_ms[i] > tally->bound_ms[next]))
            next = (crawl_bound)i;
    return next;
}

static bool is_of_hosts(crawl_bound bound)
{
    return bound == CRAWL_BOUND_PAUSES || bound == CRAWL_BOUND_PER_HOST || bound == CRAWL_BOUND_BLOCKS;
}

static int64_t held_by_hosts(const crawl_bound_tally *tally)
{
    return tally->bound_ms[CRAWL_BOUND_PAUSES] + tally->bound_ms[CRAWL_BOUND_PER_HOST] +
           tally->bound_ms[CRAWL_BOUND_BLOCKS];
}

void cw_report_bound_tally(const crawl_bound_tally *tally, crawl_buf *out)
{
    enum { WORTH_A_HINT = 20 }; /* percent */
    bool said[CRAWL_BOUND_COUNT] = {false};
    bool host_said = tally->host_ms * 2 < held_by_hosts(tally) || !*tally->host;
    int64_t sum = report_bound_sum_of(tally);
    crawl_bound first = report_bound_next_of(tally, said);
    if (!sum)
        return;
    const char *comma = "  bound by  ";
    for (crawl_bound bound = first; bound < CRAWL_BOUND_COUNT; bound = report_bound_next_of(tally, said)) {
        said[bound] = true;
        CW_PROGRAM_SAY(out, "%s%s %" PRId64 "%%", comma, bounds[bound].words,
                       (tally->bound_ms[bound] * 100 + sum / 2) / sum);
        if (is_of_hosts(bound) && !host_said)
            CW_PROGRAM_SAY(out, " (mostly %s)", report_bound_name_of(tally->host));
        host_said |= is_of_hosts(bound);
        comma = ", ";
    }
    CW_PROGRAM_SAY(out, "\n");
    if (bounds[first].hint && tally->bound_ms[first] * 100 >= sum * WORTH_A_HINT)
        CW_PROGRAM_SAY(out, "  hint      what would change it: %s\n", bounds[first].hint);
}
