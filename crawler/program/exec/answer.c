#include "crawler/program/exec/answer.h"

#include "base/json/json_read.h"

static bool answer_number(const json_t *object, const char *name, uint64_t *out)
{
    const json_t *value = json_object_get(object, name);
    if (value && (!json_is_integer(value) || json_integer_value(value) < 1))
        return false;
    *out = value ? (uint64_t)json_integer_value(value) : 0;
    return true;
}

static void answer_detail(const json_t *object, cw_exec_answer *out)
{
    enum { USUAL_MS = 1000, LONGEST_MS = 3600000 };
    const json_t *after = json_object_get(object, "after_ms");
    const char *reason = json_string_value(json_object_get(object, "reason"));
    double after_ms = json_is_number(after) ? json_number_value(after) : USUAL_MS;
    out->retry = !json_is_false(json_object_get(object, "retry"));
    out->after_ms = after_ms < 0 ? 0 : after_ms > LONGEST_MS ? LONGEST_MS : (int64_t)after_ms;
    if (reason)
        snprintf(out->reason, sizeof out->reason, "%s", reason);
}

bool cw_exec_answer_read(crawl_slice line, cw_exec_answer *out)
{
    *out = (cw_exec_answer){0};
    json_t *object = cw_json_read(line, NULL);
    bool is_answer = json_is_object(object) && answer_number(object, "ack", &out->ack) &&
                     answer_number(object, "ack_to", &out->ack_to) && answer_number(object, "nack", &out->nack);
    if (is_answer)
        answer_detail(object, out);
    json_decref(object);
    return is_answer;
}
