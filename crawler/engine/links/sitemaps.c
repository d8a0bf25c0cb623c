#include "crawler/engine/links/sitemaps.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/host/upgrade.h"
#include "crawler/engine/links/feeds.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/sitemap_faults.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/url_looks.h"
#include "crawler/engine/visit/again/revisit.h"

#include <math.h>

enum {
    MAX_LEVEL = 3, /* indexes within indexes; the protocol allows one level */
    PRIORITY_SCALE = 10,
    SCORE_SCALE = 100,    /* see url_looks.h */
    PIECE = 4096,         /* bytes read at once: about a hundred entries */
    COMPRESSED_PIECE = 64 /* they become at most 64 KiB, and usually less than PIECE */
};

/* Returns how many indexes led to a sitemap; 0 for a feed that was looked for. */
static uint32_t sitemaps_level_of(const crawl_lease *lease)
{
    bool is_level = !(lease->tag & CW_ENGINE_TAG_FEED);
    return is_level ? lease->tag >> CW_ENGINE_TAG_LEVEL_SHIFT & CW_ENGINE_TAG_LEVEL_MASK : 0;
}

/* Most sites have no llms.txt, so a missing one is no fault. */
void cw_links_sitemaps_fault(crawl_engine *engine, uint32_t tag, crawl_sitemap_fault fault, crawl_slice url)
{
    if (!cw_links_sitemaps_is_llms(tag) || fault == CRAWL_SITEMAP_BROKEN || fault == CRAWL_SITEMAP_CUT)
        cw_links_faults_count(&engine->sitemap_faults, fault, url);
}

static void sitemaps_fail(crawl_engine *engine, crawl_err err)
{
    if (err && err != CRAWL_EXISTS)
        cw_engine_fail(engine, err, "a sitemap cannot be read");
}

/* ---- queueing sitemaps ---- */

/* Takes room for a sitemap at the site of this URL or gives it back, depending on change (sites.h). */
static crawl_err change_room(crawl_engine *engine, const crawl_url *url,
                             crawl_err (*change)(cw_host_sites *sites, cw_host_record *host))
{
    crawl_buf origin = {0};
    cw_host_record *host;
    crawl_err err = crawl_url_origin(url, &origin);
    if (!err)
        err = cw_host_table_get_named(engine->host_table, crawl_buf_slice(&origin), &host);
    crawl_buf_free(&origin);
    if (err)
        return err;
    err = change(engine->sites, host);
    cw_host_record_release(host);
    return err;
}

/* Pushes the request for a sitemap. Gives its room back if it is not queued, because it was queued before or the
 * frontier is full. */
static crawl_err sitemaps_push(crawl_engine *engine, const crawl_url *url, const crawl_request *request,
                               crawl_slice parent, size_t *accepted)
{
    crawl_err err = crawl_frontier_push(engine->frontier, request, 1, parent, NULL, accepted, cw_engine_now(engine));
    if (err && err != CRAWL_FULL)
        return err;
    return *accepted ? CRAWL_OK : change_room(engine, url, cw_host_sites_return_sitemap);
}

crawl_err cw_links_sitemaps_queue(cw_links_judge *judge, const crawl_lease *lease, const crawl_url *url, uint32_t level,
                                  uint32_t tag, bool *accepted)
{
    size_t count = 0;
    crawl_engine *engine = judge->engine;
    crawl_request request = {
        .url = crawl_url_request(url),
        .priority = INT32_MAX,
        .depth = lease->depth,
        .tag = CW_ENGINE_TAG_SITEMAP | level << CW_ENGINE_TAG_LEVEL_SHIFT | tag,
        .any_depth = true,
    };
    const char *method = cw_links_sitemaps_is_llms(tag) ? "LLMS" : "SITEMAP";
    crawl_err err = change_room(engine, url, cw_host_sites_take_sitemap);
    if (err == CRAWL_FULL)
        cw_links_sitemaps_fault(engine, tag, CRAWL_SITEMAP_REFUSED, request.url);
    if (!err)
        err = cw_links_judge_canonical(judge, url);
    if (!err)
        err = cw_links_judge_fingerprint(judge, crawl_slice_from(method), (crawl_slice){0}, &request.fingerprint);
    if (!err)
        err = sitemaps_push(engine, url, &request, lease->url, &count);
    if (accepted)
        *accepted = count > 0;
    return err == CRAWL_FULL ? CRAWL_OK : err;
}

