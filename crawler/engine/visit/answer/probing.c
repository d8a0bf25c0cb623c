#include "crawler/engine/visit/answer/probing.h"

#include "base/bytes.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/visit/answer/dedupe.h"

#include <crawl/simhash.h>
#include <stdio.h>

cw_host_probe_text cw_visit_probing_text(const crawl_page *page)
{
    cw_host_probe_text text = {.title = cw_fnv1a(crawl_page_title(page))};
    text.is_compared = crawl_simhash_text(crawl_page_text(page), &text.simhash) >= CW_VISIT_DEDUPE_MIN_SHINGLES;
    return text;
}

/* ---- asking ---- */

/* Writes a URL in the page's folder, with a name of 25 letters that no page has. The letters follow from the page's URL
 * and a secret of the worker. */
static crawl_err probing_write_url(const cw_visit *visit, crawl_buf *out)
{
    enum { LETTERS = 25 };
    crawl_slice url = visit->lease.url;
    size_t end = cw_find_char(url, '?');
    while (end > 0 && url.data[end - 1] != '/')
        end--;
    crawl_err err = crawl_buf_append(out, url.data, end);
    cw_keyed_hash hash = cw_keyed_hash_of(&visit->maker->judge.secret, url);
    for (int i = 0; i < LETTERS && !err; i++) {
        uint64_t *half = i % 2 ? &hash.high : &hash.low;
        err = crawl_buf_append_char(out, (char)('a' + *half % 26));
        *half /= 26;
    }
    return err;
}

static void probing_push(const cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_buf url = {0};
    crawl_err err = probing_write_url(visit, &url);
    const crawl_request request = {
        .url = crawl_buf_slice(&url),
        .depth = visit->lease.depth,
        .tag = CW_ENGINE_TAG_PROBE,
    };
    if (!err)
        err = crawl_frontier_push_urgent(engine->frontier, &request, cw_engine_now(engine));
    if (err)
        cw_engine_fail(engine, err, "cannot request a page that cannot exist");
    crawl_buf_free(&url);
}

/* Returns true if the page is judged. Parts of pages and links out of the crawl say nothing about a site. */
static bool probing_is_judged(const cw_visit *visit)
{
    uint32_t tag = visit->lease.tag;
    return cw_visit_engine(visit)->probes && !visit->wall.verdict && !cw_links_requisites_is_part(tag) &&
           !(tag & CW_ENGINE_TAG_EXTERNAL);
}

static void probing_found(cw_visit *visit, const char *sign)
{
    visit->wall = (crawl_wall){.verdict = CRAWL_VERDICT_SOFT_404, .service = ""};
    snprintf(visit->wall.sign, sizeof visit->wall.sign, "%s", sign);
}

void cw_visit_probing_judge(cw_visit *visit, const crawl_page *page)
{
    if (!probing_is_judged(visit))
        return;
    crawl_slice path = crawl_url_path(visit->url);
    const cw_host_probe_text text = cw_visit_probing_text(page);
    bool is_home = path.size <= 1 || (visit->lease.tag & CW_ENGINE_TAG_SEED);
    bool ask = !cw_links_guesses_is(visit->lease.tag);
    if (cw_host_probes_judge(cw_visit_engine(visit)->probes, visit->lease.origin, cw_host_probes_level(path), &text,
                             is_home, &ask))
        probing_found(visit, "like the answer for a page that cannot exist");
    if (ask)
        probing_push(visit);
}

uint32_t cw_visit_probing_target(cw_visit *visit, crawl_slice location)
{
    cw_links_judge *judge = &visit->maker->judge;
    return cw_links_judge_resolve(judge, location, visit->url, NULL, judge->url)
               ? 0
               : cw_fnv1a(crawl_url_request(judge->url));
}

void cw_visit_probing_judge_redirect(cw_visit *visit, crawl_slice location)
{
    if (!probing_is_judged(visit))
        return;
    uint32_t target = cw_visit_probing_target(visit, location);
    unsigned level = cw_host_probes_level(crawl_url_path(visit->url));
    if (target && cw_host_probes_redirects(cw_visit_engine(visit)->probes, visit->lease.origin, level, target))
        probing_found(visit, "a redirect to where pages that cannot exist lead");
}
