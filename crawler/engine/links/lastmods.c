#include "crawler/engine/links/lastmods.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/visit/again/revisit.h"

#include <stdlib.h>

enum {
    MAX_ORIGINS = 64 /* sites of the pages of one sitemap; usually there is one */
};

/* ---- a reading ---- */

static bool lastmods_knows(crawl_slice lines, crawl_slice origin)
{
    while (lines.size)
        if (crawl_slice_equal(cw_cut_line(&lines), origin))
            return true;
    return false;
}

static crawl_err lastmods_keep_origin(cw_links_lastmods *lastmods, const crawl_url *url)
{
    crawl_slice lines = crawl_buf_slice(&lastmods->origins);
    crawl_buf_clear(&lastmods->origin);
    crawl_err err = crawl_url_origin(url, &lastmods->origin);
    if (err || lastmods_knows(lines, crawl_buf_slice(&lastmods->origin)))
        return err;
    size_t count = 0;
    for (size_t i = 0; i < lines.size; i++)
        count += lines.data[i] == '\n';
    if (count >= MAX_ORIGINS)
        return CRAWL_OK;
    err = crawl_buf_append(&lastmods->origins, lastmods->origin.data, lastmods->origin.size);
    return err ? err : crawl_buf_append_char(&lastmods->origins, '\n');
}

int64_t cw_links_lastmods_until_ms(const crawl_sitemap_entry *entry)
{
    bool has_time = cw_find_char(entry->lastmod_text, ':') < entry->lastmod_text.size;
    return entry->lastmod * 1000 + (has_time ? 0 : CW_LINKS_DAY_S * 1000 - 1);
}

crawl_err cw_links_lastmods_take(cw_links_lastmods *lastmods, const crawl_url *url, const crawl_fingerprint *page,
                                 int64_t lastmod_ms, int64_t until_ms, int64_t wall_ms)
{
    if (!lastmods->dates++)
        lastmods->first_ms = lastmod_ms;
    lastmods->differ |= lastmod_ms != lastmods->first_ms;
    lastmods->has_old |= llabs(wall_ms - lastmod_ms) > CW_LINKS_DAY_S * 1000;
    if (!page || until_ms > wall_ms)
        return CRAWL_OK;
    if (CW_ARRAY_RESERVE(lastmods->all, lastmods->room, lastmods->count + 1, 64))
        return CRAWL_ENOMEM;
    lastmods->all[lastmods->count++] = (cw_links_lastmod){.page = *page, .ms = until_ms};
    return lastmods_keep_origin(lastmods, url);
}

uint8_t cw_links_lastmods_judge(const cw_links_lastmods *lastmods, uint8_t before)
{
    if (lastmods->dates < 2)
        return before;
    if (lastmods->differ && lastmods->has_old)
        return 0;
    return (uint8_t)(before + (before < CW_LINKS_LASTMODS_SUSPECT));
}

void cw_links_lastmods_free(cw_links_lastmods *lastmods)
{
    free(lastmods->all);
    crawl_buf_free(&lastmods->origins);
    crawl_buf_free(&lastmods->origin);
    *lastmods = (cw_links_lastmods){0};
}

/* ---- making pages due ---- */

static int lastmods_compare(const void *a, const void *b)
{
    const cw_links_lastmod *x = a;
    const cw_links_lastmod *y = b;
    return memcmp(x->page.bytes, y->page.bytes, sizeof x->page.bytes);
}

/* A walk over the pages of a site that wait for their next visit. */
typedef struct lastmods_walk {
    const cw_links_lastmods *lastmods;
    int64_t now_ms, wall_ms;
    uint64_t left;  /* pages that may be made due */
    crawl_buf memo; /* of the present page */
    crawl_err err;
} lastmods_walk;

static bool lastmods_hint(const crawl_lease *request, crawl_slice *memo, void *user)
{
    lastmods_walk *walk = user;
    const cw_links_lastmod wanted = {.page = request->fingerprint};
    const cw_links_lastmod *found =
        bsearch(&wanted, walk->lastmods->all, walk->lastmods->count, sizeof wanted, lastmods_compare);
    if (!found || !walk->left || walk->err)
        return false;
    cw_visit_revisit page = cw_visit_revisit_read(request->memo);
    page.lastmod_ms = found->ms;
    if (!cw_visit_revisit_is_hinted(&page, walk->now_ms, walk->wall_ms))
        return false;
    walk->err = cw_visit_revisit_write(&page, &walk->memo);
    *memo = crawl_buf_slice(&walk->memo);
    walk->left -= !walk->err;
    return !walk->err;
}

/* Returns how many pages of the site may be made due: one if its dates were in vain. */
static crawl_err lastmods_room_of(crawl_engine *engine, crawl_slice origin, uint64_t *out)
{
    cw_host_record *host;
    unsigned vain = 0;
    crawl_err err = cw_host_table_get_named(engine->host_table, origin, &host);
    if (err)
        return err;
    err = cw_host_sites_vain(engine->sites, host, &vain);
    cw_host_record_release(host);
    *out = vain < CW_HOST_VAIN_MAX ? UINT64_MAX : 1;
    return err;
}

static crawl_err lastmods_apply_to(const cw_links_lastmods *lastmods, crawl_engine *engine, crawl_slice origin)
{
    uint64_t hastened = 0;
    lastmods_walk walk = {.lastmods = lastmods, .now_ms = cw_engine_now(engine), .wall_ms = cw_wall_ms()};
    crawl_err err = lastmods_room_of(engine, origin, &walk.left);
    if (err == CRAWL_FULL) /* beyond crawl.max_hosts: none of its pages waits */
        return CRAWL_OK;
    if (!err)
        err = crawl_frontier_hasten(engine->frontier, origin, walk.now_ms, lastmods_hint, &walk, &hastened);
    cw_engine_count(&engine->counters.hastened, hastened);
    crawl_buf_free(&walk.memo);
    return err ? err : walk.err;
}

/* If processes share the crawl, the waiting pages are in Redis, and keep their dates. */
void cw_links_lastmods_apply(cw_links_lastmods *lastmods, crawl_engine *engine)
{
    crawl_err err = CRAWL_OK;
    if (!lastmods->count)
        return;
    qsort(lastmods->all, lastmods->count, sizeof *lastmods->all, lastmods_compare);
    for (crawl_slice lines = crawl_buf_slice(&lastmods->origins); lines.size && !err;)
        err = lastmods_apply_to(lastmods, engine, cw_cut_line(&lines));
    if (err && err != CRAWL_ESTATE)
        cw_engine_fail(engine, err, "pages cannot be made due");
}