/* Queues the sitemap that this text names, relative to the source's own URL. */
static crawl_err queue_text(cw_links_judge *judge, const cw_links_source *source, crawl_slice text, uint32_t level,
                            uint32_t tag)
{
    crawl_err err = cw_links_judge_resolve(judge, text, source->url, NULL, judge->url);
    if (err)
        return err == CRAWL_ENOMEM ? err : CRAWL_OK;
    return cw_links_sitemaps_queue(judge, source->lease, judge->url, level, tag, NULL);
}

/* Queues the sitemap that a line of the site's robots.txt names. */
static crawl_err queue_line(cw_links_judge *judge, const cw_links_source *source, crawl_slice line)
{
    const cw_links_source robots = {.lease = source->lease, .url = judge->url, .host = source->host};
    crawl_err err = crawl_url_parse(judge->url, crawl_slice_from("/robots.txt"), source->url, NULL);
    return err ? err : queue_text(judge, &robots, line, 0, 0);
}

void cw_links_sitemaps_ask(cw_links_judge *judge, const cw_links_source *source)
{
    crawl_engine *engine = judge->engine;
    const crawl_config *config = engine->config;
    const crawl_lease *lease = source->lease;
    bool asks_sitemaps = config->sitemaps && config->depth > 0;
    if ((!asks_sitemaps && !config->llms_txt) || !(lease->tag & CW_ENGINE_TAG_SEED))
        return;
    crawl_buf lines = {0};
    crawl_err err = cw_host_sites_sitemaps(engine->sites, source->host, &lines);
    for (crawl_slice rest = crawl_buf_slice(&lines); asks_sitemaps && rest.size && !err;)
        err = queue_line(judge, source, cw_cut_line(&rest));
    if (asks_sitemaps && !err)
        err = queue_text(judge, source, crawl_slice_from("/sitemap.xml"), 0, CW_ENGINE_TAG_GUESSED);
    if (config->llms_txt && !err)
        err = queue_text(judge, source, crawl_slice_from("/llms.txt"), 0, CW_ENGINE_TAG_LLMS);
    if (!err)
        err = cw_host_sites_sitemaps_queued(engine->sites, source->host);
    crawl_buf_free(&lines);
    sitemaps_fail(engine, err);
}

void cw_links_sitemaps_redirect(cw_links_judge *judge, const cw_links_source *source, crawl_slice location)
{
    const crawl_lease *lease = source->lease;
    uint32_t redirects = (lease->tag & CW_ENGINE_TAG_REDIRECTS) + 1;
    if (!location.data)
        cw_links_sitemaps_fault(judge->engine, lease->tag, CRAWL_SITEMAP_FAILED, lease->url);
    else if (redirects > CW_LINKS_SITEMAPS_MAX_REDIRECTS)
        cw_links_sitemaps_fault(judge->engine, lease->tag, CRAWL_SITEMAP_REFUSED, lease->url);
    else
        sitemaps_fail(judge->engine,
                      queue_text(judge, source, location, sitemaps_level_of(lease),
                                 redirects | (lease->tag & (CW_ENGINE_TAG_LLMS | CW_ENGINE_TAG_GUESSED))));
}

/* ---- entries of a sitemap ---- */

/* Pushes the batch of entries, and counts their fates. */
static void push_entries(cw_links_sitemap *r)
{
    cw_engine_tally tally = {{0}};
    cw_links_batch_push(r->batch);
    for (size_t i = 0; i < r->batch->size; i++)
        tally.of[cw_links_batch_fate(r->batch, i)]++;
    r->followed->fresh += tally.of[CRAWL_EDGE_NEW];
    cw_engine_count_tally(r->batch->judge->engine->counters.sitemap_edges, &tally);
    cw_links_batch_clear(r->batch);
}

/* Queues a sitemap that an index names, if it is at the site of the index or in scope. */
static crawl_err add_sitemap(const cw_links_sitemap *r, const crawl_url *url)
{
    cw_links_judge *judge = r->batch->judge;
    const crawl_lease *lease = r->source.lease;
    uint32_t level = sitemaps_level_of(lease) + 1;
    bool leads_on = cw_links_judge_is_origin(url, lease->origin) || cw_scope_contains(judge->scope, url);
    if (level < MAX_LEVEL && leads_on && !cw_scope_userinfo_is_there(url))
        return cw_links_sitemaps_queue(judge, lease, url, level, 0, NULL);
    cw_links_sitemaps_fault(judge->engine, lease->tag, CRAWL_SITEMAP_REFUSED, crawl_url_request(url));
    return CRAWL_OK;
}

/* Returns the priority in the frontier: an entry of 0.5, the protocol's default, has that of a link. */
static int32_t sitemaps_priority_of(const crawl_config *config, const crawl_sitemap_entry *entry)
{
    int scale = config->order == CRAWL_ORDER_BEST ? SCORE_SCALE : PRIORITY_SCALE;
    return (int32_t)lround((entry->priority - 0.5) * scale);
}

