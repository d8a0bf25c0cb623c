#include "tools/audit/audit_read.h"

#include "base/bytes.h"
#include "base/text/date_scan.h"
#include "tools/common/io.h"

#include <math.h>
#include <stdlib.h>

void cw_audit_reader_free(cw_audit_reader *reader)
{
    json_decref(reader->row);
    crawl_url_free(reader->url);
    crawl_buf_free(&reader->text);
}

/* ---- records ---- */

/* Larger numbers are not times: this is 36,500 years, and keeps sums far from overflow. */
#define MS_MAX 1.2e15

static crawl_err audit_read_want(crawl_error *error, const char *field, const char *what)
{
    return crawl_error_set(error, CRAWL_EPARSE, "\"%s\": expected %s", field, what);
}

/* Reads a field in milliseconds. If it is null or missing, gives fallback, or an error if that is negative. */
static crawl_err read_ms(const json_t *row, const char *field, int64_t fallback, int64_t *out, crawl_error *error)
{
    const json_t *value = json_object_get(row, field);
    *out = fallback;
    if ((!value || json_is_null(value)) && fallback >= 0)
        return CRAWL_OK;
    double ms = json_number_value(value);
    if (!json_is_number(value) || !(ms >= 0 && ms <= MS_MAX))
        return audit_read_want(error, field, "milliseconds");
    *out = llround(ms * 1000);
    return CRAWL_OK;
}

static crawl_err read_count(const json_t *row, const char *field, int64_t most, int64_t *out, crawl_error *error)
{
    const json_t *value = json_object_get(row, field);
    *out = 0;
    if (!value || json_is_null(value))
        return CRAWL_OK;
    *out = json_integer_value(value);
    if (!json_is_integer(value) || *out < 0 || *out > most)
        return audit_read_want(error, field, "a count");
    return CRAWL_OK;
}

