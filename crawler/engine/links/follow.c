#include "crawler/engine/links/follow.h"

#include "config/config_values.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/redirect_row.h"
#include "crawler/engine/links/spellings.h"
#include "crawler/engine/parts.h"

void cw_links_follow_open(cw_links_follow *follow, cw_links_batch *batch)
{
    follow->batch = batch;
}

void cw_links_follow_close(cw_links_follow *follow)
{
    cw_links_on_page_free(&follow->on_page);
}

/* Judges a link by its element, its rel and nofollow. NEW: it may be followed. */
static crawl_edge_verdict judge_element(const cw_links_follow *follow, const crawl_link *link)
{
    const crawl_config *config = follow->batch->judge->engine->config;
    bool followed =
        (config->follow & (unsigned)link->kind) && (link->kind != CRAWL_LINK_LINK || cw_links_rel_is_followed(link));
    if (!followed || (cw_links_guesses_has(link) && cw_links_guesses_are_shut(follow->source.host)))
        return CRAWL_EDGE_ELEMENT;
    return config->obey_nofollow && link->nofollow ? CRAWL_EDGE_NOFOLLOW : CRAWL_EDGE_NEW;
}

/* Returns the link without its fragment, which does not affect the request. White space before a fragment is part of
 * the URL; at the end of the link it is not. */
static crawl_slice without_fragment(crawl_slice href)
{
    const char *hash = memchr(href.data, '#', href.size);
    if (hash)
        return crawl_slice_of(href.data, (size_t)(hash - href.data));
    while (href.size && (unsigned char)href.data[href.size - 1] <= ' ')
        href.size--;
    return href;
}

/* The depth and the tag of the request for a link. */
typedef struct link_aim {
    uint32_t depth;
    uint32_t tag;
} link_aim;

/* Judges a link by its URL, and adds its request. NEW: the request is in the batch. */
static crawl_edge_verdict follow_add(cw_links_follow *follow, const crawl_link *link, const cw_links_list *list,
                                     link_aim aim)
{
    cw_links_batch *batch = follow->batch;
    cw_links_judge *judge = batch->judge;
    crawl_url *url = judge->url;
    crawl_err err = cw_links_judge_resolve(judge, link->href, list->base, list->charset, url);
    if (err)
        return err == CRAWL_REFUSED ? CRAWL_EDGE_NOT_HTTP : CRAWL_EDGE_NO_URL;
    bool is_part = cw_links_requisites_is_part(aim.tag);
    crawl_edge_verdict verdict = is_part ? cw_links_judge_part(judge, url) : cw_links_judge_verdict(judge, url, false);
    if (verdict == CRAWL_EDGE_SCOPE)
        cw_links_external_ask(judge, url, &follow->source, aim.depth, 0, false);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    bool is_guess = cw_links_guesses_has(link);
    const crawl_request request = {
        .depth = aim.depth,
        .priority = cw_links_batch_worth(batch, url, aim.depth) + (is_guess ? CW_LINKS_GUESSES_PRIORITY : 0),
        .tag = aim.tag | (is_guess ? CW_ENGINE_TAG_GUESSED : 0),
        .any_depth = is_part,
    };
    return cw_links_batch_add(batch, url, &request, link, CRAWL_SITEMAP_NO_DATE);
}

/* Judges a link by the verdict on the same spelling on another page, or else by its URL. NEW: the request is in the
 * batch. */
static crawl_edge_verdict recall_or_add(cw_links_follow *follow, const crawl_link *link, crawl_slice text,
                                        cw_keyed_hash hash, const cw_links_list *list, link_aim aim)
{
    const cw_links_judge *judge = follow->batch->judge;
    crawl_edge_verdict verdict = cw_links_spellings_recall(judge->spellings, hash);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    verdict = follow_add(follow, link, list, aim);
    cw_links_spellings_judged(judge->spellings, follow->batch, text, verdict);
    return verdict;
}

/* Hashes the next links, and prefetches the places where they will be looked up: the tables are larger than the
 * processor's caches, and each link would wait for memory. */
static void look_ahead(cw_links_follow *follow, const crawl_link *links, size_t count)
{
    const cw_links_judge *judge = follow->batch->judge;
    for (size_t i = 0; i < count && i < CW_LINKS_AHEAD; i++) {
        cw_links_spelled *spelled = &follow->ahead[i];
        spelled->text = without_fragment(links[i].href);
        spelled->hash = cw_keyed_hash_of(&judge->secret, spelled->text);
        cw_links_on_page_expect(&follow->on_page, spelled->hash);
        cw_links_spellings_expect(judge->spellings, spelled->hash);
    }
}

