/* Matches an answer with the rows of the table. Headers are checked first; the page is read once, when the first row
 * asks for it, and not at all if it cannot be a wall. */
#include "parse/wall/wall_detour.h"
#include "parse/wall/wall_page.h"
#include "parse/wall/wall_table.h"

#include "base/bytes.h"
#include "base/sized.h"

#include <crawl/links.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether the page was read. */
typedef enum wall_body { WALL_UNREAD, WALL_READ, WALL_LEADS_ON } wall_body;

struct crawl_wall_judge {
    cw_walls_page page;
    const cw_walls_row **plain; /* rows that may match a successful answer whose page is none, or leads on: nearly all
                                   answers are such, and the whole table is half of a processor's first-level cache */
    size_t plain_count;
    /* Of the answer being judged: */
    const crawl_wall_answer *answer;
    crawl_slice location;
    crawl_slice media_type;
    wall_body body;
    crawl_err err;
};

const char *crawl_verdict_name(crawl_verdict verdict)
{
    static const char *const names[CRAWL_VERDICT_COUNT] = {
        [CRAWL_VERDICT_CONTENT] = "content",   [CRAWL_VERDICT_CHALLENGE] = "challenge",
        [CRAWL_VERDICT_WALL] = "wall",         [CRAWL_VERDICT_LOGIN] = "login",
        [CRAWL_VERDICT_CONSENT] = "consent",   [CRAWL_VERDICT_PARKED] = "parked",
        [CRAWL_VERDICT_SOFT_404] = "soft-404", [CRAWL_VERDICT_RATE_LIMITED] = "rate-limited",
    };
    return (unsigned)verdict < CRAWL_VERDICT_COUNT ? names[verdict] : "";
}

static bool status_is_good(int status)
{
    return status >= 200 && status < 300;
}

/* Returns true if the row may match a successful answer without reading its page. */
static bool wall_is_plain(const cw_walls_row *row)
{
    bool is_good = !row->statuses[0];
    for (size_t i = 0; i < CW_WALLS_STATUSES; i++)
        is_good = is_good || status_is_good(row->statuses[i]);
    for (size_t i = 0; i < CW_WALLS_SIGNS; i++)
        is_good = is_good && row->signs[i].place < CW_WALLS_ON_TITLE;
    return is_good;
}

crawl_wall_judge *crawl_wall_judge_create(void)
{
    crawl_wall_judge *judge = calloc(1, sizeof *judge);
    const cw_walls_row **plain = calloc(cw_walls_count, sizeof *plain);
    if (!judge || !plain) {
        free(judge);
        free(plain);
        return NULL;
    }
    judge->plain = plain;
    for (size_t i = 0; i < cw_walls_count; i++)
        if (wall_is_plain(&cw_walls_rows[i]))
            plain[judge->plain_count++] = &cw_walls_rows[i];
    return judge;
}

void crawl_wall_judge_free(crawl_wall_judge *judge)
{
    if (!judge)
        return;
    cw_walls_page_free(&judge->page);
    free(judge->plain);
    free(judge);
}

/* ---- what is searched for signs ---- */

static crawl_slice wall_header(const crawl_wall_answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (cw_is_nocase(answer->headers[i].name, name))
            return answer->headers[i].value;
    return (crawl_slice){0};
}

/* Returns true if a wall may have this type of body. */
static bool wall_is_page(const crawl_wall_judge *judge)
{
    return !judge->media_type.size || cw_is_nocase(judge->media_type, "text/html") ||
           cw_is_nocase(judge->media_type, "application/xhtml+xml");
}

static crawl_slice wall_text_of(const crawl_wall_answer *answer)
{
    size_t size = answer->body.size < CRAWL_WALL_MAX_BODY ? answer->body.size : CRAWL_WALL_MAX_BODY;
    return crawl_slice_of(answer->body.data, size);
}

static void wall_look(crawl_wall_judge *judge)
{
    crawl_slice html = wall_text_of(judge->answer);
    bool is_good = status_is_good(judge->answer->status);
    bool is_read = html.size && wall_is_page(judge) && !(is_good && cw_walls_page_leads_on(html));
    if (is_read)
        judge->err = cw_walls_page_read(&judge->page, html);
    bool says_much = is_read && judge->page.text.size > CW_WALLS_MAX_TEXT;
    judge->body = is_read && !judge->err && !(is_good && says_much) ? WALL_READ : WALL_LEADS_ON;
}

/* Reads the page if that was not done yet. NULL: the body is not a page, or in a successful answer one that leads on or
 * has much text. */
static inline const cw_walls_page *wall_read(crawl_wall_judge *judge)
{
    if (judge->body == WALL_UNREAD)
        wall_look(judge);
    return judge->body == WALL_READ ? &judge->page : NULL;
}

/* ---- one sign ---- */

static bool wall_contains(crawl_slice text, const char *wanted)
{
    return text.size && cw_find_text(text, wanted) < text.size;
}

static bool wall_contains_nocase(crawl_slice text, const char *wanted)
{
    size_t size = strlen(wanted);
    for (; text.size >= size; text = cw_drop(text, 1))
        if (cw_starts_nocase(text, wanted))
            return true;
    return false;
}

