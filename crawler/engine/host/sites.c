/* See sites.h. There are two locks. A look holds the lock of the host's record. Whoever adds, changes or drops a site
 * holds `notes`, taken before that, from reading its note to writing it, so that nobody else ever sees the two
 * differ. */
#include "crawler/engine/host/site_parts.h"

#include <stdio.h>
#include <stdlib.h>

cw_host_sites *cw_host_sites_create(const cw_host_sites_options *options)
{
    cw_host_sites *sites = calloc(1, sizeof *sites);
    if (!sites)
        return NULL;
    sites->options = *options;
    TAILQ_INIT(&sites->by_age);
    pthread_mutex_init(&sites->notes, NULL);
    return sites;
}

static void free_site(cw_host_site *one)
{
    crawl_robots_free(one->robots);
    crawl_tdmrep_free(one->tdmrep);
    free(one->words);
    free(one);
}

static uint64_t sites_bytes_of(const cw_host_site *one)
{
    return sizeof *one + (one->robots ? crawl_robots_bytes(one->robots) : 0) +
           (one->words ? strlen(one->words) + 1 : 0) + (one->tdmrep ? crawl_tdmrep_bytes(one->tdmrep) : 0);
}

/* Call with `notes` held. No record has the site any more. */
static void sites_drop(cw_host_sites *sites, cw_host_site *one)
{
    TAILQ_REMOVE(&sites->by_age, one, link);
    sites->bytes -= sites_bytes_of(one);
    sites->count--;
    free_site(one);
}

void cw_host_sites_free(cw_host_sites *sites)
{
    if (!sites)
        return;
    while (!TAILQ_EMPTY(&sites->by_age))
        sites_drop(sites, TAILQ_FIRST(&sites->by_age));
    pthread_mutex_destroy(&sites->notes);
    crawl_buf_free(&sites->note);
    free(sites);
}

/* Takes a site out of its host's record. False: the site was used since the last look, and stays. */
static bool detach(cw_host_site *one)
{
    cw_host_record_lock(one->host);
    bool used = one->used;
    one->used = false;
    if (!used)
        one->host->site = NULL;
    cw_host_record_unlock(one->host);
    return !used;
}

/* Call with only `notes` held. Drops the oldest sites that were not used since the last look, while there are too many
 * bytes; a used site counts as new. Dropping a pending site loses nothing: the frontier blocks its host until it is
 * settled. */
static void sites_drop_oldest(cw_host_sites *sites)
{
    while (sites->options.kept && sites->bytes > sites->options.max_bytes && sites->count) {
        cw_host_site *one = TAILQ_FIRST(&sites->by_age);
        bool goes = detach(one);
        TAILQ_REMOVE(&sites->by_age, one, link);
        TAILQ_INSERT_TAIL(&sites->by_age, one, link);
        if (goes)
            sites_drop(sites, one);
    }
}

/* Fills a site from its note. An unreadable note counts as none. */
static crawl_err sites_recall(cw_host_sites *sites, cw_host_site *one)
{
    cw_host_site_note note;
    crawl_buf_clear(&sites->note);
    crawl_err err = crawl_frontier_note_get(sites->options.kept, cw_host_record_origin(one->host), &sites->note);
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err;
    if (!cw_host_site_note_read(crawl_buf_slice(&sites->note), &note))
        return CRAWL_OK;
    one->recalled = true;
    one->state = note.robots;
    one->expires_ms = note.expires_ms;
    one->hold_until_ms = note.hold_until_ms;
    one->away_until_ms = note.away_until_ms;
    one->error_class = note.error_class;
    one->sitemaps = one->sitemaps_kept = note.sitemaps;
    one->vain = note.vain;
    one->sitemaps_asked = note.asked_sitemaps ? CW_HOST_ASKED_BEFORE : CW_HOST_ASKED_NOT;
    one->has_asked_tdmrep = one->has_no_tdmrep = note.no_tdmrep;
    if (note.robots == CRAWL_HOST_ROBOTS_REFUSED)
        one->words = strndup(note.text.data, note.text.size);
    if (note.robots == CRAWL_HOST_ROBOTS_RULES)
        err = crawl_robots_parse(note.text, crawl_slice_from(sites->options.agent), &one->robots);
    return err;
}

