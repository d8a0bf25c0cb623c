#include "tools/mcp/holds.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "tools/mcp/outgoing.h"

/* Returns the ms until the host may be asked. */
static int64_t holds_of(const cw_mcp_server *server, const char *host)
{
    return cw_most(0, json_integer_value(json_object_get(server->holds, host)) - cw_wall_ms());
}

/* Returns the host of the job that waits longest, or shortest. NULL: none has to wait. */
static const char *holds_find(const cw_mcp_job *job, bool shortest, int64_t *wait)
{
    const char *found = NULL;
    const json_t *host;
    size_t i;
    *wait = 0;
    json_array_foreach(job->hosts, i, host)
    {
        int64_t own = holds_of(job->server, json_string_value(host));
        if (i && (shortest ? own >= *wait : own <= *wait))
            continue;
        *wait = own;
        found = json_string_value(host);
    }
    return *wait ? found : NULL;
}

static void holds_write(const char *host, int64_t wait, char words[400])
{
    snprintf(words, 400, "%.300s asked to wait %lld s", host, (long long)(wait + 999) / 1000);
}

int64_t cw_mcp_holds_wait(const cw_mcp_job *job)
{
    int64_t wait;
    (void)holds_find(job, cw_mcp_word(job, "handle", NULL), &wait);
    return wait;
}

bool cw_mcp_holds_refuse(cw_mcp_job *job)
{
    char words[400];
    int64_t wait;
    const char *host = holds_find(job, cw_mcp_word(job, "handle", NULL), &wait);
    if (wait <= job->wanted.ms)
        return false;
    holds_write(host, wait, words);
    cw_mcp_refuse(job, "%s: it is not asked before.", words);
    return true;
}

void cw_mcp_holds_tell(const cw_mcp_job *job, json_t *facts)
{
    char words[400];
    int64_t wait;
    const char *host = holds_find(job, false, &wait);
    if (!host)
        return;
    holds_write(host, wait, words);
    json_object_set_new(facts, "held", json_string(words));
}
