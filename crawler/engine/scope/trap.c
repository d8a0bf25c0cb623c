#include "crawler/engine/scope/trap.h"

#include "base/bytes.h"
#include "base/files/note_log.h"
#include "base/map.h"
#include "config/config_values.h"
#include "crawler/engine/host/rules/host_section.h"
#include "crawler/engine/scope/scope.h"
#include "crawler/engine/scope/tickets.h"
#include "crawler/engine/scope/url_looks.h"

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Something counted under a name: a path, a host, a domain. */
typedef struct cw_scope_counted {
    uint64_t count;
    uint64_t settled; /* pages among these that are over */
    char text[];      /* NUL-terminated */
} cw_scope_counted;

/* A counted query: the beginnings of the SHA-1 of its path and of the SHA-1 of the whole URL. */
enum { NAME_SIZE = 16 };
typedef struct query {
    char path[NAME_SIZE];
    char whole[NAME_SIZE];
} query;

struct cw_scope_trap {
    const crawl_config *config;
    cw_host_book *rules; /* NULL: all hosts have the limits of config */
    atomic_uint changes;
    pthread_mutex_t lock;
    cw_map *paths;
    crawl_bloom *queries; /* NULL: not counted */
    crawl_fingerprinter *sha1;
    cw_note_log log; /* of each counted `query` */
    cw_map *hosts;
    cw_map *domains;
    crawl_buf domain;       /* scratch */
    crawl_frontier *kept;   /* NULL: counts are for this run only */
    crawl_frontier *shared; /* NULL: pages are counted for this process only */
    pthread_mutex_t notes;  /* held from reading a count to writing its note; taken before `lock` */
    crawl_buf name;         /* scratch; under notes */
};

const char *crawl_trap_name(crawl_trap trap)
{
    static const char *const names[CRAWL_TRAP_COUNT] = {
        [CRAWL_TRAP_NONE] = "",
        [CRAWL_TRAP_LENGTH] = "crawl.max_url",
        [CRAWL_TRAP_DEPTH] = "crawl.max_path_depth",
        [CRAWL_TRAP_REPEATS] = "crawl.max_repeats",
        [CRAWL_TRAP_QUERIES] = "crawl.max_queries",
        [CRAWL_TRAP_HOST_PAGES] = "crawl.max_pages_per_host",
        [CRAWL_TRAP_DOMAIN_PAGES] = "crawl.max_pages_per_domain",
        [CRAWL_TRAP_SESSIONS] = "crawl.max_sessions",
        [CRAWL_TRAP_VARIANTS] = "crawl.max_variants",
    };
    return (unsigned)trap < CRAWL_TRAP_COUNT ? names[trap] : "";
}

/* ---- counts ---- */

static crawl_err create_queries(cw_scope_trap *trap)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_DIGEST;
    options.capacity = 1000;
    options.max_bytes = CW_SCOPE_TRAP_QUERY_BYTES_MAX;
    options.seed = (uintptr_t)trap;
    trap->sha1 = crawl_fingerprinter_create();
    return trap->sha1 ? crawl_bloom_create(&options, &trap->queries, NULL) : CRAWL_ENOMEM;
}

crawl_err cw_scope_trap_create(const crawl_config *config, cw_scope_trap **out)
{
    cw_scope_trap *trap = calloc(1, sizeof *trap);
    if (!trap)
        return CRAWL_ENOMEM;
    trap->config = config;
    pthread_mutex_init(&trap->lock, NULL);
    pthread_mutex_init(&trap->notes, NULL);
    cw_note_log_init(&trap->log, CW_SCOPE_QUERIES_NOTE, CRAWL_NOTE_MAX);
    trap->paths = cw_map_create((uintptr_t)trap);
    trap->hosts = cw_map_create((uintptr_t)trap + 1);
    trap->domains = cw_map_create((uintptr_t)trap + 2);
    crawl_err err = trap->paths && trap->hosts && trap->domains ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && config->max_queries)
        err = create_queries(trap);
    if (err)
        cw_scope_trap_free(trap);
    else
        *out = trap;
    return err;
}

