/* Query parameters, and session ids in paths, that are dropped from a canonical form.
 *
 * The names of a list are escaped as in canonical queries, so that a written pair is compared directly and nothing is
 * decoded. Exact names are sorted for bisection; prefixes are few and tried one by one. */
#include "parse/canonical/canonical.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/text/escape.h"
#include "base/text/percent.h"

#include <stdlib.h>

typedef struct name_list {
    crawl_slice *names;
    size_t count;
} name_list;

struct crawl_drop_params {
    name_list exact;
    name_list prefixes;
    bool sessions;
    crawl_buf text; /* of all names */
};

/* Parameters that carry session ids. Names with other meanings as well need a value that looks like one. */
static const struct {
    const char *name;
    bool prefix;
    bool looked_at;
} session_names[] = {
    {"jsessionid", false, false},
    {"phpsessid", false, false},
    {"aspsessionid", true, false},
    {"cfid", false, false},
    {"asp.net_sessionid", false, false},
    {"sap-sessionid", false, false},
    {"cftoken", false, false},
    {"sid", false, true},
    {"sessid", false, true},
    {"sessionid", false, true},
    {"session_id", false, true},
    {"session-id", false, true},
    {"zenid", false, true},
    {"oscsid", false, true},
    {"xtcsid", false, true},
};

/* Parameters that tell a site where its visitors come from, by the campaigns of advertisers and mailers. */
static const char tracking_names[] =
    "utm_* gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid twclid ttclid igshid li_fat_id "
    "mc_cid mc_eid _ga _gl _hsenc _hsmi "
    "mkt_tok oly_anon_id oly_enc_id vero_id wickedid s_cid pk_* mtm_* hsa_*";

/* Returns true for sixteen or more letters and digits, at least one of them a digit: not a word and not a small
 * number. */
static bool looks_like_session(crawl_slice value)
{
    enum { LEAST = 16 };
    bool digit = false;
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        if (!cw_is_alnum(c) && c != '-')
            return false;
        digit |= cw_is_digit(c);
    }
    return digit && value.size >= LEAST;
}

static bool is_session(crawl_slice name, crawl_slice value)
{
    for (size_t i = 0; i < sizeof session_names / sizeof *session_names; i++) {
        const char *known = session_names[i].name;
        if (session_names[i].prefix ? cw_starts_nocase(name, known) : cw_is_nocase(name, known))
            return !session_names[i].looked_at || looks_like_session(value);
    }
    return false;
}

static int drop_params_compare_names(const void *a, const void *b)
{
    const crawl_slice *x = a;
    const crawl_slice *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->data, y->data, x->size);
}

static bool drop_params_has_prefix(const name_list *prefixes, crawl_slice name)
{
    for (size_t i = 0; i < prefixes->count; i++) {
        crawl_slice prefix = prefixes->names[i];
        if (name.size >= prefix.size && crawl_slice_equal(crawl_slice_of(name.data, prefix.size), prefix))
            return true;
    }
    return false;
}

bool cw_canonical_drops(const crawl_drop_params *params, crawl_slice name, crawl_slice value)
{
    const name_list *exact = &params->exact;
    if (exact->count && bsearch(&name, exact->names, exact->count, sizeof name, drop_params_compare_names))
        return true;
    return drop_params_has_prefix(&params->prefixes, name) || (params->sessions && is_session(name, value));
}

bool cw_canonical_drops_sessions(const crawl_drop_params *params)
{
    return params->sessions;
}

static crawl_err drop_params_add_name(crawl_drop_params *params, name_list *list, crawl_slice name)
{
    char *start = params->text.data + params->text.size;
    char *end = cw_percent_form(start, name.data, name.data + name.size);
    params->text.size = (size_t)(end - params->text.data);
    if (CW_ARRAY_RESIZE(list->names, list->count + 1))
        return CRAWL_ENOMEM;
    list->names[list->count++] = crawl_slice_of(start, (size_t)(end - start));
    return CRAWL_OK;
}

static crawl_err drop_params_refuse(crawl_slice word, const char *why, crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EPARSE, "%s: %s", cw_excerpt_of(word).text, why);
}

