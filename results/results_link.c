/* Links as rows. See results_store.h. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/text/percent.h"
#include "results/results_store.h"

enum {
    LINK_FROM,
    LINK_TO,
    LINK_TAG,
    LINK_ATTR,
    LINK_TEXT,
    LINK_REL,
    LINK_NOFOLLOW,
    LINK_DEPTH,
    LINK_REQUISITE,
    LINK_VERDICT,
    LINK_FIELDS
};

static const crawl_slice link_names[LINK_FIELDS] = {
    CW_JSON_NAME("from"),      CW_JSON_NAME("to"),      CW_JSON_NAME("tag"),      CW_JSON_NAME("attr"),
    CW_JSON_NAME("text"),      CW_JSON_NAME("rel"),     CW_JSON_NAME("nofollow"), CW_JSON_NAME("depth"),
    CW_JSON_NAME("requisite"), CW_JSON_NAME("verdict"),
};

/* Lines of a page come one after the other, so that its number is looked up once. */
static crawl_err link_find_page(cw_results *results, crawl_slice from, int64_t *page, crawl_error *error)
{
    if (!crawl_slice_equal(from, crawl_buf_slice(&results->from))) {
        crawl_err err = cw_results_url_id(results, from, true, &results->from_id, error);
        if (err)
            return err;
        crawl_buf_clear(&results->from);
        if (crawl_buf_append(&results->from, from.data, from.size))
            return cw_error(error, CRAWL_ENOMEM);
    }
    *page = results->from_id;
    return CRAWL_OK;
}

/* Cuts the fragment off a URL, and decodes it as browsers do to find an id. */
static crawl_err link_cut_fragment(cw_results *results, crawl_slice *url, crawl_slice *fragment)
{
    size_t at = cw_find_char(*url, '#');
    *fragment = crawl_slice_from("");
    if (at >= url->size)
        return CRAWL_OK;
    crawl_buf_clear(&results->words);
    crawl_err err = cw_percent_decode(cw_drop(*url, at + 1), &results->words);
    *url = crawl_slice_of(url->data, at);
    if (!err && results->words.size)
        *fragment = crawl_buf_slice(&results->words);
    return err;
}

static void link_bind(cw_results *results, sqlite3_stmt *add, const cw_json_value *values)
{
    for (int i = LINK_TAG; i <= LINK_TEXT; i++) {
        crawl_slice text = cw_json_text(&values[i], &results->decoded);
        cw_results_bind(add, i + 2, text.data ? text : crawl_slice_from(""));
    }
    cw_results_bind(add, LINK_REL + 2, cw_json_text(&values[LINK_REL], &results->decoded));
    sqlite3_bind_int(add, LINK_NOFOLLOW + 2, values[LINK_NOFOLLOW].kind == CW_JSON_TRUE);
    sqlite3_bind_int64(add, LINK_DEPTH + 2, (int64_t)cw_json_number(&values[LINK_DEPTH]));
    sqlite3_bind_int(add, LINK_REQUISITE + 2, values[LINK_REQUISITE].kind == CW_JSON_TRUE);
    cw_results_bind(add, LINK_VERDICT + 2, cw_json_text(&values[LINK_VERDICT], &results->decoded));
}

crawl_err cw_results_link(cw_results *results, crawl_slice line, crawl_error *error)
{
    cw_json_value values[LINK_FIELDS];
    int64_t page = 0, target = 0;
    crawl_slice fragment;
    cw_json_pick(line, link_names, LINK_FIELDS, values);
    crawl_slice to = cw_json_text(&values[LINK_TO], &results->decoded);
    crawl_err err = link_find_page(results, cw_json_text(&values[LINK_FROM], &results->decoded), &page, error);
    if (!err && link_cut_fragment(results, &to, &fragment))
        err = cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = cw_results_url_id(results, to, true, &target, error);
    sqlite3_stmt *add = err ? NULL : cw_results_statement(results, CW_RESULTS_LINK);
    if (!add)
        return err ? err : cw_results_failed(results, error);
    sqlite3_bind_int64(add, 1, page);
    sqlite3_bind_int64(add, 2, target);
    cw_results_bind(add, 3, fragment);
    link_bind(results, add, values);
    return cw_results_run(results, add, error);
}