static bool header_is(const crawl_wall_answer *answer, const cw_walls_sign *sign)
{
    crawl_slice value = wall_header(answer, sign->name);
    return value.data && (!*sign->text || cw_is_nocase(value, sign->text));
}

static bool sets_cookie(const crawl_wall_answer *answer, const char *start)
{
    for (size_t i = 0; i < answer->header_count; i++) {
        crawl_slice value = answer->headers[i].value;
        if (cw_is_nocase(answer->headers[i].name, "set-cookie") && cw_starts_with(value, start) &&
            !cw_ends_with(cw_trim(cw_cut(&value, '=')), "-auth"))
            return true;
    }
    return false;
}

static bool leads_away(const crawl_wall_judge *judge)
{
    crawl_slice host = cw_walls_url_split(judge->location).host;
    return host.size && !cw_equal_nocase(host, cw_walls_url_split(judge->answer->url).host);
}

/* Returns true if the page has the sign; the page must have been read. */
static bool wall_is_on_page(const cw_walls_page *page, const cw_walls_sign *sign)
{
    bool is_short = page->text.size <= CW_WALLS_MAX_TEXT;
    bool is_bare = page->text.size < CW_WALLS_BARE_TEXT;
    switch (sign->place) {
    case CW_WALLS_ON_TITLE:
        return is_short && cw_is(cw_trim(crawl_buf_slice(&page->title)), sign->text);
    case CW_WALLS_ON_TEXT:
        return is_short && wall_contains_nocase(crawl_buf_slice(&page->text), sign->text);
    case CW_WALLS_ON_MARK:
        return wall_contains(crawl_buf_slice(&page->marks), sign->text);
    case CW_WALLS_ON_SCRIPT:
        return wall_contains(crawl_buf_slice(&page->scripts), sign->text);
    case CW_WALLS_ON_BARE:
        return is_bare;
    case CW_WALLS_ON_MUTE:
        return cw_trim(crawl_buf_slice(&page->text)).size == 0;
    case CW_WALLS_ON_FORM:
        return is_bare && wall_contains(crawl_buf_slice(&page->marks), "\nform\n");
    default:
        return false;
    }
}

static bool wall_has(crawl_wall_judge *judge, const cw_walls_sign *sign)
{
    const crawl_wall_answer *answer = judge->answer;
    switch (sign->place) {
    case CW_WALLS_ON_HEADER:
        return header_is(answer, sign);
    case CW_WALLS_ON_COOKIE:
        return sets_cookie(answer, sign->text);
    case CW_WALLS_ON_LOCATION:
        return wall_contains(judge->location, sign->text);
    case CW_WALLS_ON_AWAY:
        return wall_contains(judge->location, sign->text) && leads_away(judge);
    case CW_WALLS_ON_URL:
        return wall_contains(answer->url, sign->text);
    case CW_WALLS_ON_ROOT:
        return cw_walls_url_split(answer->url).path.size <= 1;
    case CW_WALLS_ON_JSON:
        return cw_is_nocase(judge->media_type, "application/json") && wall_contains(wall_text_of(answer), sign->text);
    case CW_WALLS_ON_PLAIN:
        return cw_is_nocase(judge->media_type, "text/plain") &&
               cw_starts_with(cw_trim(wall_text_of(answer)), sign->text);
    default:
        break;
    }
    const cw_walls_page *page = wall_read(judge);
    return page && wall_is_on_page(page, sign);
}

/* ---- the rows ---- */

static bool row_has_status(const cw_walls_row *row, int status)
{
    for (size_t i = 0; i < CW_WALLS_STATUSES && row->statuses[i]; i++)
        if (row->statuses[i] == status)
            return true;
    return !row->statuses[0];
}

static bool row_holds(crawl_wall_judge *judge, const cw_walls_row *row)
{
    if (!row_has_status(row, judge->answer->status))
        return false;
    for (size_t i = 0; i < CW_WALLS_SIGNS && row->signs[i].place; i++)
        if (!wall_has(judge, &row->signs[i]))
            return false;
    return true;
}

/* Describes a sign: its place, and the part of the row's text that a person recognizes. */
static void say_sign(const cw_walls_sign *sign, crawl_wall *out)
{
    static const char *const places[] = {
        [CW_WALLS_ON_HEADER] = "header",    [CW_WALLS_ON_COOKIE] = "cookie", [CW_WALLS_ON_LOCATION] = "redirect to",
        [CW_WALLS_ON_AWAY] = "redirect to", [CW_WALLS_ON_URL] = "URL with",  [CW_WALLS_ON_TITLE] = "title",
        [CW_WALLS_ON_TEXT] = "text",        [CW_WALLS_ON_MARK] = "element",  [CW_WALLS_ON_SCRIPT] = "script",
        [CW_WALLS_ON_JSON] = "JSON",        [CW_WALLS_ON_PLAIN] = "text",
    };
    crawl_slice text = cw_trim(crawl_slice_from(sign->text));
    const char *colon = sign->name ? text.size ? ": " : "" : " ";
    snprintf(out->sign, sizeof out->sign, "%s %s%s%.*s", places[sign->place], sign->name ? sign->name : "",
             sign->name ? colon : "", (int)text.size, text.size ? text.data : "");
}

