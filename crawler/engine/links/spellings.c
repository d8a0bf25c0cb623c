/* See spellings.h.
 *
 * The table has sets of four entries, one cache line each. A new spelling takes the last place of its set; each time it
 * is met again it changes places with the one before it. So links that never come again use only the last places, and
 * navigation stays. An entry has 88 bits of its hash, and the set stands for 14 more: a spelling is taken for one of
 * the four others of its set with a probability of 2^-100. */
#include "crawler/engine/links/spellings.h"

#include "config/config_values.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/links/href.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/trap.h"

#include <crawl/sys/shared.h>
#include <stdlib.h>

enum { WAYS = 4, SET_BITS = 14, SET_BYTES = 64, VERDICT_BITS = 7, PLAIN = 1 << VERDICT_BITS, TAG_SHIFT = 8 };

typedef struct spelling_entry {
    uint64_t high; /* of the key */
    uint32_t mark; /* 24 bits of the key's low half, PLAIN, and the verdict, which is never 0; 0: empty */
    uint32_t changes;
} spelling_entry;

typedef struct spelling_set {
    spelling_entry ways[WAYS];
} spelling_set;

_Static_assert(sizeof(spelling_set) == SET_BYTES && sizeof(spelling_set) << SET_BITS == CW_LINKS_SPELLINGS_BYTES,
               "the table has the size that is stated");
_Static_assert(CRAWL_EDGE_COUNT <= 1 << VERDICT_BITS, "a verdict fits beside the flag");

/* A judged link. */
typedef struct spelling {
    cw_keyed_hash key;
    bool is_kept;  /* its verdict may be remembered */
    bool is_plain; /* it leads to an http URL */
} spelling;

/* How often each thing that a verdict may depend on has changed. The numbers only grow. */
typedef struct change_counts {
    uint32_t scope, limits, https, returns;
} change_counts;

struct cw_links_spellings {
    const crawl_engine *engine;
    bool keeps_seen;
    bool is_by_depth;
    cw_hash_secret of_folders; /* differs from the secret of spellings, so that the two cannot be confused */
    crawl_buf scratch;
    /* Of the present list: */
    bool is_open;  /* its links may be remembered */
    bool is_plain; /* its base is an http URL */
    cw_keyed_hash folder;
    change_counts before; /* as of before its links were judged */
    cw_keyed_hash key;    /* of the link looked up last */
    uint64_t recalled;    /* links recalled as seen since the frontier was told */
    void *room;
    spelling_set *sets;                   /* within room, aligned to a cache line */
    spelling batched[CW_LINKS_BATCH_MAX]; /* the links in the batch */
};

/* Returns true if a seen URL stays seen. A seen-set that can forget does so when a visit ends, or at a date. */
static bool keeps_seen(const crawl_config *config)
{
    return !crawl_bloom_kind_forgets(config->seen.kind) && config->seen.kind != CRAWL_BLOOM_ROTATING;
}

static crawl_err spellings_open_table(cw_links_spellings *spellings)
{
    spellings->room = calloc(1, CW_LINKS_SPELLINGS_BYTES + SET_BYTES);
    if (!spellings->room)
        return CRAWL_ENOMEM;
    uintptr_t beyond = (uintptr_t)spellings->room % SET_BYTES;
    spellings->sets = (spelling_set *)(void *)((char *)spellings->room + (beyond ? SET_BYTES - beyond : 0));
    return CRAWL_OK;
}

crawl_err cw_links_spellings_create(const crawl_engine *engine, cw_links_spellings **out)
{
    if (engine->hooks.on_link)
        return CRAWL_OK;
    cw_links_spellings *spellings = calloc(1, sizeof *spellings);
    if (!spellings)
        return CRAWL_ENOMEM;
    spellings->engine = engine;
    spellings->keeps_seen = keeps_seen(engine->config);
    spellings->is_by_depth = cw_engine_state_is_by_depth(engine->config);
    cw_hash_secret_draw(&spellings->of_folders);
    crawl_err err = spellings_open_table(spellings);
    if (err)
        cw_links_spellings_free(spellings);
    else
        *out = spellings;
    return err;
}

