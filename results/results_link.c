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

/* Cuts the fragment off a URL and returns it without a directive (":~:text=..."), which is not part of it. */
static crawl_slice link_cut_fragment(crawl_slice *url)
{
    crawl_slice fragment = cw_drop(*url, cw_find_char(*url, '#'));
    *url = crawl_slice_of(url->data, url->size - fragment.size);
    fragment = fragment.size ? cw_drop(fragment, 1) : crawl_slice_from("");
    return crawl_slice_of(fragment.data, cw_find_text(fragment, ":~:"));
}

/* Decodes a fragment as browsers do to find an id. Without data: nothing to decode. */
static crawl_err link_decode(cw_results *results, crawl_slice fragment, crawl_slice *decoded)
{
    *decoded = (crawl_slice){0};
    if (cw_find_char(fragment, '%') == fragment.size)
        return CRAWL_OK;
    crawl_buf_clear(&results->words);
    crawl_err err = cw_percent_decode(fragment, &results->words);
    if (!err)
        *decoded = crawl_buf_slice(&results->words);
    return err;
}

/* The positions of a line's values in the statement. */
enum { LINK_PAGE = 1, LINK_TARGET, LINK_FRAGMENT, LINK_FRAGMENT_DECODED, LINK_VALUES, LINK_IMPORT = 13 };

static void link_bind(cw_results *results, sqlite3_stmt *add, const cw_json_value *values)
{
    const int before = LINK_VALUES - LINK_TAG;
    for (int i = LINK_TAG; i <= LINK_TEXT; i++) {
        crawl_slice text = cw_json_decoded(&values[i], &results->decoded);
        cw_results_bind(add, before + i, text.data ? text : crawl_slice_from(""));
    }
    cw_results_bind(add, before + LINK_REL, cw_json_decoded(&values[LINK_REL], &results->decoded));
    sqlite3_bind_int(add, before + LINK_NOFOLLOW, values[LINK_NOFOLLOW].kind == CW_JSON_TRUE);
    sqlite3_bind_int64(add, before + LINK_DEPTH, (int64_t)cw_json_number(&values[LINK_DEPTH]));
    sqlite3_bind_int(add, before + LINK_REQUISITE, values[LINK_REQUISITE].kind == CW_JSON_TRUE);
    cw_results_bind(add, before + LINK_VERDICT, cw_json_decoded(&values[LINK_VERDICT], &results->decoded));
    sqlite3_bind_int64(add, LINK_IMPORT, results->import);
}

/* CRAWL_ABSENT: the object is not a link. */
static crawl_err link_put(cw_results *results, const cw_json_value *values, crawl_error *error)
{
    int64_t page = 0, target = 0;
    crawl_slice decoded, fragment = crawl_slice_from("");
    crawl_slice from = cw_json_decoded(&values[LINK_FROM], &results->decoded);
    crawl_slice to = cw_json_decoded(&values[LINK_TO], &results->decoded);
    if (!from.size || !to.data)
        return CRAWL_ABSENT;
    if (!cw_is(cw_json_decoded(&values[LINK_VERDICT], &results->decoded), "no-url"))
        fragment = link_cut_fragment(&to);
    crawl_err err = cw_results_url_id(results, from, true, &page, error);
    if (!err)
        err = cw_results_url_id(results, to, true, &target, error);
    if (!err && link_decode(results, fragment, &decoded))
        err = cw_error(error, CRAWL_ENOMEM);
    sqlite3_stmt *add = err ? NULL : cw_results_statement(results, CW_RESULTS_LINK);
    if (!add)
        return err ? err : cw_results_failed(results, error);
    sqlite3_bind_int64(add, LINK_PAGE, page);
    sqlite3_bind_int64(add, LINK_TARGET, target);
    cw_results_bind(add, LINK_FRAGMENT, fragment);
    cw_results_bind(add, LINK_FRAGMENT_DECODED, decoded);
    link_bind(results, add, values);
    return cw_results_run(results, add, error);
}

crawl_err cw_results_link(cw_results *results, crawl_slice line, crawl_error *error)
{
    cw_json_value values[LINK_FIELDS];
    return cw_json_pick(line, link_names, LINK_FIELDS, values) ? link_put(results, values, error) : CRAWL_EPARSE;
}

crawl_err cw_results_link_array(cw_results *results, crawl_slice array, crawl_error *error)
{
    cw_json_value values[LINK_FIELDS];
    crawl_err err = CRAWL_OK;
    while (!err && cw_json_next_pick(&array, link_names, LINK_FIELDS, values))
        err = link_put(results, values, error);
    return err || cw_is(array, "]") ? err : CRAWL_EPARSE;
}
