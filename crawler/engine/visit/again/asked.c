#include "crawler/engine/visit/again/asked.h"

#include "base/bytes.h"
#include "base/map.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/visit/render/render_visit.h"

#include <stdlib.h>

typedef struct asked_text {
    char *text;
    char key[];
} asked_text;

struct cw_visit_asked {
    pthread_mutex_t lock;
    cw_map *by_print;
    atomic_bool is_told; /* a refused demand was reported */
};

cw_visit_asked *cw_visit_asked_create(void)
{
    cw_visit_asked *asked = calloc(1, sizeof *asked);
    if (!asked)
        return NULL;
    pthread_mutex_init(&asked->lock, NULL);
    asked->by_print = cw_map_create((uintptr_t)asked);
    if (asked->by_print)
        return asked;
    cw_visit_asked_free(asked);
    return NULL;
}

static void free_asked_text(asked_text *one)
{
    if (one)
        free(one->text);
    free(one);
}

static void forget_all(cw_visit_asked *asked)
{
    size_t cursor = 0;
    for (asked_text *one; (one = cw_map_next(asked->by_print, &cursor));)
        free_asked_text(one);
    cw_map_clear(asked->by_print);
}

void cw_visit_asked_free(cw_visit_asked *asked)
{
    if (!asked)
        return;
    if (asked->by_print)
        forget_all(asked);
    cw_map_free(asked->by_print);
    pthread_mutex_destroy(&asked->lock);
    free(asked);
}

/* ---- demands ---- */

/* Urgent requests have no fingerprint. */
static crawl_slice asked_key(const cw_visit *visit)
{
    const crawl_lease *lease = &visit->lease;
    return lease->urgent ? lease->url : crawl_slice_of(lease->fingerprint.bytes, sizeof lease->fingerprint.bytes);
}

/* Keeps the demand for the request, replacing an earlier one. False: out of memory. */
static bool asked_keep(cw_visit_asked *asked, crawl_slice key, const char *text)
{
    pthread_mutex_lock(&asked->lock);
    free_asked_text(cw_map_remove(asked->by_print, key));
    if (cw_map_count(asked->by_print) >= CW_VISIT_ASKED_MAX)
        forget_all(asked);
    asked_text *one = cw_map_make(asked->by_print, key, sizeof *one, offsetof(asked_text, key));
    if (one)
        one->text = strdup(text);
    if (one && !one->text)
        free_asked_text(cw_map_remove(asked->by_print, key));
    bool is_kept = one && cw_map_get(asked->by_print, key) == one;
    pthread_mutex_unlock(&asked->lock);
    return is_kept;
}

/* Returns a copy of the demand for the request; NULL: none, or out of memory. */
static char *asked_find(cw_visit_asked *asked, crawl_slice key)
{
    pthread_mutex_lock(&asked->lock);
    const asked_text *one = cw_map_get(asked->by_print, key);
    char *text = one ? strdup(one->text) : NULL;
    pthread_mutex_unlock(&asked->lock);
    return text;
}

static void asked_drop(cw_visit_asked *asked, crawl_slice key)
{
    pthread_mutex_lock(&asked->lock);
    free_asked_text(cw_map_remove(asked->by_print, key));
    pthread_mutex_unlock(&asked->lock);
}

/* ---- the request ---- */

const crawl_signing *cw_visit_asked_signing(cw_visit *visit)
{
    const cw_host_rules *rules = visit->rules;
    if (rules->sign == CRAWL_SIGN_NEVER)
        return NULL;
    if (visit->lease.attempt > 1 && !visit->asked)
        visit->asked = asked_find(cw_visit_engine(visit)->asked, asked_key(visit));
    if (!visit->asked)
        return rules->sign == CRAWL_SIGN_ALWAYS ? &rules->signing : NULL;
    visit->signing = rules->signing;
    visit->signing.asked = visit->asked;
    return &visit->signing;
}

/* ---- the answer ---- */

/* Appends the lines of Accept-Signature as one. False: there is none, or it is too long. */
static bool accept_signature(const crawl_response *response, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    bool found = false;
    for (size_t i = 0; i < response->header_count && !err; i++) {
        crawl_slice value = response->headers[i].value;
        if (!cw_is_nocase(response->headers[i].name, "Accept-Signature"))
            continue;
        if (value.size > CW_VISIT_ASKED_BYTES - out->size)
            return false;
        err = crawl_buf_printf(out, "%s%.*s", found ? ", " : "", (int)value.size, value.data);
        found = true;
    }
    return found && !err && out->size <= CW_VISIT_ASKED_BYTES;
}

/* Reports why a signature is not given, for the first one only: a site may ask for one for each of its pages. */
static void asked_tell(cw_visit *visit, const char *why)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice url = visit->lease.url;
    crawl_buf words = {0};
    if (atomic_exchange(&engine->asked->is_told, true))
        return;
    if (!crawl_buf_printf(&words, "%.*s asks for a signature and gets none: %s", (int)url.size, url.data, why))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

/* Returns true if the signature that the answer asks for is given. */
static bool asked_takes(cw_visit *visit, const crawl_response *response, crawl_buf *text)
{
    crawl_signing signing = visit->rules->signing;
    crawl_error error = {0};
    if (!accept_signature(response, text))
        return false;
    signing.asked = text->data;
    if (!crawl_signing_check(&signing, &error))
        return true;
    asked_tell(visit, error.message);
    return false;
}

static bool may_ask(int status)
{
    return status == 401 || status == 403 || status == 429;
}

bool cw_visit_asked_judge(cw_visit *visit, const crawl_response *response, cw_visit_retry_verdict *verdict)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_buf text = {0};
    bool was_asked = visit->asked && visit->wall_ms;
    if (was_asked)
        asked_drop(engine->asked, asked_key(visit));
    bool is_open = !was_asked && !cw_visit_part_is(visit) && visit->rules && visit->rules->sign != CRAWL_SIGN_NEVER &&
                   !response->error && may_ask(response->status) && cw_starts_with(visit->lease.url, "https://");
    bool is_noted = is_open && verdict->what != CW_VISIT_RETRY_STAY_AWAY && asked_takes(visit, response, &text) &&
                    asked_keep(engine->asked, asked_key(visit), text.data);
    if (is_noted && verdict->what != CW_VISIT_RETRY_AT) {
        verdict->what = CW_VISIT_RETRY_AT;
        verdict->delay_ms = 0;
    }
    crawl_buf_free(&text);
    return is_noted;
}