/* Call with `notes` held. Gives the host a site, which stays at least until `notes` is released. */
static crawl_err obtain(cw_host_sites *sites, cw_host_record *host)
{
    if (host->site) /* it changes only under `notes` */
        return CRAWL_OK;
    cw_host_site *one = calloc(1, sizeof *one);
    if (!one)
        return CRAWL_ENOMEM;
    one->host = host;
    crawl_err err = sites->options.kept ? sites_recall(sites, one) : CRAWL_OK;
    if (err) {
        free_site(one);
        return err;
    }
    sites->bytes += sites_bytes_of(one);
    sites_drop_oldest(sites);
    sites->count++;
    TAILQ_INSERT_TAIL(&sites->by_age, one, link);
    cw_host_record_lock(host);
    host->site = one;
    cw_host_record_unlock(host);
    return CRAWL_OK;
}

crawl_err cw_host_sites_begin_look(cw_host_sites *sites, cw_host_record *host, cw_host_site **out)
{
    crawl_err err = CRAWL_OK;
    cw_host_record_lock(host);
    if (!host->site) {
        cw_host_record_unlock(host);
        pthread_mutex_lock(&sites->notes);
        err = obtain(sites, host);
        if (!err)
            cw_host_record_lock(host);
        pthread_mutex_unlock(&sites->notes);
    }
    if (err)
        return err;
    *out = host->site;
    host->site->used = true;
    return CRAWL_OK;
}

crawl_err cw_host_sites_begin_change(cw_host_sites *sites, cw_host_record *host, cw_host_site **out)
{
    pthread_mutex_lock(&sites->notes);
    crawl_err err = obtain(sites, host);
    if (err) {
        pthread_mutex_unlock(&sites->notes);
        return err;
    }
    cw_host_record_lock(host);
    *out = host->site;
    host->site->used = true;
    sites->bytes -= sites_bytes_of(host->site);
    return CRAWL_OK;
}

/* Returns the note of a site, without its text. That a host was given up is not written: it holds for this process
 * only. */
static cw_host_site_note sites_note_of(const cw_host_site *one)
{
    bool for_now = one->state == CRAWL_HOST_ROBOTS_REFUSED && one->error_class == CRAWL_CLASS_GIVEN_UP;
    return (cw_host_site_note){
        .robots = for_now ? CRAWL_HOST_ROBOTS_UNKNOWN : one->state,
        .expires_ms = one->expires_ms,
        .hold_until_ms = one->hold_until_ms,
        .away_until_ms = one->away_until_ms,
        .sitemaps = one->sitemaps_kept,
        .asked_sitemaps = one->sitemaps_asked == CW_HOST_ASKED_BEFORE,
        .vain = one->vain,
        .no_tdmrep = one->has_no_tdmrep,
        .error_class = one->error_class,
    };
}

/* Call with `notes` held. Only the note has the text of robots.txt, so the old note is read before it is
 * overwritten. */
static crawl_err sites_write_note(cw_host_sites *sites, const cw_host_record *host, cw_host_site_note *note,
                                  crawl_slice words)
{
    crawl_slice origin = cw_host_record_origin(host);
    crawl_buf before = {0};
    cw_host_site_note old;
    crawl_err err = CRAWL_OK;
    note->text = words;
    if (note->robots == CRAWL_HOST_ROBOTS_RULES && !words.data) {
        err = crawl_frontier_note_get(sites->options.kept, origin, &before);
        if (!err && cw_host_site_note_read(crawl_buf_slice(&before), &old) && old.robots == CRAWL_HOST_ROBOTS_RULES) {
            note->text = old.text;
        } else if (!err || err == CRAWL_ABSENT) { /* damaged: the next process asks again */
            note->robots = CRAWL_HOST_ROBOTS_UNKNOWN;
            err = CRAWL_OK;
        }
    }
    if (!err)
        err = cw_host_site_note_write(note, &sites->note);
    if (!err)
        err = crawl_frontier_note_set(sites->options.kept, origin, crawl_buf_slice(&sites->note));
    crawl_buf_free(&before);
    return err;
}

crawl_err cw_host_sites_end_change(cw_host_sites *sites, cw_host_site *one, crawl_slice text)
{
    cw_host_site_note note = sites_note_of(one);
    crawl_slice words =
        note.robots == CRAWL_HOST_ROBOTS_REFUSED ? crawl_slice_from(one->words ? one->words : "") : text;
    crawl_err err = CRAWL_OK;
    sites->bytes += sites_bytes_of(one);
    cw_host_record_unlock(one->host);
    /* Nobody else changes or drops the site while this thread holds `notes`. */
    if (sites->options.kept)
        err = sites_write_note(sites, one->host, &note, words);
    pthread_mutex_unlock(&sites->notes);
    return err;
}

static void sites_refuse(cw_host_site_answer *answer, crawl_error_class error_class, const char *words)
{
    answer->verdict = CW_SITE_REFUSED;
    answer->error_class = error_class;
    snprintf(answer->words, sizeof answer->words, "%s", words ? words : "");
}

