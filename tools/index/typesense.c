/* Typesense: documents in lines, each with a line of the answer, and a request for each delete. It has no versions;
 * requests are made one after the other. */
#include "tools/index/engines.h"

#include "base/bytes.h"
#include "base/json/json_read.h"

#include <inttypes.h>
#include <stdio.h>

static void typesense_judge_line(cw_index_item *item, crawl_slice line)
{
    json_t *said = cw_json_read(line, NULL);
    json_int_t code = json_integer_value(json_object_get(said, "code"));
    if (json_is_true(json_object_get(said, "success")))
        item->fate = CW_INDEX_KEPT;
    else if (code >= 400 && code < 500 && code != 429 && code != 408)
        cw_index_refuse(item, json_string_value(json_object_get(said, "error")));
    json_decref(said);
}

/* An item without a line stays open. */
static void typesense_judge(cw_index_item **items, size_t count, crawl_slice answer)
{
    for (size_t i = 0; i < count && answer.size; i++)
        if (!items[i]->is_delete)
            typesense_judge_line(items[i], cw_cut(&answer, '\n'));
}

static cw_index_outcome typesense_delete(cw_index_target *target, cw_index_item *item)
{
    char path[500];
    snprintf(path, sizeof path, "/collections/%s/documents/%.*s", target->index, (int)item->id.size, item->id.data);
    cw_index_answer answer = cw_index_http_ask(target->http, "DELETE", path, NULL, (crawl_slice){0});
    cw_index_outcome outcome = answer.status == 404 ? CW_INDEX_JUDGED : cw_index_judge_answer(target, &answer);
    if (outcome == CW_INDEX_JUDGED)
        item->fate = CW_INDEX_KEPT;
    target->deleted += answer.status / 100 == 2;
    return outcome;
}

static cw_index_outcome typesense_send(cw_index_target *target, cw_index_item **items, size_t count)
{
    char path[400];
    crawl_err err = CRAWL_OK;
    cw_index_outcome outcome = CW_INDEX_JUDGED;
    crawl_buf_clear(&target->body);
    for (size_t i = 0; i < count && !err; i++)
        err = items[i]->is_delete ? CRAWL_OK : cw_index_put_document(items[i], &target->body);
    if (err)
        return cw_index_no_memory(target);
    snprintf(path, sizeof path, "/collections/%s/documents/import?action=upsert", target->index);
    if (target->body.size) {
        cw_index_answer answer =
            cw_index_http_ask(target->http, "POST", path, "text/plain", crawl_buf_slice(&target->body));
        outcome = cw_index_judge_answer(target, &answer);
        if (outcome == CW_INDEX_JUDGED)
            typesense_judge(items, count, answer.body);
    }
    for (size_t i = 0; i < count && outcome == CW_INDEX_JUDGED; i++)
        if (items[i]->is_delete)
            outcome = typesense_delete(target, items[i]);
    return outcome;
}

static cw_index_outcome typesense_purge(cw_index_target *target, int64_t before, int64_t *old)
{
    char path[400];
    int64_t deleted = 0;
    snprintf(path, sizeof path, "/collections/%s/documents%s?filter_by=crawl_version:%%3C%" PRId64 "%s", target->index,
             old ? "/search" : "", before, old ? "&q=*&per_page=0" : "");
    cw_index_answer answer = cw_index_http_ask(target->http, old ? "GET" : "DELETE", path, NULL, (crawl_slice){0});
    cw_index_outcome outcome =
        cw_index_answer_number(target, &answer, old ? "found" : "num_deleted", old ? old : &deleted);
    target->deleted += (uint64_t)deleted;
    return outcome;
}

const cw_index_engine cw_index_typesense = {
    "typesense", "X-TYPESENSE-API-KEY: %s", "/collections/%s", "num_documents", 50, typesense_send, typesense_purge};
