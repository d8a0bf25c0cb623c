#include "crawler/engine/visit/again/rate_headers.h"

#include "base/json/pick.h"
#include "base/structured.h"
#include "base/text/http_date.h"
#include "base/utf8.h"

enum {
    MAX_FIELD = 2048,    /* the longest field, its lines joined; a longer one is ignored */
    MAX_DIGITS = 15,     /* of a number, as in structured fields */
    MS = 1000,           /* in a second, and microseconds in a millisecond */
    MAX_WINDOW_S = 3600, /* over a longer time requests are not spread: they may be used as they come */
    MAX_HOLD_S = 366 * 24 * 3600,
    MAX_PROBLEM = 64 * 1024, /* the largest body that says which policies were violated; a larger one is not read */
    POLICY_BITS = 64         /* of cw_host_quota.told */
};

bool cw_visit_rate_is_told(const crawl_response *response)
{
    bool is_told = false;
    for (size_t i = 0; i < response->header_count && !is_told; i++) {
        crawl_slice name = response->headers[i].name;
        is_told = cw_starts_nocase(name, "RateLimit") || cw_starts_nocase(name, "X-Rate");
    }
    return is_told;
}

/* ---- the strictest part ---- */

static int64_t rate_pause_of(int64_t window_us, int64_t left)
{
    return window_us / (left + 1);
}

/* Notes that a policy leaves this many requests for this long; negative: no time given. */
static void rate_take(cw_host_quota *quota, unsigned policy, int64_t left, int64_t ms)
{
    quota->told |= (uint64_t)1 << policy;
    int64_t most_s = left ? MAX_WINDOW_S : MAX_HOLD_S;
    int64_t us = (ms < most_s * MS ? ms : most_s * MS) * MS;
    if (ms < 0)
        return;
    if (!left) {
        quota->spent_us = us > quota->spent_us ? us : quota->spent_us;
    } else if (rate_pause_of(us, left) > rate_pause_of(quota->window_us, quota->left)) {
        quota->window_us = us;
        quota->left = left;
        quota->policy = (uint8_t)policy;
    }
}

static void rate_take_at_once(cw_host_quota *quota, int64_t spare)
{
    if (!quota->tells_at_once || spare < quota->spare)
        quota->spare = spare;
    quota->tells_at_once = true;
}

/* ---- fields ---- */

static void rate_join(crawl_slice *field, char *room, crawl_slice line)
{
    if (field->data != room)
        memcpy(room, field->data, field->size);
    memcpy(room + field->size, ", ", 2);
    if (line.size)
        memcpy(room + field->size + 2, line.data, line.size);
    *field = crawl_slice_of(room, field->size + 2 + line.size);
}

/* Returns the field. Several lines are joined in room, which must have MAX_FIELD bytes. Empty: none, or too long. */
static crawl_slice rate_field(const crawl_response *response, const char *name, char *room)
{
    crawl_slice field = {0};
    for (size_t i = 0; i < response->header_count; i++) {
        const crawl_header *line = &response->headers[i];
        if (!cw_is_nocase(line->name, name))
            continue;
        if (field.size + 2 + line->value.size > MAX_FIELD)
            return (crawl_slice){0};
        if (field.size)
            rate_join(&field, room, line->value);
        else
            field = line->value;
    }
    return field;
}

/* Reads an Integer of 0 or more. */
static bool rate_count(const cw_structured_value *value, int64_t *out)
{
    *out = value->number;
    return value->type == CW_STRUCTURED_INTEGER && value->number >= 0;
}

/* Likewise, from a parameter; also false if there is none. */
static bool rate_parameter(crawl_slice parameters, const char *key, int64_t *out)
{
    cw_structured_value value;
    return cw_structured_find(parameters, key, &value) && rate_count(&value, out);
}

/* ---- RateLimit ---- */

/* The unit that a policy counts; the words are the draft's. */
typedef enum rate_unit { RATE_REQUESTS, RATE_BYTES, RATE_AT_ONCE, RATE_UNKNOWN } rate_unit;
static const char *const rate_units[] = {"requests", "content-bytes", "concurrent-requests"};