static crawl_err check_robots_of(const cw_host_site *one, const crawl_url *url, cw_host_site_answer *answer)
{
    if (one->state == CRAWL_HOST_ROBOTS_REFUSED)
        sites_refuse(answer, one->error_class, one->words);
    answer->speaks = one->tdmrep;
    if (!one->robots) /* refused or absent */
        return CRAWL_OK;
    crawl_robots_verdict verdict = crawl_robots_check(one->robots, url);
    answer->speaks |= crawl_robots_speaks_of_use(one->robots);
    char words[sizeof answer->words];
    if (verdict.allowed || verdict.err)
        return verdict.err;
    snprintf(words, sizeof words, "robots.txt line %u: %.*s", verdict.line,
             (int)(verdict.rule.size < 200 ? verdict.rule.size : 200), verdict.rule.data);
    sites_refuse(answer, CRAWL_CLASS_ROBOTS, words);
    return CRAWL_OK;
}

static crawl_err check_robots(cw_host_site *one, const crawl_url *url, bool asks_tdmrep, int64_t now_ms,
                              cw_host_site_answer *answer)
{
    if (!one->pending && one->state != CRAWL_HOST_ROBOTS_UNKNOWN && now_ms < one->expires_ms) {
        crawl_err err = check_robots_of(one, url, answer);
        if (err || answer->verdict != CW_SITE_ALLOWED || !asks_tdmrep || one->has_asked_tdmrep)
            return err;
        answer->verdict = CW_SITE_FETCH_TDMREP;
        one->pending = true;
        return CRAWL_OK;
    }
    answer->verdict = one->pending ? CW_SITE_PENDING : CW_SITE_FETCH_ROBOTS;
    one->pending = true;
    return CRAWL_OK;
}

crawl_err cw_host_sites_check(cw_host_sites *sites, cw_host_record *host, const crawl_url *url, bool without_robots,
                              bool without_tdmrep, int64_t now_ms, cw_host_site_answer *answer)
{
    cw_host_site *one;
    *answer = (cw_host_site_answer){.verdict = CW_SITE_ALLOWED};
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    if (now_ms < one->away_until_ms)
        sites_refuse(answer, CRAWL_CLASS_RETRY_AFTER,
                     "the host asked to stay away for longer than politeness.max_retry_delay");
    else if (!without_robots)
        err = check_robots(one, url, sites->options.asks_tdmrep && !without_tdmrep, now_ms, answer);
    cw_host_record_unlock(host);
    return err;
}

crawl_err cw_host_sites_look(cw_host_sites *sites, cw_host_record *host, const crawl_url *url, int64_t now_ms,
                             cw_host_site_look *out, crawl_buf *text)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    *out = (cw_host_site_look){.robots = one->state, .is_pending = one->pending, .expires_ms = one->expires_ms};
    if (one->state == CRAWL_HOST_ROBOTS_UNKNOWN || now_ms >= one->expires_ms)
        out->answer.verdict = CW_SITE_FETCH_ROBOTS;
    else if (url)
        check_robots_of(one, url, &out->answer);
    if (one->robots)
        err = crawl_robots_rules(one->robots, text);
    else if (one->words)
        err = crawl_buf_append_text(text, one->words);
    cw_host_record_unlock(host);
    return err;
}

crawl_err cw_host_sites_recalled(cw_host_sites *sites, cw_host_record *host, cw_host_site_pace *out)
{
    cw_host_site *one;
    if (atomic_load_explicit(&host->is_told, memory_order_relaxed))
        return CRAWL_ABSENT;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    if (!one->recalled)
        err = CRAWL_ABSENT;
    one->recalled = false;
    atomic_store_explicit(&host->is_told, true, memory_order_relaxed);
    out->crawl_delay = one->robots ? crawl_robots_delay(one->robots) : -1;
    out->hold_until_ms = one->hold_until_ms > one->away_until_ms ? one->hold_until_ms : one->away_until_ms;
    cw_host_record_unlock(host);
    return err;
}

crawl_err cw_host_sites_asking(cw_host_sites *sites, cw_host_record *host, bool *first)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    *first = !one->pending;
    one->pending = true;
    cw_host_record_unlock(host);
    return CRAWL_OK;
}

