/* Elasticsearch and OpenSearch: POST /_bulk, with a status for each item. Versions are external: only a later version
 * replaces a document, so that sending twice does no harm. */
#include "tools/index/engines.h"

#include "base/json/json_read.h"

#include <inttypes.h>
#include <stdio.h>

static crawl_err bulk_put(const cw_index_target *target, const cw_index_item *item, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(
        out,
        "{\"%s\":{\"_index\":\"%s\",\"_id\":\"%.*s\",\"version\":%" PRId64 ",\"version_type\":"
        "\"external\"}}\n",
        item->is_delete ? "delete" : "index", target->index, (int)item->id.size, item->id.data, item->version);
    return err || item->is_delete ? err : cw_index_put_document(item, out);
}

/* Returns false if the index does not exist, and the engine does not create it. */
static bool bulk_judge_item(cw_index_target *target, cw_index_item *item, const json_t *said)
{
    const json_t *error = json_object_get(said, "error");
    json_int_t status = json_integer_value(json_object_get(said, "status"));
    target->deleted += item->is_delete && (status / 100 == 2 || status == 409); /* now, or earlier without an answer */
    if (status / 100 == 2 || status == 409 || (status == 404 && item->is_delete))
        item->fate = CW_INDEX_KEPT;
    else if (status >= 400 && status < 500 && status != 404 && status != 429 && status != 408)
        cw_index_refuse(item, json_string_value(json_object_get(error, "reason")));
    return status != 404 || item->is_delete;
}

static cw_index_outcome bulk_judge(cw_index_target *target, crawl_slice body, cw_index_item **items, size_t count)
{
    json_t *answer = cw_json_read(body, NULL);
    const json_t *said = json_object_get(answer, "items");
    cw_index_outcome outcome = CW_INDEX_JUDGED;
    if (json_array_size(said) != count) {
        snprintf(target->words, sizeof target->words, "the answer to _bulk is truncated or invalid");
        outcome = CW_INDEX_AGAIN;
    }
    for (size_t i = 0; i < count && outcome == CW_INDEX_JUDGED; i++) {
        const json_t *one = json_object_iter_value(json_object_iter(json_array_get(said, i)));
        if (!bulk_judge_item(target, items[i], one)) {
            snprintf(target->words, sizeof target->words, "there is no index %s", target->index);
            outcome = CW_INDEX_FAILED;
        }
    }
    json_decref(answer);
    return outcome;
}

static cw_index_outcome bulk_send(cw_index_target *target, cw_index_item **items, size_t count)
{
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&target->body);
    for (size_t i = 0; i < count && !err; i++)
        err = bulk_put(target, items[i], &target->body);
    if (err)
        return cw_index_no_memory(target);
    cw_index_answer answer =
        cw_index_http_ask(target->http, "POST", "/_bulk?filter_path=items.*.status,items.*.error.reason",
                          "application/x-ndjson", crawl_buf_slice(&target->body));
    cw_index_outcome outcome = cw_index_judge_answer(target, &answer);
    return outcome == CW_INDEX_JUDGED ? bulk_judge(target, answer.body, items, count) : outcome;
}

/* Asks about documents with earlier versions, at a path below the index. */
static cw_index_outcome bulk_ask_of_old(cw_index_target *target, const char *path, int64_t before, const char *name,
                                        int64_t *number)
{
    char whole[300];
    crawl_buf_clear(&target->body);
    snprintf(whole, sizeof whole, "/%s/%s", target->index, path);
    if (crawl_buf_printf(&target->body, "{\"query\":{\"range\":{\"crawl_version\":{\"lt\":%" PRId64 "}}}}", before))
        return cw_index_no_memory(target);
    cw_index_answer answer =
        cw_index_http_ask(target->http, "POST", whole, "application/json", crawl_buf_slice(&target->body));
    return cw_index_answer_number(target, &answer, name, number);
}

/* A search sees writes only after a refresh. Deletes by the 10,000, so that no request takes long; a document replaced
 * meanwhile stays. */
static cw_index_outcome bulk_purge(cw_index_target *target, int64_t before, int64_t *old)
{
    char path[300];
    int64_t deleted = 0;
    if (!old) {
        cw_index_outcome outcome = bulk_ask_of_old(
            target, "_delete_by_query?conflicts=proceed&refresh=true&max_docs=10000", before, "deleted", &deleted);
        target->deleted += (uint64_t)deleted;
        return outcome;
    }
    snprintf(path, sizeof path, "/%s/_refresh", target->index);
    cw_index_answer answer = cw_index_http_ask(target->http, "GET", path, NULL, (crawl_slice){0});
    cw_index_outcome outcome = cw_index_judge_answer(target, &answer);
    return outcome == CW_INDEX_JUDGED ? bulk_ask_of_old(target, "_count", before, "count", old) : outcome;
}

const cw_index_engine cw_index_elasticsearch = {
    "es", "Authorization: ApiKey %s", "/%s/_count", "count", CW_INDEX_ITEMS_MAX, bulk_send, bulk_purge};
const cw_index_engine cw_index_opensearch = {
    "opensearch", "Authorization: ApiKey %s", "/%s/_count", "count", CW_INDEX_ITEMS_MAX, bulk_send, bulk_purge};