void cw_scope_trap_set_hosts(cw_scope_trap *trap, cw_host_book *hosts)
{
    trap->rules = cw_host_book_limit_pages(hosts) ? hosts : NULL;
}

void cw_scope_trap_free(cw_scope_trap *trap)
{
    if (!trap)
        return;
    cw_map_free_values(trap->paths);
    cw_map_free_values(trap->hosts);
    cw_map_free_values(trap->domains);
    crawl_bloom_free(trap->queries);
    crawl_fingerprinter_free(trap->sha1);
    cw_note_log_free(&trap->log);
    crawl_buf_free(&trap->domain);
    crawl_buf_free(&trap->name);
    pthread_mutex_destroy(&trap->lock);
    pthread_mutex_destroy(&trap->notes);
    free(trap);
}

/* Returns the count under this name, created if there is none yet. NULL: no room, or out of memory; then nothing limits
 * it. */
static cw_scope_counted *trap_get(cw_map *map, crawl_slice name, size_t most)
{
    cw_scope_counted *one = cw_map_get(map, name);
    if (one || cw_map_count(map) >= most)
        return one;
    return cw_map_make(map, name, sizeof *one + 1, offsetof(cw_scope_counted, text));
}

/* Copies the beginning of the SHA-1 of a text. */
static crawl_err trap_hash_of(cw_scope_trap *trap, crawl_slice text, char name[NAME_SIZE])
{
    crawl_fingerprint sum;
    crawl_err err = crawl_fingerprint_bytes(trap->sha1, text, &sum);
    if (!err)
        memcpy(name, sum.bytes, NAME_SIZE);
    return err;
}

/* Counts the query for its path unless it is known. */
static void count_query(cw_scope_trap *trap, cw_scope_counted *path, const query *q)
{
    if (crawl_bloom_add(trap->queries, q->whole, NAME_SIZE, NULL) != CRAWL_OK)
        return;
    path->count++;
    (void)cw_note_log_add(&trap->log, crawl_slice_of(q, sizeof *q), (crawl_slice){0}); /* out of memory: it is counted
                                                                                          in this run only */
}

static bool trap_is_full(const cw_map *map, crawl_slice name, uint64_t limit)
{
    const cw_scope_counted *one = limit ? cw_map_get(map, name) : NULL;
    return one && one->count >= limit;
}

/* Returns the path that the page's query counts for, in a crawl that processes share; 0: none. */
static uint64_t shared_path(cw_scope_trap *trap, crawl_slice canonical)
{
    char name[NAME_SIZE];
    uint64_t path = 0;
    size_t size = cw_find_char(canonical, '?');
    if (trap->queries && size < canonical.size && !trap_hash_of(trap, crawl_slice_of(canonical.data, size), name))
        memcpy(&path, name, sizeof path);
    return path;
}

static crawl_slice path_name(const uint64_t *path)
{
    return crawl_slice_of((const char *)path, sizeof *path);
}

static bool has_many_queries(cw_scope_trap *trap, crawl_slice canonical)
{
    query q;
    if (trap->shared) {
        uint64_t path = shared_path(trap, canonical);
        return path && trap_is_full(trap->paths, path_name(&path), trap->config->max_queries);
    }
    const char *mark = canonical.size ? memchr(canonical.data, '?', canonical.size) : NULL;
    if (!trap->queries || !mark)
        return false;
    if (trap_hash_of(trap, crawl_slice_of(canonical.data, (size_t)(mark - canonical.data)), q.path) ||
        trap_hash_of(trap, canonical, q.whole))
        return false;
    cw_scope_counted *path = trap_get(trap->paths, crawl_slice_of(q.path, NAME_SIZE), CW_SCOPE_TRAP_PATHS_MAX);
    if (!path)
        return false;
    if (path->count >= trap->config->max_queries)
        return crawl_bloom_test(trap->queries, q.whole, NAME_SIZE) == CRAWL_ABSENT;
    count_query(trap, path, &q);
    return false;
}

static crawl_slice domain_of(cw_scope_trap *trap, const crawl_url *url)
{
    return cw_scope_domain(crawl_url_hostname(url), &trap->domain);
}