/* Returns a reason as a static word, which needs no copy; "" if unknown. */
static const char *reason_of(const json_t *row, const char *field)
{
    static const char *const words[] = {"delay",       "crawl-delay", "adaptive", "ratelimit",
                                        "retry-after", "backoff",     "given-up", "wall"};
    const char *text = cw_tool_json_field(row, field);
    for (size_t i = 0; text && i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return words[i];
    return "";
}

/* Reads a hold. The time that the host asked for counts, even if the crawl reports another one. */
static crawl_err read_hold(const json_t *row, cw_audit_request *out, crawl_error *error)
{
    int64_t retry_after_us;
    crawl_err err = read_ms(row, "hold_until", 0, &out->hold_until_us, error);
    if (!err)
        err = read_ms(row, "retry_after", 0, &retry_after_us, error);
    if (err)
        return err;
    out->hold_by = reason_of(row, "hold_by");
    if (retry_after_us && out->end_us + retry_after_us > out->hold_until_us) {
        out->hold_until_us = out->end_us + retry_after_us;
        out->hold_by = "retry-after";
    }
    return CRAWL_OK;
}

static crawl_err read_numbers(const json_t *row, cw_audit_event event, cw_audit_request *out, crawl_error *error)
{
    int64_t limit;
    int64_t address_limit;
    int64_t seq;
    crawl_err err = read_ms(row, "start", -1, &out->start_us, error);
    if (!err)
        err = read_ms(row, event == CW_AUDIT_DEPART ? "start" : "end", -1, &out->end_us, error);
    if (!err && out->end_us < out->start_us)
        err = crawl_error_set(error, CRAWL_EPARSE, "\"end\" is before \"start\"");
    if (!err)
        err = read_ms(row, "pause", -1, &out->pause_us, error);
    if (!err)
        err = read_count(row, "limit", UINT32_MAX, &limit, error);
    if (!err)
        err = read_count(row, "seq", INT64_MAX, &seq, error);
    if (!err)
        err = read_count(row, "address_limit", UINT32_MAX, &address_limit, error);
    if (!err && address_limit)
        err = read_ms(row, "address_pause", -1, &out->address_pause_us, error);
    if (err)
        return err;
    out->address_limit = (uint32_t)address_limit;
    out->limit = (uint32_t)limit;
    out->seq = (uint64_t)seq;
    out->pause_by = reason_of(row, "pause_by");
    const json_t *sent = json_object_get(row, "sent");
    out->sent = !sent || json_is_true(sent);
    return read_hold(row, out, error);
}

/* Reads the address to which pause and limit also apply. A group of hosts counts as one address, in place of the real
 * ones. A request that was not sent has none. */
static void read_address(const cw_audit_reader *reader, cw_audit_request *out)
{
    const char *group = cw_tool_json_field(reader->row, "group");
    bool as_host = group || reader->per_ip || json_is_true(json_object_get(reader->row, "per_ip"));
    if (as_host)
        out->address_limit = 0;
    if (group)
        out->ip = out->sent ? crawl_slice_from(group) : (crawl_slice){0};
    else if (as_host || out->address_limit)
        out->ip = crawl_slice_from(cw_tool_json_field(reader->row, "ip"));
}

static crawl_err read_names(cw_audit_reader *reader, cw_audit_request *out, bool *foreign, crawl_error *error)
{
    const char *host = cw_tool_json_field(reader->row, "host");
    const char *url = cw_tool_json_field(reader->row, "url");
    if (!host || !*host)
        return audit_read_want(error, "host", "an origin, as http://example.com");
    if (!reader->url)
        reader->url = crawl_url_create();
    if (!reader->url)
        return CRAWL_ENOMEM;
    crawl_buf_clear(&reader->text);
    crawl_err err = url ? crawl_url_parse(reader->url, crawl_slice_from(url), NULL, NULL) : CRAWL_EPARSE;
    if (!err)
        err = crawl_url_origin(reader->url, &reader->text);
    if (err)
        return err == CRAWL_ENOMEM ? err : audit_read_want(error, "url", "an http or https URL");
    out->host = crawl_slice_from(host);
    *foreign = !crawl_slice_equal(out->host, crawl_buf_slice(&reader->text));
    read_address(reader, out);
    return CRAWL_OK;
}

static crawl_err event_of(const char *name, cw_audit_event *event, crawl_error *error)
{
    static const char *const names[CW_AUDIT_EVENTS] = {[CW_AUDIT_RUN] = "run",
                                                       [CW_AUDIT_DEPART] = "depart",
                                                       [CW_AUDIT_END] = "end",
                                                       [CW_AUDIT_RUN_END] = "run-end",
                                                       [CW_AUDIT_CLOCK] = "clock"};
    for (cw_audit_event one = CW_AUDIT_RUN; name && one < CW_AUDIT_EVENTS; one++)
        if (strcmp(name, names[one]) == 0) {
            *event = one;
            return CRAWL_OK;
        }
    return audit_read_want(error, "event", "run, depart, end, clock or run-end");
}

crawl_err cw_audit_read_event(cw_audit_reader *reader, crawl_slice line, cw_audit_event *event, crawl_error *error)
{
    json_error_t why;
    json_decref(reader->row);
    reader->row = json_loadb(line.data, line.size, 0, &why);
    if (!json_is_object(reader->row))
        return crawl_error_set(error, CRAWL_EPARSE, "%s", reader->row ? "not an object" : why.text);
    return event_of(cw_tool_json_field(reader->row, "event"), event, error);
}

crawl_err cw_audit_read_record(cw_audit_reader *reader, cw_audit_event event, cw_audit_request *out, uint64_t *number,
                               bool *foreign, crawl_error *error)
{
    int64_t counted;
    *out = (cw_audit_request){0};
    crawl_err err = read_numbers(reader->row, event, out, error);
    if (!err)
        err = read_names(reader, out, foreign, error);
    if (!err)
        err = read_count(reader->row, "request", INT64_MAX, &counted, error);
    if (!err && !counted)
        err = audit_read_want(error, "request", "its number");
    if (!err)
        *number = (uint64_t)counted;
    return err;
}

crawl_err cw_audit_read_run(const cw_audit_reader *reader, cw_audit_event event, cw_audit_run *out, crawl_error *error)
{
    int64_t counted;
    bool begins = event == CW_AUDIT_RUN;
    *out = (cw_audit_run){0};
    crawl_err err = read_ms(reader->row, begins ? "start" : "end", -1, &out->at_us, error);
    if (!err)
        err = read_ms(reader->row, "set_back", 0, &out->set_back_us, error);
    if (!err)
        err = read_count(reader->row, begins ? "workers" : "requests", INT64_MAX, &counted, error);
    if (!err)
        out->count = (uint64_t)counted;
    out->is_shared = json_is_true(json_object_get(reader->row, "shared"));
    return err;
}

crawl_err cw_audit_read_clock(const cw_audit_reader *reader, cw_audit_clock *out, crawl_error *error)
{
    int64_t redis_us;
    *out = (cw_audit_clock){0};
    crawl_err err = read_ms(reader->row, "at", -1, &out->at_us, error);
    if (!err)
        err = read_ms(reader->row, "redis", -1, &redis_us, error);
    if (!err)
        err = read_ms(reader->row, "within", -1, &out->within_us, error);
    if (!err)
        out->ahead_us = redis_us - out->at_us;
    return err;
}

/* ---- nginx ---- */

static crawl_slice audit_read_next_field(crawl_slice *rest)
{
    static const char ends[] = "\t ";
    while (rest->size && strchr(ends, *rest->data))
        *rest = crawl_slice_of(rest->data + 1, rest->size - 1);
    bool quoted = rest->size && *rest->data == '[';
    size_t size = 0;
    while (size < rest->size && (quoted ? !size || rest->data[size - 1] != ']' : !strchr(ends, rest->data[size])))
        size++;
    crawl_slice field = crawl_slice_of(rest->data, size);
    *rest = crawl_slice_of(rest->data + size, rest->size - size);
    return field;
}

/* Adds digits to *us. unit: of each digit or, with `falling`, of the first one; each later digit then counts a tenth of
 * the one before. */
static bool audit_read_add_digits(crawl_slice digits, size_t most, int64_t unit, bool falling, int64_t *us)
{
    int64_t value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (i == most || !cw_is_digit((unsigned char)digits.data[i]))
            return false;
        int64_t digit = digits.data[i] - '0';
        value = falling ? value + digit * unit : value * 10 + digit * unit;
        unit = falling ? unit / 10 : unit;
    }
    *us += value;
    return digits.size != 0;
}

