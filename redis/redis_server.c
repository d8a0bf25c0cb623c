#include "redis/redis_server.h"

#include "base/bytes.h"

#include <stdlib.h>

static void identity_copy_id(crawl_slice text, char id[CW_REDIS_ID_MAX + 1])
{
    size_t size = text.size < CW_REDIS_ID_MAX ? text.size : CW_REDIS_ID_MAX;
    memcpy(id, text.data, size);
    id[size] = '\0';
}

static bool is_zeros(crawl_slice text)
{
    size_t zeros = 0;
    while (zeros < text.size && text.data[zeros] == '0')
        zeros++;
    return zeros == text.size;
}

void cw_redis_identity_read(cw_redis_identity *identity, crawl_slice info)
{
    while (info.size) {
        crawl_slice line = cw_trim(cw_cut_line(&info));
        if (cw_take_text(&line, "run_id:"))
            identity_copy_id(line, identity->run);
        else if (cw_take_text(&line, "master_replid:"))
            identity_copy_id(line, identity->history);
        else if (cw_take_text(&line, "master_replid2:"))
            identity->was_replica = !is_zeros(line);
        else if (cw_take_text(&line, "aof_enabled:"))
            identity->has_log = cw_is(line, "1");
        else if (cw_take_text(&line, "loading:"))
            identity->is_loading = cw_is(line, "1");
    }
}

void cw_redis_identity_read_sync(cw_redis_identity *identity, const crawl_redis_reply *reply)
{
    bool is_always = reply->type == CRAWL_REDIS_ARRAY && reply->count == 2 &&
                     reply->items[1].type == CRAWL_REDIS_TEXT && cw_is(reply->items[1].text, "always");
    identity->is_durable = identity->has_log && is_always;
}

bool cw_redis_identity_went_back(const cw_redis_identity *before, const cw_redis_identity *now)
{
    if (!*before->run || !*now->run)
        return true;
    bool is_same_data = strcmp(before->history, now->history) == 0;
    if (strcmp(before->run, now->run) == 0 && is_same_data)
        return false;
    bool is_kept = before->is_durable && now->is_durable && !(now->was_replica && !is_same_data);
    return !is_kept;
}

crawl_err crawl_redis_check_policy(crawl_slice info, crawl_error *error)
{
    enum { POLICY_MAX = 40 }; /* bytes of it in the message */
    while (info.size) {
        crawl_slice policy = cw_trim(cw_cut_line(&info));
        if (cw_take_text(&policy, "maxmemory_policy:") && cw_starts_with(policy, "allkeys-"))
            return crawl_error_set(
                error, CRAWL_EINVAL,
                "the server drops keys when its memory is full (maxmemory-policy %.*s): set it to noeviction",
                (int)(policy.size < POLICY_MAX ? policy.size : POLICY_MAX), policy.data);
    }
    return CRAWL_OK;
}

enum { FIRST_MS = 100, DOUBLINGS_MAX = 6, LONGEST_MS = 5000 };

int64_t cw_redis_backoff_ms(unsigned failures, uint64_t salt)
{
    unsigned doublings = failures > DOUBLINGS_MAX ? DOUBLINGS_MAX : failures ? failures - 1 : 0;
    int64_t whole = (int64_t)FIRST_MS << doublings;
    whole = whole < LONGEST_MS ? whole : LONGEST_MS;
    return whole / 2 + (int64_t)(salt % (uint64_t)(whole / 2 + 1));
}

cw_redis_clock cw_redis_clock_of(int64_t asked_us, int64_t answered_us, int64_t server_us)
{
    int64_t half = (answered_us - asked_us + 1) / 2;
    return (cw_redis_clock){.known = true, .offset_us = server_us - asked_us - half, .bound_us = half};
}

bool cw_redis_time_read(const crawl_redis_reply *reply, int64_t *out)
{
    if (reply->type != CRAWL_REDIS_ARRAY || reply->count != 2 || reply->items[0].type != CRAWL_REDIS_TEXT ||
        reply->items[1].type != CRAWL_REDIS_TEXT)
        return false;
    long long seconds = strtoll(reply->items[0].text.data, NULL, 10);
    long long rest = strtoll(reply->items[1].text.data, NULL, 10);
    bool sane = seconds > 0 && seconds < INT64_MAX / 2000000 && rest >= 0 && rest < 1000000;
    *out = sane ? seconds * 1000000 + rest : 0;
    return sane;
}

