#include "tools/audit/audit_demand.h"

#include "base/array.h"
#include "base/bytes.h"
#include "tools/common/tool_options.h"

#include <stdlib.h>

typedef struct cw_audit_demand {
    const char *host; /* "": all */
    size_t host_size;
    int64_t pause_us;
} audit_demand;

void cw_audit_demands_free(cw_audit_demands *demands)
{
    free(demands->pauses);
}

/* Returns true if a demand names this host. "http://a.localhost:80" matches itself and "a.localhost". */
static bool audit_names(const audit_demand *d, crawl_slice host)
{
    if (!d->host_size)
        return true;
    size_t scheme = cw_find_text(host, "://");
    crawl_slice name = scheme < host.size ? cw_drop(host, scheme + 3) : host;
    crawl_slice without_port = crawl_slice_of(name.data, cw_find_last(name, ':'));
    crawl_slice wanted = crawl_slice_of(d->host, d->host_size);
    return crawl_slice_equal(host, wanted) || crawl_slice_equal(name, wanted) ||
           crawl_slice_equal(without_port, wanted);
}

void cw_audit_demands_apply(const cw_audit_demands *demands, cw_audit_request *request)
{
    const audit_demand *found = NULL;
    for (size_t i = 0; i < demands->count; i++)
        if (audit_names(&demands->pauses[i], request->host) &&
            (!found || demands->pauses[i].host_size || !found->host_size))
            found = &demands->pauses[i];
    if (found && found->pause_us > request->pause_us) {
        request->pause_us = found->pause_us;
        request->pause_by = "--delay";
    }
    if (demands->per_host && (!request->limit || demands->per_host < request->limit))
        request->limit = demands->per_host;
}

bool cw_audit_parse_duration(const char *option, const char *text, int64_t *us)
{
    bool is_good = cw_tool_option_number("audit", option, "politeness.delay", text, us);
    *us *= 1000;
    return is_good;
}

bool cw_audit_demands_add(cw_audit_demands *demands, const char *text)
{
    const char *equals = strrchr(text, '=');
    if (CW_ARRAY_RESIZE(demands->pauses, demands->count + 1))
        return false;
    audit_demand *one = &demands->pauses[demands->count];
    *one = (audit_demand){.host = text, .host_size = equals ? (size_t)(equals - text) : 0};
    if (!cw_audit_parse_duration("delay", equals ? equals + 1 : text, &one->pause_us))
        return false;
    demands->count++;
    return true;
}
