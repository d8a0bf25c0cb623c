#include "tools/report/survey/survey_links.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "base/utf8.h"
#include "tools/report/survey/survey_judge.h"

#include <stdlib.h>

enum { TARGETS = 1 << 21 }; /* places of 32 bytes */

/* A row that links led to lately, and how many did so since it was written. */
struct cw_survey_target {
    cw_keyed_hash hash;
    int64_t id; /* 0: a free place */
    uint32_t count;
    uint8_t kind;
    bool is_kept : 1;                                            /* its links are: it is broken or redirects */
    bool redirects : 1, has_ids : 1, has_cut : 1, is_abroad : 1; /* abroad: on a host of which the crawl has no page */
};

static crawl_err links_write_count(cw_survey *survey, cw_survey_target *target)
{
    int64_t count = target->count;
    target->count = 0;
    return count ? cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_COUNT, "ii", target->id, count)) : CRAWL_OK;
}

crawl_err cw_survey_end_links(cw_survey *survey)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; survey->targets && i < TARGETS && !err; i++)
        err = links_write_count(survey, &survey->targets[i]);
    free(survey->targets);
    survey->targets = NULL;
    return err;
}

/* ---- the row that a link leads to ---- */

/* Finds the row of a URL: a page, or else a link out of the crawl that was checked, or what was found before; or adds
 * one. */
static crawl_err survey_links_resolve(cw_survey *survey, crawl_slice url, cw_survey_found *found)
{
    crawl_err err = cw_survey_find(survey, url, CW_KIND_PAGE, found);
    if (!err && !found->id && survey->has_externals)
        err = cw_survey_find(survey, url, CW_KIND_EXTERNAL, found);
    if (!err && !found->id)
        err = cw_survey_find_text(survey, url, CW_KIND_UNASKED, found);
    if (err || found->id)
        return err;
    *found = (cw_survey_found){.kind = CW_KIND_UNASKED, .state = CW_SURVEY_UNCHECKED};
    return cw_survey_add_other(survey, url, CW_KIND_UNASKED, &found->id);
}

static crawl_err links_target(cw_survey *survey, crawl_slice url, cw_survey_target **out)
{
    if (!survey->targets)
        survey->targets = calloc(TARGETS, sizeof *survey->targets);
    if (!survey->targets)
        return CRAWL_ENOMEM;
    cw_keyed_hash hash = cw_survey_hash(survey, url);
    cw_survey_target *target = &survey->targets[hash.low % TARGETS];
    *out = target;
    if (target->id && target->hash.low == hash.low && target->hash.high == hash.high)
        return CRAWL_OK;
    cw_survey_found found;
    crawl_err err = links_write_count(survey, target);
    if (!err)
        err = survey_links_resolve(survey, url, &found);
    if (err)
        return err;
    *target = (cw_survey_target){
        .hash = hash,
        .id = found.id,
        .kind = (uint8_t)found.kind,
        .is_kept = (found.kind == CW_KIND_PAGE || found.kind == CW_KIND_EXTERNAL) &&
                   (found.state == CW_SURVEY_BROKEN || (found.state == CW_SURVEY_REDIRECTS && found.redirects)),
        .redirects = found.redirects,
        .has_ids = found.has_ids,
        .has_cut = found.has_cut};
    return CRAWL_OK;
}

static crawl_err links_keep(cw_survey *survey, int64_t target, const cw_survey_link *link)
{
    crawl_slice text = cw_utf8_cut(link->text, CW_SURVEY_TEXT_MAX);
    crawl_slice tag = cw_utf8_cut(link->tag, CW_SURVEY_TEXT_MAX);
    return cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_LINK, "isss", target, &link->from, &text, &tag));
}

/* ---- links to no page ---- */

/* Counts a link to a row that has no record, and that is found by this very text. */
static crawl_err links_add_other(cw_survey *survey, crawl_slice text, cw_survey_row_kind kind,
                                 const cw_survey_link *link)
{
    cw_survey_found found;
    crawl_err err = cw_survey_find_text(survey, text, kind, &found);
    if (!err && !found.id)
        err = cw_survey_add_other(survey, text, kind, &found.id);
    if (!err)
        err = cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_COUNT, "ii", found.id, (int64_t)1));
    return err ? err : links_keep(survey, found.id, link);
}

static crawl_err links_is_abroad(cw_survey *survey, crawl_slice url, bool *is_abroad)
{
    int64_t host;
    crawl_err err = cw_survey_host_at(survey, cw_survey_host_of(url), &host);
    sqlite3_stmt *pages = err ? NULL : cw_survey_bound(survey, CW_SQL_HOST_PAGES, "i", host);
    if (!pages)
        return err ? err : CRAWL_EIO;
    int result = sqlite3_step(pages);
    *is_abroad = result != SQLITE_ROW || sqlite3_column_int64(pages, 0) == 0;
    sqlite3_reset(pages);
    return cw_survey_checked(survey, result);
}

/* The first cause counts. Beyond the scope lies what is on a host of the crawl: other hosts are no part of the site. */
static crawl_err links_note_cut(cw_survey *survey, cw_survey_target *target, const cw_survey_link *link)
{
    cw_survey_cut cut = link->cut;
    bool is_abroad = target->is_abroad;
    if (target->has_cut || (!cut && (!link->leads_out || is_abroad)))
        return CRAWL_OK;
    crawl_err err = link->leads_out && !is_abroad ? links_is_abroad(survey, link->to, &is_abroad) : CRAWL_OK;
    if (link->leads_out && !is_abroad)
        cut = CW_SURVEY_CUT_SCOPE;
    target->is_abroad = is_abroad;
    target->has_cut = cut != CW_SURVEY_CUT_NONE;
    return err || !cut ? err
                       : cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_CUT, "ii", (int64_t)cut, target->id));
}