/* Returns the limit of pages of the URL's host. Takes the lock of the rules, so `lock` must not be held. */
static uint64_t host_limit(const cw_scope_trap *trap, const crawl_url *url)
{
    crawl_buf origin = {0};
    bool asked = trap->rules && crawl_url_origin(url, &origin) == CRAWL_OK;
    const cw_host_rules *rules = asked ? cw_host_book_find(trap->rules, crawl_buf_slice(&origin)) : NULL;
    crawl_buf_free(&origin);
    return rules ? rules->max_pages : trap->config->max_pages_per_host;
}

static crawl_trap check_pages(cw_scope_trap *trap, const crawl_url *url, uint64_t limit)
{
    const crawl_config *config = trap->config;
    if (trap_is_full(trap->hosts, crawl_url_hostname(url), limit))
        return CRAWL_TRAP_HOST_PAGES;
    if (config->max_pages_per_domain && trap_is_full(trap->domains, domain_of(trap, url), config->max_pages_per_domain))
        return CRAWL_TRAP_DOMAIN_PAGES;
    return CRAWL_TRAP_NONE;
}

static bool counts_pages(const cw_scope_trap *trap)
{
    return trap->rules || trap->config->max_pages_per_host || trap->config->max_pages_per_domain;
}

crawl_trap cw_scope_trap_check(cw_scope_trap *trap, const crawl_url *url, crawl_slice canonical)
{
    crawl_trap found = cw_scope_shape_judge(trap->config, url);
    if (found || !(trap->config->max_queries || counts_pages(trap)))
        return found;
    uint64_t limit = host_limit(trap, url);
    pthread_mutex_lock(&trap->lock);
    found = check_pages(trap, url, limit);
    if (!found && has_many_queries(trap, canonical))
        found = CRAWL_TRAP_QUERIES;
    pthread_mutex_unlock(&trap->lock);
    return found;
}

/* Points the host's record to the counts of its name and its domain, if they have a limit. */
static void find_counts(cw_scope_trap *trap, cw_host_record *host, uint64_t limit)
{
    crawl_slice name = cw_host_place_of(cw_host_record_origin(host)).host;
    if (limit && !host->pages)
        host->pages = trap_get(trap->hosts, name, CW_SCOPE_TRAP_PLACES_MAX);
    if (trap->config->max_pages_per_domain && !host->domain_pages)
        host->domain_pages = trap_get(trap->domains, cw_scope_domain(name, &trap->domain), CW_SCOPE_TRAP_PLACES_MAX);
}

static uint64_t limit_of(const cw_scope_trap *trap, cw_host_record *host)
{
    const cw_host_rules *rules = atomic_load(&host->rules);
    return rules ? rules->max_pages : trap->config->max_pages_per_host;
}

static crawl_trap check_counts(const cw_scope_trap *trap, const cw_host_record *host, uint64_t limit)
{
    if (limit && host->pages && host->pages->count >= limit)
        return CRAWL_TRAP_HOST_PAGES;
    if (host->domain_pages && host->domain_pages->count >= trap->config->max_pages_per_domain)
        return CRAWL_TRAP_DOMAIN_PAGES;
    return CRAWL_TRAP_NONE;
}

static void trap_count_page(cw_host_record *host, int change)
{
    if (host->pages)
        host->pages->count += (uint64_t)change;
    if (host->domain_pages)
        host->domain_pages->count += (uint64_t)change;
}

/* ---- pages of all processes together ---- */

/* Notes that a host, a domain or a path has reached its limit, so that links to it found from now on are not queued. */
static void note_full(cw_scope_trap *trap, cw_map *map, crawl_slice name, uint64_t limit)
{
    pthread_mutex_lock(&trap->lock);
    cw_scope_counted *one = trap_get(map, name, CW_SCOPE_TRAP_PLACES_MAX);
    if (one && one->count < limit) {
        one->count = limit;
        atomic_fetch_add(&trap->changes, 1);
    }
    pthread_mutex_unlock(&trap->lock);
}

static crawl_err name_tickets(const cw_scope_trap *trap, cw_host_record *host, uint64_t path, cw_scope_tickets *out)
{
    crawl_slice name = cw_host_place_of(cw_host_record_origin(host)).host;
    return cw_scope_tickets_name(name, limit_of(trap, host), trap->config->max_pages_per_domain, path,
                                 path ? trap->config->max_queries : 0, out);
}