void cw_links_spellings_free(cw_links_spellings *spellings)
{
    if (!spellings)
        return;
    crawl_buf_free(&spellings->scratch);
    free(spellings->room);
    free(spellings);
}

static change_counts count_changes(const cw_links_spellings *spellings)
{
    const crawl_engine *engine = spellings->engine;
    return (change_counts){
        .scope = cw_scope_changes(engine->scope),
        .limits = cw_scope_trap_changes(engine->trap),
        .https = engine->hsts ? cw_host_hsts_changes(engine->hsts) : 0,
        .returns = engine->config->shared ? crawl_frontier_shared_returns(engine->frontier) : 0,
    };
}

/* Returns the sum of the counts that this verdict depends on. Each count only grows, so equal sums mean equal
 * counts. */
static uint32_t spellings_sum(change_counts of, crawl_edge_verdict verdict, bool is_plain)
{
    return (verdict == CRAWL_EDGE_SCOPE ? of.scope : 0) + (verdict == CRAWL_EDGE_SEEN ? of.limits + of.returns : 0) +
           (is_plain ? of.https : 0);
}

/* The target of a reference depends on the base up to its last slash and, in a query, on the encoding. */
void cw_links_spellings_begin(cw_links_spellings *spellings, const cw_links_list *list, uint32_t depth)
{
    if (!spellings)
        return;
    crawl_buf *text = &spellings->scratch;
    crawl_slice folder = cw_scope_prefix(list->base);
    crawl_buf_clear(text);
    crawl_err err = list->charset ? crawl_buf_append_text(text, list->charset) : CRAWL_OK;
    if (!err)
        err = crawl_buf_append_char(text, '\n');
    if (!err && spellings->is_by_depth)
        err = crawl_buf_append(text, &depth, sizeof depth);
    if (!err)
        err = crawl_buf_append(text, folder.data, folder.size);
    spellings->is_open = !err && list->base_is_http;
    spellings->is_plain = crawl_slice_equal(crawl_url_scheme(list->base), crawl_slice_from("http"));
    spellings->folder = cw_keyed_hash_of(&spellings->of_folders, crawl_buf_slice(text));
    spellings->before = count_changes(spellings);
}

/* ---- the table ---- */

static spelling_set *spellings_set_of(const cw_links_spellings *spellings, cw_keyed_hash key)
{
    return &spellings->sets[key.low >> (64 - SET_BITS)];
}

static uint32_t tag_of(cw_keyed_hash key)
{
    return (uint32_t)key.low << TAG_SHIFT;
}

/* Returns the place of a key in its set; WAYS: it is not there. */
static size_t spellings_find(const spelling_set *set, cw_keyed_hash key)
{
    size_t i = 0;
    while (i < WAYS && (set->ways[i].high != key.high || (set->ways[i].mark ^ tag_of(key)) >> TAG_SHIFT))
        i++;
    return i < WAYS && set->ways[i].mark ? i : WAYS;
}

static cw_keyed_hash spellings_key_of(const cw_links_spellings *spellings, cw_keyed_hash hash)
{
    return (cw_keyed_hash){.low = hash.low ^ spellings->folder.low, .high = hash.high ^ spellings->folder.high};
}

void cw_links_spellings_expect(const cw_links_spellings *spellings, cw_keyed_hash hash)
{
    if (spellings && spellings->is_open)
        __builtin_prefetch(spellings_set_of(spellings, spellings_key_of(spellings, hash)), 1);
}