static bool sitemaps_is_date(int64_t lastmod)
{
    return lastmod > 0 && lastmod <= INT64_MAX / 1000 - CW_LINKS_DAY_S;
}

/* Makes the memo of a page that may be visited again: the date of its last change, according to the sitemap. */
static crawl_err hint(const crawl_config *config, int64_t lastmod, crawl_buf *memo)
{
    if (!config->revisit || !sitemaps_is_date(lastmod) || lastmod * 1000 > cw_wall_ms())
        return CRAWL_OK;
    const cw_visit_revisit page = {.lastmod_ms = lastmod * 1000};
    return cw_visit_revisit_write(&page, memo);
}

/* Returns the depth of the URLs named: pages of a sitemap count as links of its seed, those of an llms.txt as seeds. */
static uint32_t sitemaps_depth_below(const cw_links_sitemap *r)
{
    const crawl_lease *lease = r->source.lease;
    return lease->depth + !cw_links_sitemaps_is_llms(lease->tag);
}

/* Judges a page that an entry names, as itself (lastmod) or as a translation, and adds its request. NEW: the request is
 * in the batch. */
static crawl_edge_verdict sitemaps_add_page(cw_links_sitemap *r, const crawl_sitemap_entry *entry, const crawl_url *url,
                                            int64_t lastmod)
{
    cw_links_batch *batch = r->batch;
    crawl_engine *engine = batch->judge->engine;
    uint32_t depth = sitemaps_depth_below(r);
    crawl_edge_verdict verdict = cw_links_judge_verdict(batch->judge, url, false);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    crawl_buf_clear(&r->memo);
    crawl_err err = hint(engine->config, lastmod, &r->memo);
    if (err) {
        cw_engine_fail(engine, err, "no memory for the state of a page");
        return CRAWL_EDGE_REFUSED;
    }
    const crawl_request request = {
        .depth = depth,
        .priority = sitemaps_priority_of(engine->config, entry) + cw_links_batch_worth(batch, url, depth),
        .memo = crawl_buf_slice(&r->memo),
    };
    return cw_links_batch_add(batch, url, &request, NULL, lastmod);
}

/* Judges an image or the like as a part of its entry's page, at the depth of that page. NEW: the request is in the
 * batch. */
static crawl_edge_verdict sitemaps_add_part(cw_links_sitemap *r, const crawl_url *url, bool frame)
{
    cw_links_judge *judge = r->batch->judge;
    if (!judge->engine->config->requisites)
        return CRAWL_EDGE_ELEMENT;
    crawl_edge_verdict verdict = cw_links_judge_part(judge, url);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    const crawl_request request = {
        .depth = sitemaps_depth_below(r),
        .tag = cw_links_requisites_tag_of(frame, 1),
        .any_depth = true,
    };
    return cw_links_batch_add(r->batch, url, &request, NULL, CRAWL_SITEMAP_NO_DATE);
}

/* A player is a document that pages show in a frame, and is followed like one (follow.c): as a page if it belongs to
 * the crawl, and otherwise as a part. */
static crawl_edge_verdict sitemaps_add_player(cw_links_sitemap *r, const crawl_sitemap_entry *entry,
                                              const crawl_url *url)
{
    const cw_links_judge *judge = r->batch->judge;
    bool is_page = judge->engine->config->follow & CRAWL_LINK_IFRAME && cw_scope_contains(judge->scope, url);
    return is_page ? sitemaps_add_page(r, entry, url, CRAWL_SITEMAP_NO_DATE) : sitemaps_add_part(r, url, true);
}

static crawl_edge_verdict sitemaps_add_link(cw_links_sitemap *r, const crawl_sitemap_entry *entry,
                                            const crawl_sitemap_link *link, const crawl_url *url)
{
    switch (link->kind) {
    case CRAWL_SITEMAP_ALTERNATE:
        return sitemaps_add_page(r, entry, url, CRAWL_SITEMAP_NO_DATE);
    case CRAWL_SITEMAP_PLAYER:
        return sitemaps_add_player(r, entry, url);
    default:
        return sitemaps_add_part(r, url, false);
    }
}

