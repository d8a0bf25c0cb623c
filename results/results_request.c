/* Requests as rows: the lines "depart" and "end" of the log of requests. See results_store.h. */
#include "base/bytes.h"
#include "base/error.h"
#include "results/results_store.h"

/* The fields, in the order of the statement's values. */
enum {
    REQUEST_URL,
    REQUEST_START,
    REQUEST_NUMBER,
    REQUEST_COLUMNS = 21,
    REQUEST_EVENT = REQUEST_COLUMNS, /* not a column */
    REQUEST_FIELDS
};

static const crawl_slice request_names[REQUEST_FIELDS] = {
    CW_JSON_NAME("url"),         CW_JSON_NAME("start"),      CW_JSON_NAME("request"), CW_JSON_NAME("host"),
    CW_JSON_NAME("ip"),          CW_JSON_NAME("kind"),       CW_JSON_NAME("method"),  CW_JSON_NAME("depth"),
    CW_JSON_NAME("seq"),         CW_JSON_NAME("attempt"),    CW_JSON_NAME("sent"),    CW_JSON_NAME("pause"),
    CW_JSON_NAME("pause_by"),    CW_JSON_NAME("end"),        CW_JSON_NAME("status"),  CW_JSON_NAME("error"),
    CW_JSON_NAME("retry_after"), CW_JSON_NAME("hold_until"), CW_JSON_NAME("hold_by"), CW_JSON_NAME("conditional"),
    CW_JSON_NAME("signed"),      CW_JSON_NAME("event"),
};

/* The tables refuse a value of another type than its column. */
static void request_bind(cw_results *results, sqlite3_stmt *add, int at, const cw_json_value *value)
{
    if (value->kind == CW_JSON_STRING)
        cw_results_bind(add, at, cw_json_decoded(value, &results->decoded));
    else if (value->kind == CW_JSON_NUMBER)
        sqlite3_bind_double(add, at, cw_json_number(value));
    else if (value->kind == CW_JSON_TRUE || value->kind == CW_JSON_FALSE)
        sqlite3_bind_int(add, at, value->kind == CW_JSON_TRUE);
    else
        sqlite3_bind_null(add, at);
}

/* CRAWL_ABSENT: the object is not a request. */
static crawl_err request_put(cw_results *results, const cw_json_value *values, crawl_error *error)
{
    int64_t id = 0;
    crawl_slice url = cw_json_decoded(&values[REQUEST_URL], &results->decoded);
    if (!url.size || values[REQUEST_START].kind != CW_JSON_NUMBER || values[REQUEST_NUMBER].kind != CW_JSON_NUMBER)
        return CRAWL_ABSENT;
    crawl_err err = cw_results_url_id(results, url, false, &id, error);
    sqlite3_stmt *add = err ? NULL : cw_results_statement(results, CW_RESULTS_REQUEST);
    if (!add)
        return err ? err : cw_results_failed(results, error);
    sqlite3_bind_int64(add, REQUEST_URL + 1, id);
    for (int i = REQUEST_START; i < REQUEST_COLUMNS; i++)
        request_bind(results, add, i + 1, &values[i]);
    return cw_results_run(results, add, error);
}

crawl_err cw_results_request(cw_results *results, crawl_slice line, crawl_error *error)
{
    cw_json_value values[REQUEST_FIELDS];
    if (!cw_json_pick(line, request_names, REQUEST_FIELDS, values))
        return CRAWL_EPARSE;
    crawl_slice event = cw_json_decoded(&values[REQUEST_EVENT], &results->decoded);
    if (cw_is(event, "depart") || cw_is(event, "end"))
        return request_put(results, values, error);
    return event.size ? CRAWL_OK : CRAWL_ABSENT; /* a line about a run */
}

crawl_err cw_results_request_array(cw_results *results, crawl_slice array, crawl_error *error)
{
    cw_json_value values[REQUEST_FIELDS];
    crawl_err err = CRAWL_OK;
    while (!err && cw_json_next_pick(&array, request_names, REQUEST_FIELDS, values))
        err = request_put(results, values, error);
    return err || cw_is(array, "]") ? err : CRAWL_EPARSE;
}