/* Judges the first link of a spelling on this page. The others are REPEATED or, like the first, not http URLs. */
static crawl_edge_verdict decide_first(cw_links_follow *follow, const crawl_link *link, const cw_links_list *list,
                                       link_aim aim)
{
    const cw_links_spelled *spelled = &follow->ahead[(size_t)(link - list->links) % CW_LINKS_AHEAD];
    cw_keyed_hash hash = spelled->hash;
    hash.high ^= cw_links_requisites_is_part(aim.tag) ? UINT64_MAX : 0; /* other rules apply to a part of a page */
    cw_links_on_page_entry *entry = cw_links_on_page_get(&follow->on_page, hash);
    if (entry && entry->verdict)
        return (crawl_edge_verdict)entry->verdict;
    crawl_edge_verdict verdict = recall_or_add(follow, link, spelled->text, hash, list, aim);
    if (entry)
        entry->verdict = verdict == CRAWL_EDGE_NOT_HTTP || verdict == CRAWL_EDGE_NO_URL ? verdict : CRAWL_EDGE_REPEATED;
    return verdict;
}

/* Has a link of a page at the greatest depth checked if it leads out of the crawl, although it is not followed. */
static void check_beyond_depth(cw_links_follow *follow, const crawl_link *link, const cw_links_list *list,
                               uint32_t depth)
{
    cw_links_judge *judge = follow->batch->judge;
    if (!judge->engine->config->check_external ||
        cw_links_judge_resolve(judge, link->href, list->base, list->charset, judge->url))
        return;
    if (!cw_scope_contains(judge->scope, judge->url))
        cw_links_external_ask(judge, judge->url, &follow->source, depth, 0, false);
}

/* Returns the verdict on a link as one to a page. tag: of its request. */
static crawl_edge_verdict decide_page(cw_links_follow *follow, const crawl_link *link, const cw_links_list *list,
                                      uint32_t tag)
{
    const cw_links_judge *judge = follow->batch->judge;
    crawl_edge_verdict verdict = judge_element(follow, link);
    if (verdict == CRAWL_EDGE_NEW)
        verdict = follow->closed;
    const link_aim aim = {follow->source.lease->depth + 1, tag};
    if (verdict == CRAWL_EDGE_DEPTH)
        check_beyond_depth(follow, link, list, aim.depth);
    return verdict == CRAWL_EDGE_NEW ? decide_first(follow, link, list, aim)
                                     : cw_links_edges_unless_http(judge, link, list, verdict);
}

/* Returns true if the verdict on all links of the answer applies to parts of the page too. */
static bool is_closed_to_parts(crawl_edge_verdict closed)
{
    return closed != CRAWL_EDGE_NEW && closed != CRAWL_EDGE_NOFOLLOW && closed != CRAWL_EDGE_DEPTH;
}

/* Returns true if a link that this verdict keeps from being followed as a page is asked for as a part of its page. */
static bool is_left_to_parts(crawl_edge_verdict verdict)
{
    return verdict == CRAWL_EDGE_ELEMENT || verdict == CRAWL_EDGE_NOFOLLOW || verdict == CRAWL_EDGE_DEPTH ||
           verdict == CRAWL_EDGE_SCOPE;
}

/* Returns the verdict on a link. A frame is followed as a page if it belongs to the crawl as one; other frames and all
 * other parts are asked for as parts of their page. *part: this link is. */
static crawl_edge_verdict follow_decide(cw_links_follow *follow, const crawl_link *link, const cw_links_list *list,
                                        bool *part)
{
    const crawl_lease *lease = follow->source.lease;
    bool asked = follow->batch->judge->engine->config->requisites && !is_closed_to_parts(follow->closed);
    const link_aim aim = {lease->depth, asked ? cw_links_requisites_tag(link, lease) : 0};
    bool only_part = aim.tag && !cw_links_requisites_is_frame(aim.tag);
    crawl_edge_verdict verdict =
        only_part ? CRAWL_EDGE_ELEMENT : decide_page(follow, link, list, aim.tag & CW_ENGINE_TAG_FRAME);
    *part = aim.tag && is_left_to_parts(verdict);
    return *part ? decide_first(follow, link, list, aim) : verdict;
}

/* Pushes the batch, and sets the verdicts of the links whose requests it had. */
static void follow_push(cw_links_follow *follow, size_t count)
{
    cw_links_spellings *spellings = follow->batch->judge->spellings;
    cw_links_spellings_count(spellings);
    cw_links_batch_push(follow->batch);
    cw_links_spellings_pushed(spellings, follow->batch);
    for (size_t i = 0, in_batch = 0; i < count; i++)
        if (follow->verdicts[i] == CRAWL_EDGE_NEW)
            follow->verdicts[i] = (uint8_t)cw_links_batch_fate(follow->batch, in_batch++);
}