crawl_err cw_host_sites_settle(cw_host_sites *sites, cw_host_record *host, const cw_host_site_settlement *settlement,
                               int64_t now_ms)
{
    cw_host_site *one;
    char *words = settlement->words ? strdup(settlement->words) : NULL; /* NULL if out of memory: the verdict stands
                                                                           without words */
    crawl_err err = cw_host_sites_begin_change(sites, host, &one);
    if (err) {
        crawl_robots_free(settlement->robots);
        free(words);
        return err;
    }
    crawl_robots_free(one->robots);
    free(one->words);
    one->robots = settlement->robots;
    one->has_asked_tdmrep = one->has_no_tdmrep = false;
    one->words = words;
    one->pending = false;
    one->state = settlement->refused  ? CRAWL_HOST_ROBOTS_REFUSED
                 : settlement->robots ? CRAWL_HOST_ROBOTS_RULES
                                      : CRAWL_HOST_ROBOTS_ABSENT;
    one->error_class = settlement->error_class;
    one->expires_ms = now_ms + (settlement->lasts_ms ? settlement->lasts_ms : CW_HOST_ROBOTS_MAX_AGE_MS);
    /* A robots.txt of zero bytes is one too: its text must not be NULL. */
    return cw_host_sites_end_change(sites, one, settlement->body.data ? settlement->body : crawl_slice_of("", 0));
}

static crawl_err sites_put_off(cw_host_sites *sites, cw_host_record *host, int64_t until_ms, bool is_away)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_change(sites, host, &one);
    if (err)
        return err;
    int64_t *date_ms = is_away ? &one->away_until_ms : &one->hold_until_ms;
    if (until_ms > *date_ms)
        *date_ms = until_ms;
    return cw_host_sites_end_change(sites, one, (crawl_slice){0});
}

crawl_err cw_host_sites_hold(cw_host_sites *sites, cw_host_record *host, int64_t until_ms)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    bool later = until_ms > one->hold_until_ms;
    cw_host_record_unlock(host);
    return later ? sites_put_off(sites, host, until_ms, false) : CRAWL_OK;
}

crawl_err cw_host_sites_stay_away(cw_host_sites *sites, cw_host_record *host, int64_t until_ms)
{
    return sites_put_off(sites, host, until_ms, true);
}

bool cw_host_sites_is_pending(const cw_host_record *host)
{
    return host->site && host->site->pending;
}

void cw_host_sites_forget(cw_host_sites *sites, cw_host_record *host)
{
    pthread_mutex_lock(&sites->notes);
    if (host->site)
        sites_drop(sites, host->site);
    pthread_mutex_unlock(&sites->notes);
}

void cw_host_sites_leave(cw_host_sites *sites, cw_host_record *host)
{
    pthread_mutex_lock(&sites->notes);
    cw_host_record_lock(host);
    cw_host_site *one = cw_host_sites_is_pending(host) ? NULL : host->site;
    if (one)
        host->site = NULL;
    cw_host_record_unlock(host);
    if (one)
        sites_drop(sites, one);
    pthread_mutex_unlock(&sites->notes);
}

void cw_host_sites_held(cw_host_sites *sites, size_t *count, uint64_t *bytes)
{
    pthread_mutex_lock(&sites->notes);
    *count = sites->count;
    *bytes = sites->bytes;
    pthread_mutex_unlock(&sites->notes);
}

/* Statements of a site about the use of its pages, in its robots.txt and its tdmrep.json. */

crawl_err cw_host_sites_preferences(cw_host_sites *sites, cw_host_record *host, const crawl_url *url,
                                    crawl_preferences *preferences)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    if (one->robots)
        err = crawl_preferences_add_robots(preferences, one->robots, url);
    if (!err && one->tdmrep)
        err = crawl_preferences_add_tdmrep(preferences, one->tdmrep, url);
    cw_host_record_unlock(host);
    return err;
}

bool cw_host_sites_allows(cw_host_sites *sites, cw_host_record *host, const crawl_url *url)
{
    cw_host_site *one;
    if (cw_host_sites_begin_look(sites, host, &one))
        return false;
    bool allowed =
        one->state == CRAWL_HOST_ROBOTS_ABSENT || (one->robots && crawl_robots_check(one->robots, url).allowed);
    cw_host_record_unlock(host);
    return allowed;
}

crawl_err cw_host_sites_settle_tdmrep(cw_host_sites *sites, cw_host_record *host, crawl_tdmrep *tdmrep, bool is_certain)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_change(sites, host, &one);
    if (err) {
        crawl_tdmrep_free(tdmrep);
        return err;
    }
    crawl_tdmrep_free(one->tdmrep);
    one->tdmrep = tdmrep;
    one->has_asked_tdmrep = true;
    one->has_no_tdmrep = is_certain && !tdmrep;
    one->pending = false;
    return cw_host_sites_end_change(sites, one, (crawl_slice){0});
}