typedef struct rate_policy {
    rate_unit unit;
    int64_t window_s; /* -1: none */
} rate_policy;

/* Returns the key of a partition as written; without data: none. */
static crawl_slice rate_partition(crawl_slice parameters)
{
    cw_structured_value value;
    return cw_structured_find(parameters, "pk", &value) ? value.text : (crawl_slice){0};
}

static bool rate_has_name(const cw_structured_item *item)
{
    cw_structured_value value;
    bool has_key = cw_structured_find(item->parameters, "pk", &value);
    return item->value.type == CW_STRUCTURED_STRING && (!has_key || value.type == CW_STRUCTURED_BYTES);
}

/* Returns true if the item is a limit as the draft describes it. */
static bool rate_is_limit(const cw_structured_item *item)
{
    int64_t number;
    cw_structured_value value;
    bool has_time = cw_structured_find(item->parameters, "t", &value);
    return rate_has_name(item) && rate_parameter(item->parameters, "r", &number) &&
           (!has_time || rate_count(&value, &number));
}

/* Returns true if the item is a policy as the draft describes it. */
static bool rate_is_policy(const cw_structured_item *item)
{
    int64_t number;
    return rate_has_name(item) && rate_parameter(item->parameters, "q", &number);
}

/* Begins to read a List of such items. False: one of them is malformed, and the field says nothing. */
static bool rate_open(crawl_slice field, bool (*is_one)(const cw_structured_item *item), cw_structured *at)
{
    cw_structured_item item;
    if (!cw_structured_open(field, CW_STRUCTURED_LIST, at))
        return false;
    for (cw_structured look = *at; cw_structured_next(&look, &item);)
        if (!is_one(&item))
            return false;
    return true;
}

/* Returns the bit that stands for a policy of this name for this partition. A few policies share a bit, and count as
 * one. */
static unsigned rate_bit(const cw_structured_item *item)
{
    return (cw_fnv1a(item->value.text) * 31 ^ cw_fnv1a(rate_partition(item->parameters))) % POLICY_BITS;
}

static rate_unit rate_unit_of(crawl_slice parameters)
{
    cw_structured_value value;
    rate_unit unit = RATE_REQUESTS;
    if (!cw_structured_find(parameters, "qu", &value))
        return unit;
    while (unit < RATE_UNKNOWN && (value.type != CW_STRUCTURED_STRING || !cw_is(value.text, rate_units[unit])))
        unit++;
    return unit;
}

static rate_policy rate_policy_read(const cw_structured_item *item)
{
    rate_policy policy = {.unit = rate_unit_of(item->parameters)};
    if (!rate_parameter(item->parameters, "w", &policy.window_s))
        policy.window_s = -1;
    return policy;
}

/* Returns true if this policy is the limit's: it has the same name, and the same partition if both name one. A String
 * can be written in only one way. */
static bool rate_is_policy_of(const cw_structured_item *policy, const cw_structured_item *limit)
{
    crawl_slice one = rate_partition(policy->parameters);
    crawl_slice other = rate_partition(limit->parameters);
    return crawl_slice_equal(policy->value.text, limit->value.text) &&
           (!one.data || !other.data || crawl_slice_equal(one, other));
}

static rate_policy rate_policy_of(crawl_slice policies, const cw_structured_item *limit)
{
    cw_structured at;
    cw_structured_item item;
    rate_policy policy = {.window_s = -1};
    if (!rate_open(policies, rate_is_policy, &at))
        return policy;
    while (cw_structured_next(&at, &item))
        if (rate_is_policy_of(&item, limit))
            policy = rate_policy_read(&item);
    return policy;
}

static void rate_take_limit(cw_host_quota *quota, const cw_structured_item *item, crawl_slice policies)
{
    int64_t left = 0;
    int64_t seconds = -1;
    const rate_policy policy = rate_policy_of(policies, item);
    (void)rate_parameter(item->parameters, "r", &left);
    bool has_time = rate_parameter(item->parameters, "t", &seconds);
    if (!has_time && !left)
        seconds = policy.window_s;
    if (policy.unit == RATE_AT_ONCE)
        rate_take_at_once(quota, left);
    else if (policy.unit == RATE_REQUESTS || (policy.unit == RATE_BYTES && !left))
        rate_take(quota, rate_bit(item), left, seconds * MS);
}