/* Keeps the date of an entry's page, which has this verdict. The pages that become due are looked up at the end. */
static void sitemaps_take_date(cw_links_sitemap *r, const crawl_sitemap_entry *entry, const crawl_url *url,
                               crawl_edge_verdict verdict)
{
    const cw_links_batch *batch = r->batch;
    bool is_there = verdict == CRAWL_EDGE_NEW; /* the last request of the batch */
    const crawl_fingerprint *page = is_there ? &batch->requests[batch->size - 1].fingerprint : NULL;
    if (!batch->judge->engine->config->revisit || !sitemaps_is_date(entry->lastmod))
        return;
    crawl_err err = cw_links_lastmods_take(&r->lastmods, url, page, entry->lastmod * 1000,
                                           cw_links_lastmods_until_ms(entry), cw_wall_ms());
    sitemaps_fail(batch->judge->engine, err);
}

/* Adds a URL of an entry: the link's if there is one, and otherwise its page's. Counts URLs that are not queued. */
static void sitemaps_add_url(cw_links_sitemap *r, const crawl_sitemap_entry *entry, const crawl_sitemap_link *link,
                             const crawl_url *url)
{
    crawl_engine *engine = r->batch->judge->engine;
    crawl_edge_verdict verdict;
    r->followed->links++;
    if (r->batch->size == CW_LINKS_BATCH_MAX)
        push_entries(r);
    if (cw_scope_userinfo_is_there(url)) /* a sitemap has no reason to contain them */
        verdict = CRAWL_EDGE_NO_URL;
    else if (sitemaps_depth_below(r) > engine->config->depth)
        verdict = CRAWL_EDGE_DEPTH;
    else
        verdict = link ? sitemaps_add_link(r, entry, link, url) : sitemaps_add_page(r, entry, url, entry->lastmod);
    if (!link)
        sitemaps_take_date(r, entry, url, verdict);
    if (verdict != CRAWL_EDGE_NEW)
        cw_engine_count(&engine->counters.sitemap_edges[verdict], 1);
}

static bool sitemaps_reads_feed(const cw_links_sitemap *r)
{
    crawl_sitemap_stats stats;
    crawl_sitemap_stats_get(r->sitemap, &stats);
    return stats.type == CRAWL_SITEMAP_RSS || stats.type == CRAWL_SITEMAP_ATOM;
}

/* Parses a URL of an entry, with https if its host wants that. */
static crawl_err sitemaps_parse(crawl_engine *engine, crawl_slice text, crawl_url *url)
{
    crawl_err err = crawl_url_parse(url, text, NULL, NULL);
    return err ? err : cw_host_upgrade(engine, url);
}

static crawl_err on_entry(void *user, const crawl_sitemap_entry *entry)
{
    cw_links_sitemap *r = user;
    crawl_engine *engine = r->batch->judge->engine;
    crawl_url *own = r->batch->judge->url;
    const crawl_url *url = entry->url;
    crawl_err err = CRAWL_OK;
    if (cw_engine_failed(engine))
        return CRAWL_DRAINED;
    if (cw_links_feeds_is_guess(r->source.lease) && !sitemaps_reads_feed(r))
        return CRAWL_EPARSE; /* something else, which nobody has asked for */
    if (cw_host_upgrade_wanted(engine, url)) {
        err = sitemaps_parse(engine, crawl_url_href(url), own);
        url = own;
    }
    if (err)
        return err;
    if (entry->is_sitemap) {
        r->followed->links++;
        return add_sitemap(r, url);
    }
    sitemaps_add_url(r, entry, NULL, url);
    for (size_t i = 0; i < entry->link_count && !err; i++) {
        err = sitemaps_parse(engine, entry->links[i].url, own);
        if (!err)
            sitemaps_add_url(r, entry, &entry->links[i], own);
    }
    return err;
}

void cw_links_sitemaps_begin(cw_links_sitemap *r, cw_links_batch *batch, const cw_links_source *source,
                             crawl_slice body, bool cut, cw_links_followed *followed)
{
    const crawl_sitemap_options options = {.size = sizeof options,
                                           .url = source->url,
                                           .on_entry = on_entry,
                                           .user = r,
                                           .is_llms = cw_links_sitemaps_is_llms(source->lease->tag)};
    *r = (cw_links_sitemap){.batch = batch, .source = *source, .rest = body, .is_cut = cut, .followed = followed};
    r->piece = cw_starts_with(body, "\x1f\x8b") ? COMPRESSED_PIECE : PIECE;
    sitemaps_fail(batch->judge->engine, crawl_sitemap_create(&options, &r->sitemap));
}

void cw_links_sitemaps_stop(cw_links_sitemap *r)
{
    crawl_sitemap_free(r->sitemap);
    crawl_buf_free(&r->memo);
    cw_links_lastmods_free(&r->lastmods);
    r->sitemap = NULL;
}

