#include "redis/fault.h"

#include "base/bytes.h"

static const struct {
    const char *word; /* that the server's error begins with; NULL: not one of its errors */
    const char *words;
    bool passes;
} faults[CRAWL_REDIS_FAULT_COUNT] = {
    [CRAWL_REDIS_OK] = {NULL, "", false},
    [CRAWL_REDIS_UNKNOWN] = {NULL, "the connection was lost before the answer came", false},
    [CRAWL_REDIS_UNSENT] = {NULL, "the request was never sent", false},
    [CRAWL_REDIS_AWAY] = {NULL, "the server cannot be reached", true},
    [CRAWL_REDIS_PROTOCOL] = {NULL, "the answer is none of a Redis server", false},
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

crawl_redis_fault cw_redis_fault_of(crawl_slice text)
{
    crawl_slice word = cw_cut(&text, ' ');
    for (unsigned i = 0; i < CRAWL_REDIS_FAULT_COUNT; i++)
        if (faults[i].word && cw_is(word, faults[i].word))
            return (crawl_redis_fault)i;
    return cw_is(word, "MOVED") || cw_is(word, "ASK") ? CRAWL_REDIS_CLUSTER : CRAWL_REDIS_REFUSED;
}

const char *crawl_redis_fault_words(crawl_redis_fault fault)
{
    return (unsigned)fault < CRAWL_REDIS_FAULT_COUNT ? faults[fault].words : "";
}

bool crawl_redis_fault_passes(crawl_redis_fault fault)
{
    return (unsigned)fault < CRAWL_REDIS_FAULT_COUNT && faults[fault].passes;
}