/* ---- fragments ---- */

/* The fragment of a URL, without a directive (":~:text=..."), which is no part of it. */
static crawl_slice fragment_of(crawl_slice url)
{
    crawl_slice fragment = cw_drop(url, cw_find_char(url, '#'));
    fragment = fragment.size ? cw_drop(fragment, 1) : fragment;
    return crawl_slice_of(fragment.data, cw_find_text(fragment, ":~:"));
}

static crawl_err links_has_id(cw_survey *survey, int64_t page, crawl_slice id, bool *found)
{
    cw_keyed_hash hash = cw_keyed_hash_of(&survey->secret, id);
    sqlite3_stmt *has = cw_survey_bound(survey, CW_SQL_HAS_ID, "ii", page, (int64_t)hash.low);
    if (!has)
        return CRAWL_EIO;
    int result = sqlite3_step(has);
    *found = result == SQLITE_ROW;
    sqlite3_reset(has);
    return cw_survey_checked(survey, result);
}

/* Looks for the fragment as it stands, or else with its escapes decoded. */
static crawl_err links_find_place(cw_survey *survey, int64_t page, crawl_slice fragment, bool *found)
{
    crawl_err err = links_has_id(survey, page, fragment, found);
    if (err || *found)
        return err;
    crawl_buf_clear(&survey->canonical);
    err = cw_percent_decode(fragment, &survey->canonical);
    crawl_slice decoded = crawl_buf_slice(&survey->canonical);
    *found = !err && cw_is_nocase(decoded, "top");
    return err || *found ? err : links_has_id(survey, page, decoded, found);
}

/* Follows redirects to the page that a browser shows in the end; *page is 0 if it has no record, or if a redirect says
 * which part of it to show. */
static crawl_err links_shown(cw_survey *survey, cw_survey_found *page)
{
    crawl_err err = CRAWL_OK;
    for (unsigned hops = 0; page->id && page->redirects && !err; hops++) {
        sqlite3_stmt *redirect = cw_survey_bound(survey, CW_SQL_REDIRECT, "i", page->id);
        if (!redirect || !cw_survey_has_row(survey, redirect))
            return CRAWL_EIO;
        crawl_slice next = crawl_slice_of(sqlite3_column_text(redirect, 0), (size_t)sqlite3_column_bytes(redirect, 0));
        *page = (cw_survey_found){0};
        if (hops < CW_SURVEY_HOPS_MAX && cw_find_char(next, '#') == next.size)
            err = cw_survey_find(survey, next, CW_KIND_PAGE, page);
        sqlite3_reset(redirect);
    }
    return err;
}

static crawl_err links_judge_fragment(cw_survey *survey, const cw_survey_target *target, const cw_survey_link *link)
{
    crawl_slice fragment = fragment_of(link->to);
    bool is_there;
    cw_survey_found shown = {.id = target->id, .redirects = target->redirects, .has_ids = target->has_ids};
    if (!fragment.size || !survey->has_ids || target->kind == CW_KIND_UNASKED)
        return CRAWL_OK;
    crawl_err err = links_shown(survey, &shown);
    if (err || !shown.id || !shown.has_ids)
        return err;
    err = links_find_place(survey, shown.id, fragment, &is_there);
    crawl_slice url = crawl_slice_of(link->to.data, (size_t)(fragment.data + fragment.size - link->to.data));
    return err || is_there ? err : links_add_other(survey, url, CW_KIND_FRAGMENT, link);
}

/* ---- links ---- */

/* A redirect of a link that leads out: the link to its first URL counts. */
static crawl_err links_is_hop(cw_survey *survey, const cw_survey_link *link, bool *is_hop)
{
    cw_survey_found from = {0};
    crawl_err err = survey->has_externals && cw_is(link->tag, "redirect")
                        ? cw_survey_find(survey, link->from, CW_KIND_EXTERNAL, &from)
                        : CRAWL_OK;
    *is_hop = from.id != 0;
    return err;
}

crawl_err cw_survey_add_link(cw_survey *survey, const cw_survey_link *link)
{
    bool is_hop;
    cw_survey_target *target;
    survey->links++;
    survey->leads_out |= link->leads_out;
    if (link->is_invalid)
        return links_add_other(survey, cw_utf8_cut(link->to, CW_SURVEY_TEXT_MAX), CW_KIND_INVALID, link);
    crawl_err err = links_is_hop(survey, link, &is_hop);
    if (err || is_hop)
        return err;
    err = links_target(survey, crawl_slice_of(link->to.data, cw_find_char(link->to, '#')), &target);
    if (err)
        return err;
    target->count++;
    if (target->kind == CW_KIND_UNASKED)
        err = links_note_cut(survey, target, link);
    if (!err)
        err = links_judge_fragment(survey, target, link);
    return err || !target->is_kept ? err : links_keep(survey, target->id, link);
}

crawl_err cw_survey_add_sitemap_url(cw_survey *survey, crawl_slice url)
{
    cw_survey_found found;
    survey->has_sitemap = true;
    crawl_err err = cw_survey_find(survey, url, CW_KIND_PAGE, &found);
    if (!err && !found.id)
        err = cw_survey_find_text(survey, url, CW_KIND_UNASKED, &found);
    if (!err && !found.id)
        err = cw_survey_add_other(survey, url, CW_KIND_UNASKED, &found.id);
    return err ? err : cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_LISTED, "i", found.id));
}
