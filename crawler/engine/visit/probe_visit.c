#include "crawler/engine/visit/probe_visit.h"

#include "base/bytes.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/probes.h"
#include "crawler/engine/links/guesses.h"
#include "crawler/engine/links/requisites.h"
#include "crawler/engine/visit/answer/dedupe.h"
#include "crawler/engine/visit/answer/walls.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/visit/visit_lease.h"

#include <crawl/simhash.h>
#include <stdio.h>

bool cw_visit_probe_is(const cw_visit *visit)
{
    return visit->lease.tag & CW_ENGINE_TAG_PROBE;
}

static cw_host_probe_text probe_text_of(const crawl_page *page)
{
    cw_host_probe_text text = {.title = cw_fnv1a(crawl_page_title(page))};
    text.is_compared = crawl_simhash_text(crawl_page_text(page), &text.simhash) >= CW_VISIT_DEDUPE_MIN_SHINGLES;
    return text;
}

/* ---- who asks ---- */

/* Letters that nobody names a page by, the same for one page in each run: the folder of the page and 25 of them. */
static crawl_err probe_write_url(const cw_visit *visit, crawl_buf *out)
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

static void probe_push(const cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_buf url = {0};
    crawl_err err = probe_write_url(visit, &url);
    const crawl_request request = {
        .url = crawl_buf_slice(&url),
        .depth = visit->lease.depth,
        .tag = CW_ENGINE_TAG_PROBE,
    };
    if (!err)
        err = crawl_frontier_push_urgent(engine->frontier, &request, cw_engine_now(engine));
    if (err)
        cw_engine_fail(engine, err, "a page that cannot be there is not to be asked for");
    crawl_buf_free(&url);
}

/* Pages that links lead to say what a site is; guesses and parts do not. */
static bool is_judged(const cw_visit *visit)
{
    uint32_t tag = visit->lease.tag;
    return cw_visit_engine(visit)->probes && !visit->wall.verdict && !cw_links_requisites_is_part(tag) &&
           !(tag & CW_ENGINE_TAG_EXTERNAL);
}

static void probe_found(cw_visit *visit, const char *sign)
{
    visit->wall = (crawl_wall){.verdict = CRAWL_VERDICT_SOFT_404, .service = ""};
    snprintf(visit->wall.sign, sizeof visit->wall.sign, "%s", sign);
}

void cw_visit_probe_judge(cw_visit *visit, const crawl_page *page)
{
    if (!is_judged(visit))
        return;
    crawl_slice path = crawl_url_path(visit->url);
    const cw_host_probe_text text = probe_text_of(page);
    bool is_home = path.size <= 1 || (visit->lease.tag & CW_ENGINE_TAG_SEED);
    bool ask;
    if (cw_host_probes_judge(cw_visit_engine(visit)->probes, visit->lease.origin, cw_host_probes_level(path), &text,
                             is_home, &ask))
        probe_found(visit, "like the answer for a page that cannot be there");
    if (ask && !cw_links_guesses_is(visit->lease.tag))
        probe_push(visit);
}

/* 0: it leads nowhere. */
static uint32_t probe_target_of(cw_visit *visit, crawl_slice location)
{
    cw_links_judge *judge = &visit->maker->judge;
    return cw_links_judge_resolve(judge, location, visit->url, NULL, judge->url)
               ? 0
               : cw_fnv1a(crawl_url_request(judge->url));
}

void cw_visit_probe_judge_redirect(cw_visit *visit, crawl_slice location)
{
    if (!is_judged(visit))
        return;
    uint32_t target = probe_target_of(visit, location);
    unsigned level = cw_host_probes_level(crawl_url_path(visit->url));
    if (target && cw_host_probes_redirects(cw_visit_engine(visit)->probes, visit->lease.origin, level, target))
        probe_found(visit, "a redirect to where pages lead that cannot be there");
}

/* ---- the visit ---- */

/* The page is parsed once for each level of a host, so its memory is not kept. */
static void probe_read_page(cw_visit *visit, const crawl_response *response, unsigned level)
{
    crawl_slice type = crawl_response_header(response, "Content-Type");
    crawl_page *page = crawl_page_create();
    if (!page)
        return;
    crawl_page_set_kinds(page, 0);
    crawl_page_set_text(page, CRAWL_TEXT_PAGE);
    if (!crawl_page_parse(page, response->body, visit->url, crawl_charset_of_content_type(type))) {
        const cw_host_probe_text text = probe_text_of(page);
        cw_host_probes_answered(cw_visit_engine(visit)->probes, visit->lease.origin, level, &text, 0);
    }
    crawl_page_free(page);
}

static bool probe_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    crawl_engine *engine = cw_visit_engine(visit);
    unsigned level = cw_host_probes_level(crawl_url_path(visit->url));
    bool is_answer = engine->probes && !response->error && !cw_visit_is_walled(visit);
    bool is_page = is_answer && response->status >= 200 && response->status < 300;
    bool is_redirect = is_answer && response->status >= 300 && response->status < 400;
    uint32_t target = is_redirect ? probe_target_of(visit, crawl_response_header(response, "Location")) : 0;
    cw_visit_stay_away(visit, visit->host, verdict);
    if (is_page)
        probe_read_page(visit, response, level);
    else if (target)
        cw_host_probes_answered(engine->probes, visit->lease.origin, level, NULL, target);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
    return true;
}

static void probe_visit_on_done(void *user, const crawl_response *response)
{
    cw_visit_done(user, response, probe_visit_finish);
}

void cw_visit_probe_ask(cw_visit *visit)
{
    crawl_fetch_request request = {.size = sizeof request, .on_done = probe_visit_on_done};
    crawl_err err = cw_visit_send(visit, &request);
    if (!err)
        return;
    cw_engine_fail(cw_visit_engine(visit), err, "a page that cannot be there is not to be asked for");
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(cw_visit_engine(visit)));
}
