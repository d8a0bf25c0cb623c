#include "crawler/engine/host/host_table.h"

#include "base/bytes.h"
#include "base/map.h"

#include <stdlib.h>

/* Many more than workers, so that two of them rarely meet at one lock. A power of two. */
enum { SHARDS = 64 };

struct cw_host_shard {
    cw_host_table *table;
    pthread_mutex_t lock;
    cw_map *records;
};

struct cw_host_table {
    uint64_t max_hosts;
    cw_host_leaving leaving; /* may_go NULL: no record goes away */
    atomic_uint_fast64_t count;
    cw_host_shard shards[SHARDS];
};

cw_host_table *cw_host_table_create(uint64_t max_hosts)
{
    cw_host_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    bool complete = true;
    table->max_hosts = max_hosts;
    for (size_t i = 0; i < SHARDS; i++) {
        table->shards[i].table = table;
        pthread_mutex_init(&table->shards[i].lock, NULL);
        table->shards[i].records = cw_map_create((uintptr_t)table + i);
        complete = complete && table->shards[i].records;
    }
    if (complete)
        return table;
    cw_host_table_free(table);
    return NULL;
}

static void free_rates(const cw_host_shard *shard)
{
    size_t cursor = 0;
    for (cw_host_record *one; shard->records && (one = cw_map_next(shard->records, &cursor));)
        crawl_fetch_rate_free(one->rate);
}

void cw_host_table_free(cw_host_table *table)
{
    for (size_t i = 0; table && i < SHARDS; i++) {
        free_rates(&table->shards[i]);
        cw_map_free_values(table->shards[i].records);
        pthread_mutex_destroy(&table->shards[i].lock);
    }
    free(table);
}

/* Each shard's map has its own hash, against strangers who choose names. A stranger who fills one shard makes all
 * workers meet at its lock, which is no worse than a table with one lock. */
static cw_host_shard *host_table_shard_of(cw_host_table *table, crawl_slice origin)
{
    uint32_t hash = cw_fnv1a(origin);
    return &table->shards[(hash ^ hash >> 16) % SHARDS];
}

static bool host_table_is_full(cw_host_table *table)
{
    return table->max_hosts && cw_host_table_count(table) >= table->max_hosts;
}

static cw_host_record *host_table_add(cw_host_table *table, cw_host_shard *shard, crawl_slice origin)
{
    cw_host_record *one = cw_map_make(shard->records, origin, sizeof *one, offsetof(cw_host_record, origin));
    if (!one)
        return NULL;
    one->shard = shard;
    one->size = (uint32_t)origin.size;
    uint64_t before = atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
    one->is_beyond = table->max_hosts && before >= table->max_hosts;
    return one;
}

static crawl_err host_table_get(cw_host_table *table, crawl_slice origin, bool is_leased, cw_host_record **out)
{
    cw_host_shard *shard = host_table_shard_of(table, origin);
    crawl_err err = CRAWL_OK;
    pthread_mutex_lock(&shard->lock);
    *out = cw_map_get(shard->records, origin);
    if (!*out && !is_leased && host_table_is_full(table)) {
        err = CRAWL_FULL;
    } else if (!*out) {
        *out = host_table_add(table, shard, origin);
        err = *out ? CRAWL_OK : CRAWL_ENOMEM;
    }
    if (*out) {
        (*out)->users++;
        (*out)->is_left = (*out)->is_left && !is_leased;
    }
    pthread_mutex_unlock(&shard->lock);
    return err;
}

cw_host_record *cw_host_table_get(cw_host_table *table, crawl_slice origin)
{
    cw_host_record *one;
    host_table_get(table, origin, true, &one);
    return one;
}

crawl_err cw_host_table_get_named(cw_host_table *table, crawl_slice origin, cw_host_record **out)
{
    return host_table_get(table, origin, false, out);
}

cw_host_record *cw_host_table_find(cw_host_table *table, crawl_slice origin)
{
    cw_host_shard *shard = host_table_shard_of(table, origin);
    pthread_mutex_lock(&shard->lock);
    cw_host_record *one = cw_map_get(shard->records, origin);
    if (one)
        one->users++;
    pthread_mutex_unlock(&shard->lock);
    return one;
}

/* ---- removing records ---- */

void cw_host_table_let_go(cw_host_table *table, const cw_host_leaving *leaving)
{
    table->leaving = *leaving;
}

/* Call with the record locked. True: the record can no longer be found. */
static bool host_table_take_out(cw_host_record *host)
{
    cw_host_table *table = host->shard->table;
    if (host->users || !host->is_left || !table->leaving.may_go(host))
        return false;
    cw_map_remove(host->shard->records, cw_host_record_origin(host));
    atomic_fetch_sub_explicit(&table->count, 1, memory_order_relaxed);
    return true;
}

static void free_record(cw_host_record *host)
{
    const cw_host_leaving *leaving = &host->shard->table->leaving;
    leaving->on_gone(leaving->user, host);
    crawl_fetch_rate_free(host->rate);
    free(host);
}

void cw_host_table_leave(cw_host_table *table, crawl_slice origin)
{
    cw_host_shard *shard = host_table_shard_of(table, origin);
    bool goes = false;
    if (!table->leaving.may_go)
        return;
    pthread_mutex_lock(&shard->lock);
    cw_host_record *one = cw_map_get(shard->records, origin);
    if (one) {
        one->is_left = true;
        goes = host_table_take_out(one);
    }
    pthread_mutex_unlock(&shard->lock);
    if (goes)
        free_record(one);
}

void cw_host_record_release(cw_host_record *host)
{
    if (!host || !host->shard->table->leaving.may_go)
        return;
    cw_host_shard *shard = host->shard;
    pthread_mutex_lock(&shard->lock);
    host->users--;
    bool goes = host_table_take_out(host);
    pthread_mutex_unlock(&shard->lock);
    if (goes)
        free_record(host);
}

uint64_t cw_host_table_count(cw_host_table *table)
{
    return atomic_load_explicit(&table->count, memory_order_relaxed);
}

void cw_host_record_lock(cw_host_record *host)
{
    pthread_mutex_lock(&host->shard->lock);
}

void cw_host_record_unlock(cw_host_record *host)
{
    pthread_mutex_unlock(&host->shard->lock);
}

/* The age is written after the rules, so a thread that reads the present age reads the present rules too, or later
 * ones. */
const cw_host_rules *cw_host_record_rules(cw_host_record *host, cw_host_book *book, bool *first)
{
    unsigned age = cw_host_book_age(book);
    bool current = atomic_load(&host->rules_age) == age;
    const cw_host_rules *rules = atomic_load(&host->rules);
    *first = !rules;
    if (current)
        return rules;
    rules = cw_host_book_find(book, cw_host_record_origin(host));
    if (!rules)
        return NULL;
    atomic_store(&host->rules, rules);
    atomic_store(&host->rules_age, age);
    return rules;
}

crawl_fetch_rate *cw_host_record_rate(cw_host_record *host, const cw_host_rules *rules)
{
    if (rules->group_rate)
        return rules->group_rate;
    if (!rules->rate_limit)
        return NULL;
    cw_host_record_lock(host);
    if (!host->rate)
        host->rate = crawl_fetch_rate_create(rules->rate_limit);
    crawl_fetch_rate *rate = host->rate;
    cw_host_record_unlock(host);
    return rate;
}