/* Reads seconds such as "1763716269.123". */
static bool read_seconds(crawl_slice text, int64_t *us)
{
    const char *point = text.size ? memchr(text.data, '.', text.size) : NULL;
    size_t whole = point ? (size_t)(point - text.data) : text.size;
    *us = 0;
    if (!audit_read_add_digits(crawl_slice_of(text.data, whole), 11, 1000000, false, us))
        return false;
    return !point || audit_read_add_digits(crawl_slice_of(point + 1, text.size - whole - 1), 6, 100000, true, us);
}

/* Reads a time such as "[21/Nov/2026:09:11:09 +0000]". */
static bool read_local_time(crawl_slice text, int64_t *us)
{
    cw_date_parts date;
    if (!cw_date_scan(text, "[%d/%b/%Y:%H:%M:%S %z]", &date))
        return false;
    *us = cw_date_seconds(&date) * 1000000;
    return true;
}

crawl_err cw_audit_read_nginx(crawl_slice line, cw_audit_request *out, bool *whole_seconds, crawl_error *error)
{
    crawl_slice rest = line;
    crawl_slice end = audit_read_next_field(&rest);
    crawl_slice took = audit_read_next_field(&rest);
    int64_t took_us;
    *out = (cw_audit_request){.host = audit_read_next_field(&rest), .pause_by = "delay", .sent = true};
    *whole_seconds = end.size && *end.data == '[';
    if (!(*whole_seconds ? read_local_time(end, &out->end_us) : read_seconds(end, &out->end_us)))
        return crawl_error_set(error, CRAWL_EPARSE, "expected $msec or [$time_local] first: " CW_AUDIT_LOG_FORMAT);
    if (!read_seconds(took, &took_us))
        return crawl_error_set(error, CRAWL_EPARSE, "expected $request_time second: " CW_AUDIT_LOG_FORMAT);
    if (!out->host.size)
        return crawl_error_set(error, CRAWL_EPARSE, "expected $host third: " CW_AUDIT_LOG_FORMAT);
    out->start_us = out->end_us - took_us;
    return CRAWL_OK;
}
