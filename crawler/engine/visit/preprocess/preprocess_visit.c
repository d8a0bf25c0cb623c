#include "crawler/engine/visit/preprocess/preprocess_visit.h"

#include "base/bytes.h"
#include "base/convert.h"
#include "base/error.h"
#include "base/process.h"
#include "config/config_values.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/visit/answer/documents.h"
#include "crawler/engine/visit/answer/headers.h"
#include "crawler/engine/visit/answer/slices.h"
#include "crawler/engine/visit/connections.h"
#include "crawler/engine/visit/preprocess/preprocess_document.h"
#include "crawler/engine/visit/visit.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>

void cw_visit_preprocess_open(cw_visit_maker *maker, struct event_base *base)
{
    maker->documents.base = base;
    TAILQ_INIT(&maker->documents.waiting);
    TAILQ_INIT(&maker->documents.running);
}

char *const *cw_visit_preprocess_command(cw_visit *visit, const crawl_response *response)
{
    const crawl_engine *engine = cw_visit_engine(visit);
    if (!engine->preprocessors || visit->document || !cw_visit_document_is_whole(response) || !response->body.size ||
        visit->wall.verdict != CRAWL_VERDICT_CONTENT || cw_visit_is_external(visit) ||
        cw_links_requisites_is_part(visit->lease.tag))
        return NULL;
    crawl_slice type = crawl_media_type(cw_visit_headers_content_type(response));
    return cw_visit_preprocessors_find(engine->preprocessors, type, response->body);
}

/* ---- handing over ---- */

static unsigned preprocess_most(const cw_visit_maker *maker)
{
    unsigned most = maker->engine->processors / maker->engine->worker_count;
    return most ? most : 1;
}

bool cw_visit_preprocess_is_full(const cw_visit_maker *maker)
{
    return maker->documents.count > 4 * preprocess_most(maker);
}

static void preprocess_begin_next(cw_visit_maker *maker);

/* Has a finished document read like any other. The answer counts as under way again until then. */
static void preprocess_return(cw_visit_document *document)
{
    cw_visit_maker *maker = document->visit->maker;
    maker->documents.count--;
    cw_visit_connections_resumed(maker);
    cw_visit_slices_wait(document->visit);
}

static void preprocess_stop(cw_visit_document *document, const char *why)
{
    cw_visit_maker *maker = document->visit->maker;
    event_free(document->ended);
    document->ended = NULL;
    cw_convert_end(&document->program, why, &document->result);
    TAILQ_REMOVE(&maker->documents.running, document, link);
    maker->documents.programs--;
}

static void preprocess_on_end(evutil_socket_t, short, void *user)
{
    cw_visit_document *document = user;
    cw_visit_maker *maker = document->visit->maker;
    preprocess_stop(document, "timeout");
    preprocess_return(document);
    preprocess_begin_next(maker);
}

/* False: the document's result says why. */
static bool preprocess_start(cw_visit_document *document)
{
    static const struct timeval most = {.tv_sec = CW_CONVERT_MAX_MS / 1000};
    cw_visit_maker *maker = document->visit->maker;
    if (!cw_convert_begin(document->command, document->visit->answer.response->body, &document->program,
                          &document->result))
        return false;
    document->ended = event_new(maker->documents.base, document->program.ended, EV_READ, preprocess_on_end, document);
    if (document->ended && !event_add(document->ended, &most))
        return true;
    if (document->ended)
        event_free(document->ended);
    cw_convert_end(&document->program, "failed", &document->result);
    return false;
}

static void preprocess_begin_next(cw_visit_maker *maker)
{
    while (!TAILQ_EMPTY(&maker->documents.waiting) && maker->documents.programs < preprocess_most(maker)) {
        cw_visit_document *document = TAILQ_FIRST(&maker->documents.waiting);
        TAILQ_REMOVE(&maker->documents.waiting, document, link);
        if (!preprocess_start(document)) {
            preprocess_return(document);
            continue;
        }
        TAILQ_INSERT_TAIL(&maker->documents.running, document, link);
        maker->documents.programs++;
    }
}

bool cw_visit_preprocess_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                             cw_visit_reader *read, char *const *command)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_visit_maker *maker = visit->maker;
    visit->document = calloc(1, sizeof *visit->document);
    if (!visit->document)
        return read(visit, response, verdict);
    *visit->document = (cw_visit_document){.visit = visit, .command = command};
    if (!engine->config->shared)
        (void)crawl_frontier_park(engine->frontier, visit->lease.id, cw_engine_now(engine));
    cw_visit_slices_keep(visit, response, verdict, read);
    TAILQ_INSERT_TAIL(&maker->documents.waiting, visit->document, link);
    maker->documents.count++;
    preprocess_begin_next(maker);
    cw_visit_connections_ended(maker);
    return false;
}

/* ---- taking back ---- */