crawl_edge_verdict cw_links_spellings_recall(cw_links_spellings *spellings, cw_keyed_hash hash)
{
    if (!spellings || !spellings->is_open)
        return CRAWL_EDGE_NEW;
    spellings->key = spellings_key_of(spellings, hash);
    spelling_set *set = spellings_set_of(spellings, spellings->key);
    size_t at = spellings_find(set, spellings->key);
    if (at == WAYS)
        return CRAWL_EDGE_NEW;
    const spelling_entry found = set->ways[at];
    crawl_edge_verdict verdict = (crawl_edge_verdict)(found.mark & (PLAIN - 1));
    if (found.changes != spellings_sum(count_changes(spellings), verdict, found.mark & PLAIN))
        return CRAWL_EDGE_NEW;
    if (at) {
        set->ways[at] = set->ways[at - 1];
        set->ways[at - 1] = found;
    }
    spellings->recalled += verdict == CRAWL_EDGE_SEEN;
    return verdict;
}

/* Remembers a verdict. It replaces the entry with the same key, an empty one, or the last of the set. */
static void spellings_note(const cw_links_spellings *spellings, const spelling *one, crawl_edge_verdict verdict)
{
    spelling_set *set = spellings_set_of(spellings, one->key);
    size_t at = spellings_find(set, one->key);
    for (size_t i = 0; at == WAYS && i < WAYS; i++)
        at = set->ways[i].mark ? WAYS : i;
    set->ways[at < WAYS ? at : WAYS - 1] = (spelling_entry){
        .high = one->key.high,
        .mark = tag_of(one->key) | (one->is_plain ? PLAIN : 0) | (uint32_t)verdict,
        .changes = spellings_sum(spellings->before, verdict, one->is_plain),
    };
}

/* ---- choosing what to remember ---- */

/* Returns true if the link leads to the same URL from every page of the folder, by a scheme that is certain. */
static bool leads_to_one(const cw_links_spellings *spellings, crawl_slice text, bool *is_plain)
{
    cw_links_href look = cw_links_href_look(text);
    *is_plain = look == CW_LINKS_HREF_HTTP ? text.data[strlen("http")] == ':' : spellings->is_plain;
    return look == CW_LINKS_HREF_HTTP || (look == CW_LINKS_HREF_RELATIVE && text.size && text.data[0] != '?');
}

/* Returns true if the next link of this spelling will have the same verdict. NEW: the answer to the push will stay. */
static bool stays(const cw_links_spellings *spellings, const cw_links_judge *judge, crawl_edge_verdict verdict)
{
    return verdict == CRAWL_EDGE_SCOPE || (verdict == CRAWL_EDGE_NEW && spellings->keeps_seen) ||
           (verdict == CRAWL_EDGE_FILTER && !judge->stopped); /* each stop is counted */
}

void cw_links_spellings_judged(cw_links_spellings *spellings, const cw_links_batch *batch, crawl_slice text,
                               crawl_edge_verdict verdict)
{
    if (!spellings)
        return;
    spelling one = {.key = spellings->key};
    const cw_links_judge *judge = batch->judge;
    if (spellings->is_open && stays(spellings, judge, verdict) && leads_to_one(spellings, text, &one.is_plain))
        one.is_kept =
            crawl_slice_equal(crawl_url_scheme(judge->url), crawl_slice_from(one.is_plain ? "http" : "https"));
    if (verdict == CRAWL_EDGE_NEW)
        spellings->batched[batch->size - 1] = one;
    else if (one.is_kept)
        spellings_note(spellings, &one, verdict);
}

void cw_links_spellings_pushed(cw_links_spellings *spellings, const cw_links_batch *batch)
{
    for (size_t i = 0; spellings && i < batch->size; i++) {
        crawl_edge_verdict fate = cw_links_batch_fate(batch, i);
        bool is_in = fate == CRAWL_EDGE_NEW || fate == CRAWL_EDGE_SEEN;
        if (is_in && spellings->batched[i].is_kept)
            spellings_note(spellings, &spellings->batched[i], CRAWL_EDGE_SEEN); /* by the next link at the latest */
    }
}

void cw_links_spellings_count(cw_links_spellings *spellings)
{
    if (!spellings || !spellings->recalled)
        return;
    crawl_frontier_push_seen(spellings->engine->frontier, spellings->recalled);
    spellings->recalled = 0;
}
