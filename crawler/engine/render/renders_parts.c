/* The requests of pages in the browser. A part is in one list from its question to its answer. Of several parts for the
 * same script or style sheet, the first is asked for, and the others share its answer. */
#include "base/bytes.h"
#include "base/clock.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/render/renders_state.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/answer/headers.h"

#include <stdlib.h>

static void parts_free_part(cw_renders_part *part)
{
    cw_renders_answer_leave(part->answer);
    crawl_buf_free(&part->key);
    crawl_buf_free(&part->url);
    crawl_buf_free(&part->origin);
    crawl_buf_free(&part->method);
    crawl_buf_free(&part->headers);
    crawl_buf_free(&part->body);
    free(part);
}

void cw_renders_parts_free(cw_renders *renders)
{
    for (cw_renders_part *part; (part = TAILQ_FIRST(&renders->parts));) {
        TAILQ_REMOVE(&renders->parts, part, link);
        parts_free_part(part);
    }
}

/* ---- answers to pages ---- */

/* The document of a frame does not show the headers of its answer. Without memory nothing is noted. */
static void parts_note_robots(cw_renders *renders, const cw_renders_part *part, const cw_renders_answer *answer)
{
    const char *agent = renders->engine->config->robots_agent;
    crawl_buf *urls = &part->page->nofollow;
    bool is_nofollow = cw_visit_headers_robots(&answer->response, agent) & CRAWL_ROBOTS_NOFOLLOW;
    if (is_nofollow && !crawl_buf_reserve(urls, part->url.size + 1)) {
        (void)crawl_buf_append(urls, part->url.data, part->url.size);
        (void)crawl_buf_append_char(urls, '\0');
    }
}

static void parts_give(cw_renders *renders, const cw_renders_part *part, const cw_renders_answer *answer)
{
    crawl_err err = CRAWL_EINVAL;
    if (answer) {
        const crawl_render_response response = crawl_render_response_of(&answer->response);
        err = crawl_render_answer(renders->renderer, part->id, &response);
        if (part->is_document)
            parts_note_robots(renders, part, answer);
    }
    if (err && err != CRAWL_ABSENT)
        (void)crawl_render_refuse(renders->renderer, part->id, answer ? CRAWL_RENDER_REFUSE_CLOSED : part->refusal);
}

/* ---- requests ---- */

static crawl_slice parts_memo(const cw_renders *renders, uint64_t number, char memo[CW_RENDERS_MEMO_SIZE])
{
    memcpy(memo, &renders->run, sizeof renders->run);
    memcpy(memo + sizeof renders->run, &number, sizeof number);
    return crawl_slice_of(memo, CW_RENDERS_MEMO_SIZE);
}

/* Makes the key of a part: its URL, the origin that asks, and the types that it accepts. Parts with one key may share
 * an answer. */
static crawl_err parts_make_key(cw_renders_part *part)
{
    crawl_slice lines = crawl_buf_slice(&part->headers);
    crawl_err err = crawl_buf_append(&part->key, part->url.data, part->url.size);
    while (lines.size && !err) {
        crawl_slice line = cw_cut_line(&lines);
        if (cw_starts_nocase(line, "origin:") || cw_starts_nocase(line, "accept:"))
            err = crawl_buf_append(&part->key, line.data, line.size);
    }
    return err;
}

static crawl_err parts_fill(cw_renders *renders, cw_renders_part *part, const crawl_render_part *told)
{
    crawl_err err = crawl_url_parse(renders->url, told->url, NULL, NULL);
    if (!err && !crawl_url_is_http(renders->url))
        err = CRAWL_EINVAL;
    if (err)
        return err;
    crawl_slice url = crawl_url_request(renders->url);
    err = crawl_buf_append(&part->url, url.data, url.size);
    if (!err)
        err = crawl_url_origin(renders->url, &part->origin);
    if (!err)
        err = crawl_buf_append(&part->method, told->method.data, told->method.size);
    if (!err)
        err = crawl_buf_append(&part->headers, told->headers.data, told->headers.size);
    if (!err)
        err = crawl_buf_append(&part->body, told->body.data, told->body.size);
    return err ? err : parts_make_key(part);
}

/* Gives the part a number, by which the frontier's lease finds it, and pushes its request. */
static crawl_err parts_push(cw_renders *renders, cw_renders_part *part)
{
    char memo[CW_RENDERS_MEMO_SIZE];
    pthread_mutex_lock(&renders->lock);
    part->number = ++renders->numbers;
    pthread_mutex_unlock(&renders->lock);
    const crawl_request request = {
        .url = crawl_buf_slice(&part->url),
        .method = crawl_buf_slice(&part->method),
        .headers = crawl_buf_slice(&part->headers),
        .body = crawl_buf_slice(&part->body),
        .depth = part->page->depth,
        .tag = CW_ENGINE_TAG_PART,
        .memo = parts_memo(renders, part->number, memo),
    };
    crawl_engine *engine = renders->engine;
    crawl_err err = crawl_frontier_push_urgent(engine->frontier, &request, cw_engine_now(engine));
    cw_engine_wake(engine); /* workers may wait for parts only, and the frontier does not wake them for these */
    return err;
}