/* Follows the next links: as many as fit into the batch and the slice, and at least one. */
static void follow_some(cw_links_follow *follow)
{
    cw_links_judge *judge = follow->batch->judge;
    size_t most = follow->rest.count < CW_LINKS_BATCH_MAX ? follow->rest.count : CW_LINKS_BATCH_MAX;
    cw_links_list part = follow->rest;
    part.count = 0;
    cw_links_batch_begin(follow->batch, &follow->source);
    cw_links_spellings_begin(judge->spellings, &part, follow->source.lease->depth);
    do {
        if (part.count % CW_LINKS_AHEAD == 0)
            look_ahead(follow, &part.links[part.count], most - part.count);
        crawl_edge_verdict verdict = follow_decide(follow, &part.links[part.count], &part, &follow->parts[part.count]);
        follow->verdicts[part.count++] = (uint8_t)verdict;
    } while (!cw_links_judge_spends(judge) && part.count < most);
    follow_push(follow, part.count);
    follow->followed->fresh += cw_links_edges_links(judge, &follow->source, &part, follow->verdicts, follow->parts);
    follow->rest.links += part.count;
    follow->rest.count -= part.count;
}

void cw_links_follow_begin(cw_links_follow *follow, const cw_links_source *source, const cw_links_list *list,
                           crawl_edge_verdict closed, cw_links_followed *followed)
{
    follow->source = *source;
    follow->rest = *list;
    follow->closed = closed;
    follow->followed = followed;
    followed->links += list->count;
    if (list->count && !is_closed_to_parts(closed))
        cw_links_on_page_clear(&follow->on_page);
}

bool cw_links_follow_go_on(cw_links_follow *follow)
{
    while (follow->rest.count && !follow->batch->judge->slice.spent)
        follow_some(follow);
    return follow->rest.count == 0;
}

/* In the key of such a request these replace its method. */
static const char by_head[] = "EXTERNAL";
static const char by_get[] = "EXTERNAL GET";

static crawl_edge_verdict external_push(cw_links_judge *judge, crawl_request *request, const char *key,
                                        crawl_slice parent)
{
    uint8_t pushed = CRAWL_PUSHED_FULL;
    crawl_engine *engine = judge->engine;
    crawl_err err = cw_links_judge_fingerprint(judge, crawl_slice_from(key), (crawl_slice){0}, &request->fingerprint);
    int64_t began_us = cw_engine_disk_begin(engine);
    if (!err)
        err = crawl_frontier_push(engine->frontier, request, 1, parent, &pushed, NULL, cw_engine_now(engine));
    cw_engine_disk_end(engine, began_us);
    if (err && err != CRAWL_FULL)
        cw_engine_fail(engine, err, "cannot check a link that leads out of the crawl");
    return cw_links_fate_of_push((crawl_pushed)pushed);
}

crawl_edge_verdict cw_links_external_ask(cw_links_judge *judge, const crawl_url *url, const cw_links_source *source,
                                         uint32_t depth, uint32_t redirects, bool sets_cookie)
{
    const crawl_lease *lease = source->lease;
    crawl_request request = {
        .url = crawl_url_request(url),
        .method = crawl_slice_from("HEAD"),
        .depth = depth,
        .tag = CW_ENGINE_TAG_EXTERNAL | redirects,
        .any_depth = true,
    };
    if (!judge->engine->config->check_external)
        return CRAWL_EDGE_SCOPE;
    crawl_edge_verdict verdict = cw_links_judge_part(judge, url);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    crawl_buf row = {0};
    const char *key = crawl_slice_equal(lease->method, crawl_slice_from("GET")) ? by_get : by_head;
    crawl_err err =
        cw_links_external_is(lease->tag)
            ? cw_links_redirect_row_trace(judge, lease, url, crawl_slice_from(key), sets_cookie, &request, &row)
            : CRAWL_OK;
    if (err)
        cw_engine_fail(judge->engine, err, "no memory for a redirect");
    verdict = err ? CRAWL_EDGE_REFUSED : external_push(judge, &request, by_head, lease->url);
    crawl_buf_free(&row);
    return verdict;
}

bool cw_links_external_ask_by_get(cw_links_judge *judge, const cw_links_source *source)
{
    const crawl_lease *lease = source->lease;
    crawl_request request = {
        .url = lease->url,
        .method = crawl_slice_from("GET"),
        .depth = lease->depth,
        .tag = lease->tag | CW_ENGINE_TAG_ONCE,
        .memo = lease->visit == 1 ? lease->memo : (crawl_slice){0}, /* of the redirects that led here */
        .revisit = true,
        .any_depth = true,
    };
    return !cw_links_judge_canonical(judge, source->url) &&
           external_push(judge, &request, by_get, lease->parent) == CRAWL_EDGE_NEW;
}