static void wall_take_row(const cw_walls_row *row, crawl_wall *out)
{
    out->verdict = row->verdict;
    out->service = row->service;
    say_sign(&row->signs[0], out);
}

static void judge_redirect(const crawl_wall_judge *judge, crawl_wall *out)
{
    crawl_verdict verdict =
        judge->location.size ? cw_walls_detour_of(judge->answer->url, judge->location) : CRAWL_VERDICT_CONTENT;
    if (!verdict)
        return;
    out->verdict = verdict;
    snprintf(out->sign, sizeof out->sign, "redirect to %.*s", (int)judge->location.size, judge->location.data);
}

/* Handles 429, and 503 with a Retry-After. */
static void judge_status(const crawl_wall_answer *answer, crawl_wall *out)
{
    enum { TOO_MANY_REQUESTS = 429, UNAVAILABLE = 503 };
    bool asks = wall_header(answer, "retry-after").data != NULL;
    if (answer->status == TOO_MANY_REQUESTS || (answer->status == UNAVAILABLE && asks)) {
        out->verdict = CRAWL_VERDICT_RATE_LIMITED;
        snprintf(out->sign, sizeof out->sign, "status %d", answer->status);
    }
}

/* Only for successful answers: any other is not a page by its own status. */
static void judge_form(crawl_wall_judge *judge, crawl_wall *out)
{
    static const char *const signs[CRAWL_VERDICT_COUNT] = {
        [CRAWL_VERDICT_LOGIN] = "a page with little but one field for a password",
        [CRAWL_VERDICT_CONSENT] = "a form that leads back",
    };
    const cw_walls_page *page = status_is_good(judge->answer->status) ? wall_read(judge) : NULL;
    if (!page)
        return;
    out->verdict = cw_walls_form_of(page, judge->answer->url);
    if (out->verdict)
        snprintf(out->sign, sizeof out->sign, "%s", signs[out->verdict]);
}

static void wall_begin(crawl_wall_judge *judge, const crawl_wall_answer *answer)
{
    bool is_redirect = answer->status >= 300 && answer->status < 400;
    judge->answer = answer;
    judge->location = is_redirect ? wall_header(answer, "location") : (crawl_slice){0};
    judge->media_type = crawl_media_type(wall_header(answer, "content-type"));
    judge->body = WALL_UNREAD;
    judge->err = CRAWL_OK;
}

crawl_err crawl_wall_judge_answer(crawl_wall_judge *judge, const crawl_wall_answer *answer, crawl_wall *out)
{
    crawl_wall_answer own;
    *out = (crawl_wall){.service = ""};
    answer = cw_sized(&own, sizeof own, answer);
    if (!answer)
        return CRAWL_EINVAL;
    wall_begin(judge, answer);
    bool is_plain = status_is_good(answer->status) && !wall_read(judge);
    size_t count = is_plain ? judge->plain_count : cw_walls_count;
    for (size_t i = 0; !judge->err && !out->verdict && i < count; i++) {
        const cw_walls_row *row = is_plain ? judge->plain[i] : &cw_walls_rows[i];
        if (row_holds(judge, row))
            wall_take_row(row, out);
    }
    if (!judge->err && !out->verdict)
        judge_redirect(judge, out);
    if (!judge->err && !out->verdict)
        judge_status(answer, out);
    if (!judge->err && !out->verdict)
        judge_form(judge, out);
    return judge->err;
}

crawl_err crawl_wall_judge_title(crawl_wall_judge *judge, const crawl_wall_answer *answer, crawl_slice title,
                                 crawl_wall *out)
{
    crawl_wall_answer own;
    *out = (crawl_wall){.service = ""};
    answer = cw_sized(&own, sizeof own, answer);
    if (!answer)
        return CRAWL_EINVAL;
    bool is_home = cw_walls_url_split(answer->url).path.size <= 1;
    if (is_home || !status_is_good(answer->status) || !cw_walls_title_is_missing(title))
        return CRAWL_OK;
    wall_begin(judge, answer);
    crawl_err err = cw_walls_page_read(&judge->page, wall_text_of(answer));
    if (!err && judge->page.text.size < CW_WALLS_MISSING_TEXT) {
        out->verdict = CRAWL_VERDICT_SOFT_404;
        snprintf(out->sign, sizeof out->sign, "title %.*s", (int)title.size, title.data);
    }
    return err;
}

/* The challenge signs that are paths are those that begin with a slash. */
bool crawl_wall_is_challenge_path(crawl_slice path)
{
    for (size_t i = 0; i < cw_walls_count; i++) {
        const cw_walls_row *row = &cw_walls_rows[i];
        for (size_t j = 0; row->verdict == CRAWL_VERDICT_CHALLENGE && j < CW_WALLS_SIGNS; j++)
            if (row->signs[j].place && *row->signs[j].text == '/' && cw_starts_with(path, row->signs[j].text))
                return true;
    }
    return false;
}
