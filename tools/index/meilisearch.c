/* Meilisearch: documents in lines, ids to delete in an array. Each request makes a task; it is kept once that has
 * succeeded. Tasks are done in order, which replaces versions. A task that takes long, behind those of others, is
 * waited for and not sent again. */
#include "tools/index/engines.h"

#include "base/json/json_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* Returns true if a task ended for another reason than its documents: a full disk, a fault of the engine, somebody who
 * canceled it. */
static bool meilisearch_passes(const char *status, const json_t *error)
{
    const char *type = json_string_value(json_object_get(error, "type"));
    return strcmp(status, "canceled") == 0 || (type && (strcmp(type, "internal") == 0 || strcmp(type, "system") == 0));
}

/* Judges a task, if it has ended. A missing index has nothing to delete. */
static bool meilisearch_has_ended(cw_index_target *target, const json_t *task, cw_index_outcome *outcome)
{
    const char *status = json_string_value(json_object_get(task, "status"));
    const json_t *error = json_object_get(task, "error");
    const char *code = json_string_value(json_object_get(error, "code"));
    const char *words = json_string_value(json_object_get(error, "message"));
    if (!status || strcmp(status, "enqueued") == 0 || strcmp(status, "processing") == 0)
        return false;
    target->task[0] = '\0';
    /* 0 or absent in other tasks */
    target->deleted +=
        (uint64_t)json_integer_value(json_object_get(json_object_get(task, "details"), "deletedDocuments"));
    *outcome = CW_INDEX_JUDGED;
    if (strcmp(status, "succeeded") == 0 || (code && strcmp(code, "index_not_found") == 0))
        return true;
    snprintf(target->words, sizeof target->words, "%s", words ? words : status);
    *outcome = meilisearch_passes(status, error) ? CW_INDEX_AGAIN : CW_INDEX_HALVE;
    return true;
}

/* Asks for the target's task. True: it has ended, is unknown to the engine, or no answer came. */
static bool meilisearch_look(cw_index_target *target, cw_index_outcome *outcome)
{
    cw_index_answer answer = cw_index_http_ask(target->http, "GET", target->task, NULL, (crawl_slice){0});
    *outcome = cw_index_judge_answer(target, &answer);
    json_t *said = *outcome == CW_INDEX_JUDGED ? cw_json_read(answer.body, NULL) : NULL;
    if (answer.status == 404 || *outcome == CW_INDEX_HALVE) {
        *outcome = CW_INDEX_AGAIN;
        target->task[0] = '\0';
    }
    bool is_over = *outcome != CW_INDEX_JUDGED || meilisearch_has_ended(target, said, outcome);
    json_decref(said);
    return is_over;
}

/* Waits for the target's task, for at most half a minute. */
static cw_index_outcome meilisearch_await(cw_index_target *target)
{
    enum { TIMES = 40, LONGEST_MS = 1000 };
    cw_index_outcome outcome;
    for (long i = 0, ms = 10; i < TIMES; i++, ms = ms * 2 < LONGEST_MS ? ms * 2 : LONGEST_MS) {
        if (meilisearch_look(target, &outcome))
            return outcome;
        nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
    }
    snprintf(target->words, sizeof target->words, "%s is not done", target->task);
    return CW_INDEX_AGAIN;
}

/* Posts the body, and keeps its task. */
static cw_index_outcome meilisearch_post(cw_index_target *target, const char *path, const char *type)
{
    char whole[400];
    snprintf(whole, sizeof whole, "/indexes/%s/documents%s", target->index, path);
    cw_index_answer answer = cw_index_http_ask(target->http, "POST", whole, type, crawl_buf_slice(&target->body));
    cw_index_outcome outcome = cw_index_judge_answer(target, &answer);
    json_t *said = outcome == CW_INDEX_JUDGED ? cw_json_read(answer.body, NULL) : NULL;
    const json_t *task = json_object_get(said, "taskUid");
    if (json_is_integer(task)) {
        snprintf(target->task, sizeof target->task, "/tasks/%" JSON_INTEGER_FORMAT, json_integer_value(task));
    } else if (outcome == CW_INDEX_JUDGED) {
        snprintf(target->words, sizeof target->words, "the answer has no taskUid");
        outcome = CW_INDEX_AGAIN;
    }
    json_decref(said);
    return outcome;
}

static cw_index_outcome meilisearch_do(cw_index_target *target, const char *path, const char *type)
{
    cw_index_outcome outcome = *target->task ? CW_INDEX_JUDGED : meilisearch_post(target, path, type);
    return outcome == CW_INDEX_JUDGED ? meilisearch_await(target) : outcome;
}

/* Puts the items of one kind into the body. Returns their number. */
static size_t meilisearch_put(cw_index_target *target, cw_index_item **items, size_t count, bool deletes, bool *failed)
{
    size_t put = 0;
    crawl_buf *out = &target->body;
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(out);
    for (size_t i = 0; i < count && !err; i++) {
        if (items[i]->is_delete != deletes)
            continue;
        err = deletes ? crawl_buf_printf(out, "%s\"%.*s\"", put ? "," : "[", (int)items[i]->id.size, items[i]->id.data)
                      : cw_index_put_document(items[i], out);
        put++;
    }
    if (!err && deletes && put)
        err = crawl_buf_append_char(out, ']');
    *failed = err;
    return put;
}

/* A kept task is that of the first kind that is left. */
static cw_index_outcome meilisearch_send(cw_index_target *target, cw_index_item **items, size_t count)
{
    cw_index_outcome outcome = CW_INDEX_JUDGED;
    for (int deletes = 0; deletes < 2 && outcome == CW_INDEX_JUDGED; deletes++) {
        bool failed;
        size_t put = meilisearch_put(target, items, count, deletes, &failed);
        if (failed)
            return cw_index_no_memory(target);
        if (put)
            outcome = meilisearch_do(target, deletes ? "/delete-batch" : "?primaryKey=id",
                                     deletes ? "application/json" : "application/x-ndjson");
        for (size_t i = 0; i < count && outcome == CW_INDEX_JUDGED; i++)
            if (items[i]->is_delete == deletes)
                items[i]->fate = CW_INDEX_KEPT;
    }
    return outcome;
}

/* The index must have crawl_version among its filterable attributes; otherwise the engine reports an error. */
static cw_index_outcome meilisearch_purge(cw_index_target *target, int64_t before, int64_t *old)
{
    char path[300];
    crawl_buf_clear(&target->body);
    if (crawl_buf_printf(&target->body, "{\"filter\":\"crawl_version < %" PRId64 "\"%s}", before,
                         old ? ",\"limit\":0" : ""))
        return cw_index_no_memory(target);
    if (!old)
        return meilisearch_do(target, "/delete", "application/json");
    snprintf(path, sizeof path, "/indexes/%s/documents/fetch", target->index);
    cw_index_answer answer =
        cw_index_http_ask(target->http, "POST", path, "application/json", crawl_buf_slice(&target->body));
    return cw_index_answer_number(target, &answer, "total", old);
}

const cw_index_engine cw_index_meilisearch = {"meilisearch",       "Authorization: Bearer %s", "/indexes/%s/stats",
                                              "numberOfDocuments", CW_INDEX_ITEMS_MAX,         meilisearch_send,
                                              meilisearch_purge};