static crawl_err add_word(crawl_drop_params *params, crawl_slice word, crawl_error *error)
{
    const char *star = memchr(word.data, '*', word.size);
    if (word.data[0] == '@') {
        params->sessions |= cw_is(word, "@sessions");
        bool known = cw_is(word, "@sessions") || cw_is(word, "@tracking");
        return known ? CRAWL_OK : drop_params_refuse(word, "expected @sessions or @tracking", error);
    }
    if (star && (word.size == 1 || star + 1 != word.data + word.size))
        return drop_params_refuse(word, "expected a name, or the beginning of names and one *", error);
    crawl_err err = star ? drop_params_add_name(params, &params->prefixes, crawl_slice_of(word.data, word.size - 1))
                         : drop_params_add_name(params, &params->exact, word);
    return err ? cw_error(error, err) : CRAWL_OK;
}

static crawl_err add_list(crawl_drop_params *params, crawl_slice list, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    for (crawl_slice word = cw_take_word(&list, true); word.size && !err; word = cw_take_word(&list, true)) {
        err = add_word(params, word, error);
        if (!err && cw_is(word, "@tracking"))
            err = add_list(params, crawl_slice_from(tracking_names), error);
    }
    return err;
}

/* The text never grows after this, since names are slices of it. "@tracking" may be repeated any number of times. */
static crawl_err reserve_text(crawl_drop_params *params, crawl_slice list)
{
    size_t words = list.size / (sizeof "@tracking" - 1);
    return crawl_buf_reserve(&params->text, 3 * list.size + words * sizeof tracking_names + 1);
}

crawl_err crawl_drop_params_create(crawl_slice list, crawl_drop_params **out, crawl_error *error)
{
    crawl_drop_params *params = calloc(1, sizeof *params);
    if (!list.size)
        list = crawl_slice_from("");
    if (!params || reserve_text(params, list)) {
        crawl_drop_params_free(params);
        return cw_error(error, CRAWL_ENOMEM);
    }
    crawl_err err = add_list(params, list, error);
    if (err) {
        crawl_drop_params_free(params);
        return err;
    }
    if (params->exact.count)
        qsort(params->exact.names, params->exact.count, sizeof *params->exact.names, drop_params_compare_names);
    *out = params;
    return CRAWL_OK;
}

void crawl_drop_params_free(crawl_drop_params *params)
{
    if (!params)
        return;
    free(params->exact.names);
    free(params->prefixes.names);
    crawl_buf_free(&params->text);
    free(params);
}

/* Returns true if path ends in a segment "." or "..": removing a session id must not turn the rest into a step through
 * the tree. */
static bool ends_in_dots(const char *path, size_t size)
{
    size_t dots = 0;
    while (dots < size && path[size - 1 - dots] == '.')
        dots++;
    return (dots == 1 || dots == 2) && (dots == size || path[size - 1 - dots] == '/');
}

static size_t strip_jsessionid(char *path, size_t size)
{
    size_t kept = 0;
    for (size_t at = 0; at < size;) {
        bool session = path[at] == ';' && cw_starts_nocase(crawl_slice_of(path + at, size - at), ";jsessionid=");
        if (!session || ends_in_dots(path, kept)) {
            path[kept++] = path[at++];
            continue;
        }
        for (at++; at < size && path[at] != ';' && path[at] != '/';)
            at++;
    }
    return kept;
}

bool cw_canonical_is_id(const char *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!cw_is_alnum((unsigned char)at[i]))
            return false;
    return true;
}

bool cw_canonical_is_asp_session(crawl_slice segment)
{
    enum { ID = 24, ITEM = ID + 3 };
    const char *at = segment.data;
    size_t size = segment.size;
    if (size < ITEM + 2 || (size - 2) % ITEM || at[0] != '(' || at[size - 1] != ')')
        return false;
    for (size_t i = 1; i + 1 < size; i += ITEM)
        if (!cw_is_alpha((unsigned char)at[i]) || at[i + 1] != '(' || at[i + ITEM - 1] != ')' ||
            !cw_canonical_is_id(at + i + 2, ID))
            return false;
    return true;
}

/* Examines each segment with the "/" before it. The last one is a file. */
static size_t strip_asp(char *path, size_t size)
{
    size_t kept = 0;
    for (size_t at = 0; at < size;) {
        const char *next = memchr(path + at + 1, '/', size - at - 1);
        size_t end = next ? (size_t)(next - path) : size;
        if (!next || !cw_canonical_is_asp_session(crawl_slice_of(path + at + 1, end - at - 1))) {
            memmove(path + kept, path + at, end - at);
            kept += end - at;
        }
        at = end;
    }
    return kept;
}

size_t cw_canonical_strip_sessions(char *path, size_t size)
{
    return strip_asp(path, strip_jsessionid(path, size));
}