/* "default";r=50;t=30 */
static bool rate_read_list(cw_host_quota *quota, crawl_slice field, crawl_slice policies)
{
    cw_structured at;
    cw_structured_item item;
    if (!rate_open(field, rate_is_limit, &at))
        return false;
    while (cw_structured_next(&at, &item))
        rate_take_limit(quota, &item, policies);
    return true;
}

/* limit=100, remaining=50, reset=5 */
static void rate_read_dictionary(cw_host_quota *quota, crawl_slice field)
{
    cw_structured at;
    cw_structured_item remaining;
    cw_structured_item reset;
    int64_t left;
    int64_t seconds;
    if (!cw_structured_open(field, CW_STRUCTURED_DICTIONARY, &at))
        return;
    if (!cw_structured_member(at, "remaining", &remaining) || !cw_structured_member(at, "reset", &reset))
        return;
    if (rate_count(&remaining.value, &left) && rate_count(&reset.value, &seconds))
        rate_take(quota, 0, left, seconds * MS);
}

static void rate_read_limits(cw_host_quota *quota, const crawl_response *response)
{
    char room[MAX_FIELD];
    char policy_room[MAX_FIELD];
    crawl_slice field = rate_field(response, "RateLimit", room);
    if (field.size && !rate_read_list(quota, field, rate_field(response, "RateLimit-Policy", policy_room)))
        rate_read_dictionary(quota, field);
}

/* ---- one header per number ---- */

typedef struct rate_family {
    const char *remaining;
    const char *reset;
    const char *reset_after;
    bool is_known; /* a draft describes it: the remaining requests are spread over the time */
} rate_family;

static const rate_family rate_families[] = {
    {"RateLimit-Remaining", "RateLimit-Reset", NULL, true},
    {"X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After", false},
    {"X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Rate-Limit-Reset-After", false},
    {"X-RateLimit-Requests-Remaining", "X-RateLimit-Requests-Reset", "X-RateLimit-Requests-Reset-After", false},
};

/* Reads "12" or "12.345" as thousandths. False: not such a number. */
static bool rate_thousandths(crawl_slice text, int64_t *out)
{
    crawl_slice whole = cw_take(&text, cw_count_digits(text));
    int64_t value = 0;
    if (!whole.size || whole.size > MAX_DIGITS)
        return false;
    for (size_t i = 0; i < whole.size; i++)
        value = value * 10 + (whole.data[i] - '0');
    bool has_point = cw_take_text(&text, ".");
    crawl_slice fraction = cw_take(&text, cw_count_digits(text));
    for (size_t i = 0; i < 3; i++)
        value = value * 10 + (i < fraction.size ? fraction.data[i] - '0' : 0);
    *out = value;
    return !text.size && has_point == (fraction.size > 0);
}

/* Returns the milliseconds until a Reset: a date, or a number that counts, according to its size, milliseconds or
 * seconds since 1970, or seconds from now. -1: none of these. */
static int64_t rate_reset_ms(crawl_slice value, int64_t wall_ms)
{
    const int64_t first_date_s = 1000000000;           /* a day of 2001 */
    const int64_t first_date_ms = 1000 * first_date_s; /* likewise */
    int64_t ms;
    value = cw_trim(value);
    if (rate_thousandths(value, &ms)) {
        bool is_in_ms = ms / MS > first_date_ms;
        bool is_date = ms / MS > first_date_s;
        ms = (is_in_ms ? ms / MS : ms) - (is_date ? wall_ms : 0);
    } else if (cw_http_date(value, wall_ms, &ms)) {
        ms -= wall_ms;
    } else {
        return -1;
    }
    return ms > 0 ? ms : 0;
}