/* Takes the tickets of a page. Out of memory: the page comes again later. */
static crawl_err trap_take_shared(cw_scope_trap *trap, cw_host_record *host, uint64_t path, crawl_trap *out)
{
    cw_scope_tickets tickets;
    crawl_buf scratch = {0};
    crawl_slice name = cw_host_place_of(cw_host_record_origin(host)).host;
    crawl_err err = name_tickets(trap, host, path, &tickets);
    if (!err)
        err = cw_scope_tickets_take(&tickets, trap->shared, out);
    if (*out == CRAWL_TRAP_HOST_PAGES)
        note_full(trap, trap->hosts, name, tickets.of[0].limit);
    else if (*out == CRAWL_TRAP_DOMAIN_PAGES)
        note_full(trap, trap->domains, cw_scope_domain(name, &scratch), tickets.of[1].limit);
    else if (*out == CRAWL_TRAP_QUERIES)
        note_full(trap, trap->paths, path_name(&path), tickets.of[2].limit);
    cw_scope_tickets_free(&tickets);
    crawl_buf_free(&scratch);
    return err ? CRAWL_AGAIN : CRAWL_OK;
}

static void return_shared(cw_scope_trap *trap, cw_host_record *host, uint64_t path)
{
    cw_scope_tickets tickets;
    if (name_tickets(trap, host, path, &tickets) == CRAWL_OK)
        cw_scope_tickets_return(&tickets, trap->shared);
    cw_scope_tickets_free(&tickets);
}

uint64_t cw_scope_trap_path(cw_scope_trap *trap, crawl_slice canonical)
{
    if (!trap->shared)
        return 0;
    pthread_mutex_lock(&trap->lock);
    uint64_t path = shared_path(trap, canonical);
    pthread_mutex_unlock(&trap->lock);
    return path;
}

void cw_scope_trap_share(cw_scope_trap *trap, crawl_frontier *frontier)
{
    trap->shared = frontier;
}

crawl_err cw_scope_trap_take(cw_scope_trap *trap, cw_host_record *host, uint64_t path, crawl_trap *out)
{
    *out = CRAWL_TRAP_NONE;
    if (!counts_pages(trap) && !path)
        return CRAWL_OK;
    if (trap->shared)
        return trap_take_shared(trap, host, path, out);
    uint64_t limit = limit_of(trap, host);
    pthread_mutex_lock(&trap->lock);
    find_counts(trap, host, limit);
    crawl_trap found = check_counts(trap, host, limit);
    if (!found) {
        trap_count_page(host, 1);
        /* Another origin of the same name may have a lower limit. */
        if (trap->rules || check_counts(trap, host, limit))
            atomic_fetch_add(&trap->changes, 1);
    }
    pthread_mutex_unlock(&trap->lock);
    *out = found;
    return CRAWL_OK;
}

uint32_t cw_scope_trap_changes(cw_scope_trap *trap)
{
    return atomic_load(&trap->changes);
}

void cw_scope_trap_return(cw_scope_trap *trap, cw_host_record *host, uint64_t path)
{
    if (trap->shared) {
        return_shared(trap, host, path);
        return;
    }
    pthread_mutex_lock(&trap->lock);
    trap_count_page(host, -1);
    pthread_mutex_unlock(&trap->lock);
}

/* ---- counts that outlive the process ---- */

#define HOST_NOTE CW_SCOPE_PAGES_NOTE "host "
#define DOMAIN_NOTE CW_SCOPE_PAGES_NOTE "domain "

/* Counts one more page of a host or a domain as over, and writes the note of the count (NULL: nothing is counted). Call
 * with `notes` held. */
static crawl_err settle_one(cw_scope_trap *trap, cw_scope_counted *one, const char *prefix)
{
    char digits[24];
    if (!one)
        return CRAWL_OK;
    pthread_mutex_lock(&trap->lock);
    uint64_t settled = ++one->settled;
    pthread_mutex_unlock(&trap->lock);
    snprintf(digits, sizeof digits, "%" PRIu64, settled);
    crawl_buf_clear(&trap->name);
    crawl_err err = crawl_buf_printf(&trap->name, "%s%s", prefix, one->text);
    return err ? err : crawl_frontier_note_set(trap->kept, crawl_buf_slice(&trap->name), crawl_slice_from(digits));
}

