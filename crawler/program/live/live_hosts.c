/* See live_hosts.h. The walk keeps up to twice as many hosts as are listed. When it runs out of room, it drops the half
 * with fewer queued requests. */
#include "crawler/program/live/live_hosts.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"
#include "base/net.h"
#include "crawler/program/live/live_stats.h"
#include "crawler/program/summary/report.h"
#include "tools/common/refused_memory.h"

#include <arpa/inet.h>
#include <crawl/sys/explain.h>
#include <stdlib.h>

enum { ROOM = 2 * CW_LIVE_HOSTS };

typedef struct list {
    const cw_live_hosts_query *query;
    uint64_t known;
    uint64_t matching;
    size_t count;
    crawl_held_host hosts[ROOM];
} list;

/* Sorts hosts by queued requests, most first, and then by name, so that the order is unique. */
static int live_hosts_compare(const void *a, const void *b)
{
    const crawl_held_host *one = a;
    const crawl_held_host *other = b;
    if (one->queued != other->queued)
        return one->queued < other->queued ? 1 : -1;
    return strcmp(one->origin, other->origin);
}

/* A host that became known during the walk may appear twice. */
static void live_hosts_sort(list *all)
{
    size_t kept = 0;
    qsort(all->hosts, all->count, sizeof *all->hosts, live_hosts_compare);
    for (size_t i = 0; i < all->count && kept < CW_LIVE_HOSTS; i++)
        if (!kept || strcmp(all->hosts[kept - 1].origin, all->hosts[i].origin) != 0)
            all->hosts[kept++] = all->hosts[i];
    all->count = kept;
}

static bool live_hosts_is_wanted(const cw_live_hosts_query *query, const crawl_held_host *host)
{
    return (!query->standing.size ||
            crawl_slice_equal(query->standing, crawl_slice_from(cw_live_standing(host->standing)))) &&
           cw_has_nocase(crawl_slice_from(host->origin), query->part);
}

static bool live_hosts_take(const crawl_held_host *host, void *user)
{
    list *all = user;
    all->known++;
    if (!live_hosts_is_wanted(all->query, host))
        return true;
    all->matching++;
    if (all->count == ROOM)
        live_hosts_sort(all);
    all->hosts[all->count++] = *host;
    return true;
}

static void put_seconds(cw_writer *out, const char *before, bool is_known, double seconds)
{
    cw_put_text(out, before);
    if (is_known)
        cw_json_put_real(out, seconds);
    else
        cw_put_text(out, "null");
}

/* A host's pace is unknown until the queue has given it out once. */
static void put_pace(cw_writer *out, const crawl_host_pace *pace, bool is_known)
{
    enum { US_PER_S = 1000000 };
    put_seconds(out, ",\"pause_s\":", is_known, (double)pace->pause_us / US_PER_S);
    cw_json_words(out, ",\"pause_by\":", is_known ? pace->pause_by : NULL);
    put_seconds(out, ",\"answer_s\":", is_known && pace->answer_us, (double)pace->answer_us / US_PER_S);
    put_seconds(out, ",\"held_s\":", is_known && pace->held_by, (double)pace->held_us / US_PER_S);
    cw_json_words(out, ",\"held_by\":", is_known ? pace->held_by : NULL);
    cw_json_int(out, ",\"asked\":", (int64_t)pace->asked);
    cw_json_int(out, ",\"running\":", pace->running);
    cw_json_int(out, ",\"limit\":", pace->limit);
    cw_json_int(out, ",\"failures\":", pace->failures);
    cw_json_bool(out, ",\"blocked\":", pace->is_blocked);
    put_seconds(out, ",\"delay_s\":", is_known && pace->delay_us >= 0, (double)pace->delay_us / US_PER_S);
}

/* Writes a host, without closing the object. */
static void live_put_host(cw_writer *out, crawl_engine *engine, const crawl_held_host *host)
{
    crawl_host_pace pace = {0};
    bool is_known = crawl_engine_host_pace(engine, crawl_slice_from(host->origin), &pace) == CRAWL_OK;
    bool opens = host->queued && host->opens_ms > 0 && host->opens_ms < CRAWL_FOREVER;
    cw_json_text(out, "{\"host\":", crawl_slice_from(host->origin));
    cw_json_words(out, ",\"standing\":", cw_live_standing(host->standing));
    cw_json_int(out, ",\"queued\":", (int64_t)host->queued);
    cw_json_words(out, ",\"next_at\":", opens ? cw_date_of(host->opens_ms).text : NULL);
    put_pace(out, &pace, is_known);
}