static void rate_read_family(cw_host_quota *quota, const crawl_response *response, const rate_family *family,
                             int64_t wall_ms)
{
    int64_t left;
    crawl_slice remaining = cw_trim(crawl_response_header(response, family->remaining));
    crawl_slice after = family->reset_after ? crawl_response_header(response, family->reset_after) : (crawl_slice){0};
    crawl_slice reset = after.data ? after : crawl_response_header(response, family->reset);
    if (!remaining.size || cw_count_digits(remaining) != remaining.size || !rate_thousandths(remaining, &left))
        return;
    left /= MS;
    int64_t ms = rate_reset_ms(reset, wall_ms);
    if (!left || family->is_known) {
        rate_take(quota, 0, left, ms);
    } else if (ms > 0 && (!quota->allowed || left < quota->allowed)) {
        quota->allowed = left;
        quota->allowed_us = (ms < MAX_WINDOW_S * MS ? ms : MAX_WINDOW_S * MS) * MS;
    }
}

/* ---- problem details ---- */

/* Returns true for one of the problems (RFC 9457) that the draft describes. */
static bool rate_is_problem(const crawl_response *response, const cw_json_value *type)
{
    static const char *const names[] = {"quota-exceeded", "temporary-reduced-capacity", "abnormal-usage-detected"};
    crawl_slice media = crawl_response_header(response, "Content-Type");
    crawl_slice name = type->bytes;
    media = cw_trim(cw_cut(&media, ';'));
    return cw_is_nocase(media, "application/problem+json") && type->kind == CW_JSON_STRING &&
           cw_take_text(&name, "https://iana.org/assignments/http-problem-types#") &&
           cw_is_among(name, names, sizeof names / sizeof *names);
}

/* Notes that nothing is left for the windows of the policies of this name. */
static void rate_take_violated(cw_host_quota *quota, crawl_slice name, crawl_slice policies)
{
    cw_structured at;
    cw_structured_item item;
    if (!rate_open(policies, rate_is_policy, &at))
        return;
    while (cw_structured_next(&at, &item)) {
        const rate_policy policy = rate_policy_read(&item);
        if (crawl_slice_equal(item.value.text, name) && policy.unit <= RATE_BYTES)
            rate_take(quota, rate_bit(&item), 0, policy.window_s * MS);
    }
}

/* Reads the policies that a request has violated, according to the body: nothing is left of them. */
static void rate_read_problem(cw_host_quota *quota, const crawl_response *response)
{
    enum { TYPE, VIOLATED, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("type"), CW_JSON_NAME("violated-policies")};
    cw_json_value values[COUNT];
    cw_json_value one;
    char room[MAX_FIELD];
    crawl_slice policies = rate_field(response, "RateLimit-Policy", room);
    bool is_short = response->body.size && response->body.size <= MAX_PROBLEM;
    if (!policies.size || !is_short || cw_utf8_valid_prefix(response->body) < response->body.size ||
        !cw_json_pick(response->body, names, COUNT, values) || !rate_is_problem(response, &values[TYPE]) ||
        values[VIOLATED].kind != CW_JSON_ARRAY)
        return;
    while (cw_json_next_element(&values[VIOLATED].bytes, &one))
        if (one.kind == CW_JSON_STRING && !one.has_escapes)
            rate_take_violated(quota, one.bytes, policies);
}

/* ---- everything together ---- */

static bool rate_is_from_cache(const crawl_response *response)
{
    int64_t age;
    return rate_thousandths(cw_trim(crawl_response_header(response, "Age")), &age) && age > 0;
}

cw_host_quota cw_visit_rate_read(const crawl_response *response, int64_t wall_ms)
{
    cw_host_quota quota = {0};
    if (rate_is_from_cache(response))
        return quota;
    rate_read_limits(&quota, response);
    for (size_t i = 0; i < sizeof rate_families / sizeof *rate_families; i++)
        rate_read_family(&quota, response, &rate_families[i], wall_ms);
    if (!quota.spent_us && (response->status == 429 || response->status == 503))
        rate_read_problem(&quota, response);
    return quota;
}