static void parts_remove(cw_renders *renders, cw_renders_part *part)
{
    pthread_mutex_lock(&renders->lock);
    TAILQ_REMOVE(&renders->parts, part, link);
    pthread_mutex_unlock(&renders->lock);
}

static void parts_ask(cw_renders *renders, cw_renders_part *part)
{
    if (!parts_push(renders, part))
        return;
    parts_remove(renders, part);
    part->refusal = CRAWL_RENDER_REFUSE_BLOCKED;
    parts_give(renders, part, NULL);
    parts_free_part(part);
}

static bool parts_lasts(const char *kind)
{
    return !strcmp(kind, "Script") || !strcmp(kind, "Stylesheet");
}

/* Under the lock. Returns another part with the same key and answer to share; NULL: none. */
static cw_renders_part *parts_like(cw_renders *renders, const cw_renders_part *part, bool is_asked)
{
    cw_renders_part *other;
    TAILQ_FOREACH(other, &renders->parts, link)
    {
        if (other != part && other->is_shared && (other->number != 0) == is_asked &&
            crawl_slice_equal(crawl_buf_slice(&other->key), crawl_buf_slice(&part->key)))
            return other;
    }
    return NULL;
}

void cw_renders_parts_on_part(cw_renders *renders, cw_renders_page *page, const crawl_render_part *told)
{
    if (told->fate)
        return;
    cw_renders_part *part = calloc(1, sizeof *part);
    if (!part || parts_fill(renders, part, told)) {
        (void)crawl_render_refuse(renders->renderer, told->id, CRAWL_RENDER_REFUSE_BLOCKED);
        if (part)
            parts_free_part(part);
        return;
    }
    part->page = page;
    part->id = told->id;
    part->is_get = crawl_slice_equal(told->method, crawl_slice_from("GET"));
    part->is_document = !strcmp(told->kind, "Document");
    part->is_shared = part->is_get && parts_lasts(told->kind);
    cw_renders_answer *answer =
        part->is_get ? cw_renders_cache_get(&renders->cache, crawl_buf_slice(&part->key), cw_wall_ms()) : NULL;
    if (answer) {
        page->cached++;
        parts_give(renders, part, answer);
        cw_renders_answer_leave(answer);
        parts_free_part(part);
        return;
    }
    pthread_mutex_lock(&renders->lock);
    bool is_asked = part->is_shared && parts_like(renders, part, true);
    TAILQ_INSERT_TAIL(&renders->parts, part, link);
    pthread_mutex_unlock(&renders->lock);
    if (!is_asked)
        parts_ask(renders, part);
}

/* ---- workers' answers, on the renders' thread ---- */

/* Gives the answer to the parts that wait for it, if it may be used again. Otherwise asks for them. */
static void parts_share(cw_renders *renders, const cw_renders_part *part)
{
    for (cw_renders_part *other;;) {
        pthread_mutex_lock(&renders->lock);
        other = parts_like(renders, part, false);
        pthread_mutex_unlock(&renders->lock);
        if (!other)
            return;
        cw_renders_answer *kept = cw_renders_cache_get(&renders->cache, crawl_buf_slice(&part->key), cw_wall_ms());
        if (part->answer && !kept) {
            parts_ask(renders, other);
            continue;
        }
        parts_remove(renders, other);
        other->refusal = part->refusal;
        other->page->cached += kept != NULL;
        parts_give(renders, other, kept);
        cw_renders_answer_leave(kept);
        parts_free_part(other);
    }
}

void cw_renders_parts_answer(cw_renders *renders)
{
    for (;;) {
        cw_renders_part *part;
        pthread_mutex_lock(&renders->lock);
        TAILQ_FOREACH(part, &renders->parts, link)
        {
            if (part->is_answered)
                break;
        }
        if (part)
            TAILQ_REMOVE(&renders->parts, part, link);
        pthread_mutex_unlock(&renders->lock);
        if (!part)
            return;
        if (part->answer && part->is_get)
            cw_renders_cache_put(&renders->cache, crawl_buf_slice(&part->key), part->answer, part->is_shared,
                                 cw_wall_ms());
        parts_give(renders, part, part->answer);
        if (part->is_shared)
            parts_share(renders, part);
        parts_free_part(part);
    }
}

/* Takes the next part of the page out of the list; NULL: none. Another part that waits for its answer takes over its
 * request. */
static cw_renders_part *parts_take_of(cw_renders *renders, const cw_renders_page *page)
{
    cw_renders_part *part;
    pthread_mutex_lock(&renders->lock);
    TAILQ_FOREACH(part, &renders->parts, link)
    {
        if (part->page == page)
            break;
    }
    if (part) {
        TAILQ_REMOVE(&renders->parts, part, link);
        cw_renders_part *heir = part->is_shared && part->number ? parts_like(renders, part, false) : NULL;
        if (heir) {
            heir->number = part->number;
            heir->answer = part->answer;
            heir->refusal = part->refusal;
            heir->is_answered = part->is_answered;
            part->answer = NULL;
        }
    }
    pthread_mutex_unlock(&renders->lock);
    return part;
}