void cw_visit_preprocess_begin(cw_visit_reading *reading)
{
    const cw_visit_document *document = reading->visit->document;
    reading->is_preprocessed = document && document->result.outcome && strcmp(document->result.outcome, "whole") == 0;
    if (!document)
        return;
    crawl_engine *engine = cw_visit_engine(reading->visit);
    cw_engine_count(&engine->counters.preprocessed, reading->is_preprocessed);
    cw_engine_count(&engine->counters.preprocess_failed, !reading->is_preprocessed);
    reading->record.preprocessed = document->result.outcome;
    reading->record.error_text = document->result.words;
    if (reading->is_preprocessed)
        reading->body = crawl_buf_slice(&document->result.page);
}

static void preprocess_give_up(cw_visit_document *document)
{
    cw_visit *visit = document->visit;
    cw_visit_maker *maker = visit->maker;
    const crawl_response *response = visit->answer.response;
    maker->documents.count--;
    cw_visit_end(visit, CRAWL_DONE_RETURN, 0);
    crawl_fetch_give_back(maker->fetcher, response);
}

void cw_visit_preprocess_cut(cw_visit_maker *maker)
{
    while (!TAILQ_EMPTY(&maker->documents.waiting)) {
        cw_visit_document *document = TAILQ_FIRST(&maker->documents.waiting);
        TAILQ_REMOVE(&maker->documents.waiting, document, link);
        preprocess_give_up(document);
    }
    while (!TAILQ_EMPTY(&maker->documents.running)) {
        cw_visit_document *document = TAILQ_FIRST(&maker->documents.running);
        preprocess_stop(document, "cut");
        preprocess_give_up(document);
    }
}

typedef struct preprocessor {
    crawl_slice type; /* of the configuration */
    char **words;
} preprocessor;

struct cw_visit_preprocessors {
    size_t count;
    preprocessor all[];
};

static const char pdf_type[] = "application/pdf";

static crawl_err preprocessor_read(preprocessor *one, const char *setting, crawl_error *error)
{
    crawl_slice command = crawl_slice_from(setting);
    one->type = cw_cut(&command, '=');
    crawl_err err = cw_process_words(command, false, &one->words);
    if (err)
        return crawl_error_set(error, err == CRAWL_EPARSE ? CRAWL_EINVAL : err, "parse.preprocess = %.300s: %s",
                               setting, crawl_strerror(err));
    int why = cw_convert_find(one->words[0]);
    return why ? crawl_error_set(error, CRAWL_EINVAL, "parse.preprocess: %.300s: %s", one->words[0], strerror(why))
               : CRAWL_OK;
}

/* Adds crawl-pdf from the directory of the running program. */
static crawl_err preprocessor_add_pdf(preprocessor *one, crawl_error *error)
{
    crawl_buf path = {0};
    int why = cw_process_path("pdf", &path);
    one->type = crawl_slice_from(pdf_type);
    one->words = why ? NULL : calloc(1, 2 * sizeof *one->words + path.size + 1);
    if (one->words)
        one->words[0] = memcpy(one->words + 2, path.data, path.size);
    else
        why = why ? why : ENOMEM;
    crawl_buf_free(&path);
    why = why ? why : cw_convert_find(one->words[0]);
    return why ? crawl_error_set(error, CRAWL_EINVAL, "parse.pdf: %.300s: %s; in Debian, the package crawl-pdf has it",
                                 one->words ? one->words[0] : "crawl-pdf", strerror(why))
               : CRAWL_OK;
}

crawl_err cw_visit_preprocessors_create(const crawl_config *config, cw_visit_preprocessors **out, crawl_error *error)
{
    const crawl_texts *texts = &config->preprocess;
    *out = NULL;
    if (!texts->count && !config->pdf)
        return CRAWL_OK;
    cw_visit_preprocessors *all = calloc(1, sizeof *all + (texts->count + 1) * sizeof *all->all);
    if (!all)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = CRAWL_OK;
    for (; all->count < texts->count && !err; all->count++)
        err = preprocessor_read(&all->all[all->count], texts->items[all->count], error);
    if (!err && config->pdf && !cw_visit_preprocessors_find(all, crawl_slice_from(pdf_type), (crawl_slice){0}))
        err = preprocessor_add_pdf(&all->all[all->count++], error);
    if (err)
        cw_visit_preprocessors_free(all);
    else
        *out = all;
    return err;
}

void cw_visit_preprocessors_free(cw_visit_preprocessors *all)
{
    for (size_t i = 0; all && i < all->count; i++)
        free(all->all[i].words);
    free(all);
}

/* Returns the type of a document. A server that does not know a file's name may call its bytes arbitrary, or give no
 * type. */
static crawl_slice preprocessor_type(crawl_slice type, crawl_slice body)
{
    bool is_unknown = !type.size || cw_equal_nocase(type, crawl_slice_from("application/octet-stream")) ||
                      cw_equal_nocase(type, crawl_slice_from("binary/octet-stream"));
    return is_unknown && cw_take_text(&body, "%PDF-") ? crawl_slice_from(pdf_type) : type;
}

char *const *cw_visit_preprocessors_find(const cw_visit_preprocessors *all, crawl_slice type, crawl_slice body)
{
    type = preprocessor_type(type, body);
    for (size_t i = 0; i < all->count; i++)
        if (cw_equal_nocase(all->all[i].type, type))
            return all->all[i].words;
    return NULL;
}