static const struct {
    const char *word; /* the first word of the server's error; NULL: not one of its errors */
    const char *words;
    bool passes;
} faults[CRAWL_REDIS_FAULT_COUNT] = {
    [CRAWL_REDIS_OK] = {NULL, "", false},
    [CRAWL_REDIS_UNKNOWN] = {NULL, "the connection was lost before the answer came", false},
    [CRAWL_REDIS_UNSENT] = {NULL, "the request was never sent", false},
    [CRAWL_REDIS_AWAY] = {NULL, "the server cannot be reached", true},
    [CRAWL_REDIS_PROTOCOL] = {NULL, "the answer is not from a Redis server", false},
    [CRAWL_REDIS_LOADING] = {"LOADING", "the server is reading its data from the disk", true},
    [CRAWL_REDIS_BUSY] = {"BUSY", "the server is running a long script", true},
    [CRAWL_REDIS_TRYAGAIN] = {"TRYAGAIN", "keys are being moved to another node", true},
    [CRAWL_REDIS_MASTERDOWN] = {"MASTERDOWN", "the server is a replica that has lost its master", true},
    [CRAWL_REDIS_READONLY] = {"READONLY", "the server is a replica and takes no writes", true},
    [CRAWL_REDIS_MISCONF] = {"MISCONF", "the server cannot save to its disk and takes no writes", true},
    [CRAWL_REDIS_NOREPLICAS] = {"NOREPLICAS", "the server has too few replicas to take writes", true},
    [CRAWL_REDIS_OOM] = {"OOM", "the server is out of memory (maxmemory is reached)", false},
    [CRAWL_REDIS_NOAUTH] = {"NOAUTH", "the server wants a password", false},
    [CRAWL_REDIS_WRONGPASS] = {"WRONGPASS", "the user or the password is wrong", false},
    [CRAWL_REDIS_NOPERM] = {"NOPERM", "the user has no permission for this", false},
    [CRAWL_REDIS_WRONGTYPE] = {"WRONGTYPE", "the key holds another kind of value", false},
    [CRAWL_REDIS_CLUSTER] = {"CLUSTERDOWN", "the cluster is down, or has no node for this", true},
    [CRAWL_REDIS_NOSCRIPT] = {"NOSCRIPT", "the server does not know the script", false},
    [CRAWL_REDIS_REFUSED] = {NULL, "the server refuses this", false},
};

/* Returns REFUSED for a word that is not in the table. */
static crawl_redis_fault redis_server_fault_of_word(crawl_slice text)
{
    crawl_slice word = cw_cut(&text, ' ');
    for (unsigned i = 0; i < CRAWL_REDIS_FAULT_COUNT; i++)
        if (faults[i].word && cw_is(word, faults[i].word))
            return (crawl_redis_fault)i;
    return cw_is(word, "MOVED") || cw_is(word, "ASK") ? CRAWL_REDIS_CLUSTER : CRAWL_REDIS_REFUSED;
}

/* Before an error within a script, Redis 6 says where the script is:
 *     ERR Error running script (call to f_...): @user_script:31: @user_script: 31: -READONLY You can't write ... */
static crawl_redis_fault redis_server_fault_of_script(crawl_slice text)
{
    crawl_redis_fault fault = CRAWL_REDIS_REFUSED;
    while (fault == CRAWL_REDIS_REFUSED && text.size) {
        text = cw_drop(text, cw_find_text(text, ": "));
        (void)cw_take_text(&text, ": ");
        (void)cw_take_text(&text, "-");
        fault = redis_server_fault_of_word(text);
    }
    return fault;
}

crawl_redis_fault cw_redis_fault_of(crawl_slice text)
{
    if (cw_starts_with(text, "ERR max number of clients")) /* said to a new connection, which is then closed */
        return CRAWL_REDIS_AWAY;
    if (cw_starts_with(text, "ERR AUTH ")) /* it has no password */
        return CRAWL_REDIS_WRONGPASS;
    /* A server that has become a replica ends a WAIT under way, and refuses the next. */
    if (cw_starts_with(text, "ERR WAIT cannot be used with replica") || cw_starts_with(text, "UNBLOCKED "))
        return CRAWL_REDIS_READONLY;
    bool is_of_script = cw_starts_with(text, "ERR Error running script");
    return is_of_script ? redis_server_fault_of_script(text) : redis_server_fault_of_word(text);
}

const char *crawl_redis_fault_words(crawl_redis_fault fault)
{
    return (unsigned)fault < CRAWL_REDIS_FAULT_COUNT ? faults[fault].words : "";
}

bool crawl_redis_fault_passes(crawl_redis_fault fault)
{
    return (unsigned)fault < CRAWL_REDIS_FAULT_COUNT && faults[fault].passes;
}