void cw_renders_parts_drop(cw_renders *renders, const cw_renders_page *page)
{
    for (cw_renders_part *part; (part = parts_take_of(renders, page));)
        parts_free_part(part);
}

/* ---- for workers ---- */

bool cw_renders_waits(cw_renders *renders)
{
    pthread_mutex_lock(&renders->lock);
    bool waits = !TAILQ_EMPTY(&renders->parts);
    pthread_mutex_unlock(&renders->lock);
    return waits;
}

static bool parts_is_asked(const cw_renders_part *part)
{
    return part->number && !part->is_answered;
}

/* Under the lock. NULL: the page has ended, or the part belongs to another run. */
static cw_renders_part *parts_find(cw_renders *renders, crawl_slice memo)
{
    uint64_t name[2];
    cw_renders_part *part = NULL;
    if (memo.size != sizeof name)
        return NULL;
    memcpy(name, memo.data, sizeof name);
    if (name[0] != renders->run)
        return NULL;
    TAILQ_FOREACH(part, &renders->parts, link)
    {
        if (parts_is_asked(part) && part->number == name[1])
            break;
    }
    return part;
}

/* Under the lock. Returns true if the part is the first of its host that is asked for. */
static bool parts_is_first(cw_renders *renders, const cw_renders_part *part)
{
    const cw_renders_part *before;
    TAILQ_FOREACH(before, &renders->parts, link)
    {
        if (before == part || (parts_is_asked(before) &&
                               crawl_slice_equal(crawl_buf_slice(&before->origin), crawl_buf_slice(&part->origin))))
            break;
    }
    return before == part;
}

/* Returns the origin number `index` of the parts, each once. False: no more. */
static bool parts_origin(cw_renders *renders, size_t index, crawl_buf *out)
{
    cw_renders_part *part;
    crawl_buf_clear(out);
    pthread_mutex_lock(&renders->lock);
    TAILQ_FOREACH(part, &renders->parts, link)
    {
        if (parts_is_asked(part) && parts_is_first(renders, part) && index-- == 0)
            break;
    }
    crawl_err err = part ? crawl_buf_append(out, part->origin.data, part->origin.size) : CRAWL_ABSENT;
    pthread_mutex_unlock(&renders->lock);
    return !err;
}

crawl_err cw_renders_pop(cw_renders *renders, crawl_lease *lease, int64_t *wait_ms)
{
    crawl_engine *engine = renders->engine;
    crawl_buf origin = {0};
    crawl_err err = CRAWL_AGAIN;
    *wait_ms = CRAWL_FOREVER;
    for (size_t i = 0; err == CRAWL_AGAIN && parts_origin(renders, i, &origin); i++) {
        int64_t wait = CRAWL_FOREVER;
        err = crawl_frontier_pop_host(engine->frontier, crawl_buf_slice(&origin), cw_engine_now(engine), lease, &wait);
        if (err == CRAWL_DRAINED) /* the request is on its way there */
            err = CRAWL_AGAIN;
        *wait_ms = wait < *wait_ms ? wait : *wait_ms;
    }
    crawl_buf_free(&origin);
    return err;
}

bool cw_renders_part_is_wanted(cw_renders *renders, crawl_slice memo)
{
    pthread_mutex_lock(&renders->lock);
    bool is_wanted = parts_find(renders, memo);
    pthread_mutex_unlock(&renders->lock);
    return is_wanted;
}

int64_t cw_renders_longest_wait_ms(const cw_renders *renders)
{
    return renders->wait_ms;
}

crawl_err cw_renders_part_begin(cw_renders *renders, crawl_slice memo, crawl_buf *page_url)
{
    pthread_mutex_lock(&renders->lock);
    const cw_renders_part *part = parts_find(renders, memo);
    crawl_err err = part ? crawl_buf_append(page_url, part->page->url.data, part->page->url.size) : CRAWL_ABSENT;
    pthread_mutex_unlock(&renders->lock);
    return err;
}

void cw_renders_part_end(cw_renders *renders, crawl_slice memo, const crawl_response *response,
                         crawl_render_refusal refusal)
{
    cw_renders_answer *answer = response ? cw_renders_answer_copy(response) : NULL;
    pthread_mutex_lock(&renders->lock);
    cw_renders_part *part = parts_find(renders, memo);
    if (part) {
        part->page->asked += response != NULL;
        part->answer = answer;
        part->refusal = response ? CRAWL_RENDER_REFUSE_CLOSED : refusal;
        part->is_answered = true;
    }
    pthread_mutex_unlock(&renders->lock);
    if (part)
        cw_renders_ring(renders);
    else
        cw_renders_answer_leave(answer);
}