/* Counts a llms.txt that was read, and the faults of any sitemap. */
static void count_read(const cw_links_sitemap *r)
{
    crawl_engine *engine = r->batch->judge->engine;
    const crawl_lease *lease = r->source.lease;
    crawl_sitemap_stats stats;
    crawl_sitemap_stats_get(r->sitemap, &stats);
    cw_engine_count(&engine->counters.llms_txt, stats.type == CRAWL_SITEMAP_LLMS);
    bool is_one = stats.type != CRAWL_SITEMAP_UNKNOWN && (stats.type != CRAWL_SITEMAP_TEXT || stats.entries);
    if (stats.none || (r->is_cut && !is_one)) /* a body that was cut is not judged at its end */
        cw_links_sitemaps_fault(engine, lease->tag, CRAWL_SITEMAP_NONE, lease->url);
    else if (stats.full || r->is_cut)
        cw_links_sitemaps_fault(engine, lease->tag, CRAWL_SITEMAP_CUT, lease->url);
    else if (stats.broken)
        cw_links_sitemaps_fault(engine, lease->tag, CRAWL_SITEMAP_BROKEN, lease->url);
    if (stats.bad_dates)
        cw_links_sitemaps_fault(engine, lease->tag, CRAWL_SITEMAP_DATES, lease->url);
}

/* Feeds the next bytes to the parser or, if there are no more, ends it. After a body that was cut it is not ended: the
 * last line may be part of one. */
static crawl_err sitemaps_read_piece(cw_links_sitemap *r)
{
    crawl_slice piece = crawl_slice_of(r->rest.data, r->rest.size < r->piece ? r->rest.size : r->piece);
    r->is_over = !piece.size;
    r->rest = cw_drop(r->rest, piece.size);
    if (r->is_over)
        return r->is_cut ? CRAWL_OK : crawl_sitemap_end(r->sitemap);
    return crawl_sitemap_feed(r->sitemap, piece);
}

/* A body that is broken, cut off or not a sitemap at all is read as far as it is one. */
bool cw_links_sitemaps_go_on(cw_links_sitemap *r)
{
    crawl_err err;
    if (!r->sitemap)
        return true;
    cw_links_batch_begin(r->batch, &r->source);
    do
        err = sitemaps_read_piece(r);
    while (!err && !r->is_over && !cw_links_judge_look(r->batch->judge));
    push_entries(r);
    if (err == CRAWL_DRAINED || (!err && !r->is_over))
        return false;
    r->is_feed = sitemaps_reads_feed(r);
    if (r->is_feed || !cw_links_feeds_is_guess(r->source.lease))
        count_read(r);
    r->suspect = cw_links_lastmods_judge(&r->lastmods, cw_visit_revisit_read(r->source.lease->memo).suspect);
    if (r->suspect < CW_LINKS_LASTMODS_SUSPECT)
        cw_links_lastmods_apply(&r->lastmods, r->batch->judge->engine);
    if (err != CRAWL_EPARSE && err != CRAWL_FULL)
        sitemaps_fail(r->batch->judge->engine, err);
    return true;
}

const char *crawl_sitemap_fault_name(crawl_sitemap_fault fault)
{
    static const char *const names[] = {
        [CRAWL_SITEMAP_CUT] = "cut",         [CRAWL_SITEMAP_BROKEN] = "broken", [CRAWL_SITEMAP_NONE] = "none",
        [CRAWL_SITEMAP_REFUSED] = "refused", [CRAWL_SITEMAP_FAILED] = "failed", [CRAWL_SITEMAP_DATES] = "dates",
    };
    return (unsigned)fault < CRAWL_SITEMAP_FAULT_COUNT ? names[fault] : "";
}

void cw_links_faults_init(cw_links_faults *faults)
{
    pthread_mutex_init(&faults->lock, NULL);
}

void cw_links_faults_free(cw_links_faults *faults)
{
    pthread_mutex_destroy(&faults->lock);
}

void cw_links_faults_count(cw_links_faults *faults, crawl_sitemap_fault fault, crawl_slice url)
{
    pthread_mutex_lock(&faults->lock);
    char *first = faults->first[fault];
    size_t size = url.size < CRAWL_SITEMAP_FIRST ? url.size : CRAWL_SITEMAP_FIRST - 1;
    if (faults->count[fault]++ == 0)
        memcpy(first, url.data, size);
    pthread_mutex_unlock(&faults->lock);
}

void cw_links_faults_read(cw_links_faults *faults, crawl_engine_stats *out)
{
    pthread_mutex_lock(&faults->lock);
    memcpy(out->sitemap_faults, faults->count, sizeof faults->count);
    memcpy(out->sitemap_first, faults->first, sizeof faults->first);
    pthread_mutex_unlock(&faults->lock);
}