static void live_hosts_put_list(cw_writer *out, crawl_engine *engine, const list *all)
{
    cw_json_int(out, "{\"known\":", (int64_t)all->known);
    cw_json_int(out, ",\"matching\":", (int64_t)all->matching);
    cw_put_text(out, ",\"hosts\":[");
    for (size_t i = 0; i < all->count; i++) {
        cw_put_text(out, i ? "," : "");
        live_put_host(out, engine, &all->hosts[i]);
        cw_put_char(out, '}');
    }
    cw_put_text(out, "]}\n");
}

crawl_err cw_live_hosts_write(crawl_engine *engine, const cw_live_hosts_query *query, crawl_buf *out)
{
    size_t cursor = 0;
    cw_writer to = {.out = out};
    list *all = cw_tool_memory_granted(calloc(1, sizeof *all));
    all->query = query;
    while (crawl_engine_hosts(engine, &cursor, live_hosts_take, all) == CRAWL_OK)
        ;
    live_hosts_sort(all);
    live_hosts_put_list(&to, engine, all);
    free(all);
    return to.err;
}

static crawl_err live_hosts_put_robots(cw_writer *out, crawl_engine *engine, crawl_slice origin)
{
    crawl_robots_state state = {0};
    crawl_buf text = {0};
    crawl_err err = crawl_engine_robots(engine, origin, NULL, &state, &text);
    if (err == CRAWL_ABSENT)
        err = CRAWL_OK;
    cw_json_words(out, ",\"robots\":{\"is\":", cw_report_robots(state.robots));
    cw_json_bool(out, ",\"asked\":", state.is_asked);
    cw_json_words(out, ",\"until\":", state.expires_ms > 0 ? cw_date_of(state.expires_ms).text : NULL);
    cw_json_text(out, ",\"text\":", crawl_buf_slice(&text));
    cw_put_text(out, "}}\n");
    crawl_buf_free(&text);
    return err ? err : out->err;
}

crawl_err cw_live_host_write(crawl_engine *engine, crawl_slice origin, crawl_buf *out)
{
    crawl_held_host host;
    cw_writer to = {.out = out};
    crawl_err err = crawl_engine_host_get(engine, origin, &host);
    if (err)
        return err;
    live_put_host(&to, engine, &host);
    return live_hosts_put_robots(&to, engine, origin);
}

/* Cuts off ":PORT". Returns false if the part after the colon is not a port. */
static bool cut_port(crawl_slice *host)
{
    const char *end = host->size ? memrchr(host->data, ']', host->size) : NULL;
    const char *from = end ? end : host->data;
    const char *colon = host->size ? memchr(from, ':', host->size - (size_t)(from - host->data)) : NULL;
    if (!colon)
        return !end || end + 1 == host->data + host->size;
    for (const char *at = colon + 1; at < host->data + host->size; at++)
        if (!cw_is_digit((unsigned char)*at))
            return false;
    host->size = (size_t)(colon - host->data);
    return !end || end + 1 == colon;
}

static bool live_host_is_address(crawl_slice host)
{
    unsigned char bytes[16];
    bool bracketed = host.size > 2 && host.data[0] == '[' && host.data[host.size - 1] == ']';
    return bracketed ? cw_address_read(AF_INET6, crawl_slice_of(host.data + 1, host.size - 2), bytes)
                     : cw_address_read(AF_INET, host, bytes);
}

bool cw_live_host_allowed(crawl_slice host, const char *listened)
{
    if (!cut_port(&host) || host.size == 0)
        return false;
    return live_host_is_address(host) || cw_is_in_domain(host, crawl_slice_from("localhost")) ||
           cw_is_nocase(host, listened);
}

bool cw_live_origin_is_own(crawl_slice origin, crawl_slice host)
{
    if (cw_starts_with(origin, "http://"))
        origin = cw_drop(origin, strlen("http://"));
    else if (cw_starts_with(origin, "https://")) /* a proxy that speaks https may lie between */
        origin = cw_drop(origin, strlen("https://"));
    else
        return false;
    return host.size && cw_equal_nocase(origin, host);
}