crawl_err cw_scope_trap_settle(cw_scope_trap *trap, cw_host_record *host)
{
    if (!trap->kept)
        return CRAWL_OK;
    pthread_mutex_lock(&trap->lock);
    cw_scope_counted *pages = host->pages;
    cw_scope_counted *domain_pages = host->domain_pages;
    pthread_mutex_unlock(&trap->lock);
    pthread_mutex_lock(&trap->notes);
    crawl_err err = settle_one(trap, pages, HOST_NOTE);
    if (!err)
        err = settle_one(trap, domain_pages, DOMAIN_NOTE);
    pthread_mutex_unlock(&trap->notes);
    return err;
}

typedef struct recalling {
    cw_scope_trap *trap;
    crawl_err err;
} recalling;

static bool trap_recall(crawl_slice name, crawl_slice note, void *user)
{
    recalling *r = user;
    bool of_host = cw_starts_with(name, HOST_NOTE);
    size_t prefix = of_host ? sizeof HOST_NOTE - 1 : sizeof DOMAIN_NOTE - 1;
    cw_map *map = of_host ? r->trap->hosts : r->trap->domains;
    char digits[24];
    if (!of_host && !cw_starts_with(name, DOMAIN_NOTE))
        return true;
    cw_scope_counted *one =
        trap_get(map, crawl_slice_of(name.data + prefix, name.size - prefix), CW_SCOPE_TRAP_PLACES_MAX);
    if (!one) {
        r->err = cw_map_count(map) < CW_SCOPE_TRAP_PLACES_MAX ? CRAWL_ENOMEM : CRAWL_OK;
        return !r->err;
    }
    snprintf(digits, sizeof digits, "%.*s", (int)note.size, note.data);
    one->count = one->settled = strtoull(digits, NULL, 10);
    return true;
}

/* ---- queries that outlive the process ---- */

static crawl_err trap_set_note(void *user, crawl_slice name, crawl_slice note)
{
    return crawl_frontier_note_set(user, name, note);
}

crawl_err cw_scope_trap_flush(cw_scope_trap *trap)
{
    return cw_note_log_flush(&trap->log);
}

static bool recall_query(crawl_slice entry, void *user)
{
    recalling *r = user;
    query q;
    if (entry.size != sizeof q) {
        r->err = CRAWL_ECORRUPT;
        return false;
    }
    memcpy(&q, entry.data, sizeof q);
    cw_scope_counted *path = trap_get(r->trap->paths, crawl_slice_of(q.path, NAME_SIZE), CW_SCOPE_TRAP_PATHS_MAX);
    if (path)
        count_query(r->trap, path, &q);
    return true;
}

static bool recall_queries(crawl_slice name, crawl_slice note, void *user)
{
    recalling *r = user;
    crawl_err err = cw_note_log_read(&r->trap->log, name, note, recall_query, r);
    r->err = r->err ? r->err : err;
    return !r->err;
}

static crawl_err keep_queries(cw_scope_trap *trap, crawl_frontier *frontier)
{
    recalling r = {.trap = trap};
    crawl_err err = crawl_frontier_notes(frontier, crawl_slice_from(CW_SCOPE_QUERIES_NOTE), recall_queries, &r);
    if (!err && !r.err)
        cw_note_log_keep(&trap->log, trap_set_note, frontier);
    return err ? err : r.err;
}

crawl_err cw_scope_trap_keep(cw_scope_trap *trap, crawl_frontier *frontier)
{
    recalling r = {.trap = trap};
    crawl_err err = trap->queries ? keep_queries(trap, frontier) : CRAWL_OK;
    if (err || !counts_pages(trap))
        return err;
    err = crawl_frontier_notes(frontier, crawl_slice_from(CW_SCOPE_PAGES_NOTE), trap_recall, &r);
    trap->kept = err || r.err ? NULL : frontier;
    return err ? err : r.err;
}
