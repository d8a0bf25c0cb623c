#include "tools/audit/audit_demand.h"

#include "base/array.h"
#include "base/bytes.h"
#include "tools/common/tool_options.h"

#include <stdlib.h>

typedef struct cw_audit_demand {
    const char *text; /* of the option, which begins with the host */
    size_t host_size; /* 0: all hosts */
    bool is_met;      /* a request was to the host */
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
    crawl_slice wanted = crawl_slice_of(d->text, d->host_size);
    return crawl_slice_equal(host, wanted) || crawl_slice_equal(name, wanted) ||
           crawl_slice_equal(without_port, wanted);
}

void cw_audit_demands_apply(cw_audit_demands *demands, cw_audit_request *request)
{
    const audit_demand *found = NULL;
    for (size_t i = 0; i < demands->count; i++) {
        audit_demand *one = &demands->pauses[i];
        if (!audit_names(one, request->host))
            continue;
        one->is_met = true;
        if (!found || one->host_size || !found->host_size)
            found = one;
    }
    if (found && found->pause_us > request->pause_us) {
        request->pause_us = found->pause_us;
        request->pause_by = "--delay";
    }
    if (demands->per_host && (!request->limit || demands->per_host < request->limit))
        request->limit = demands->per_host;
}

const char *cw_audit_demands_unmet(const cw_audit_demands *demands)
{
    for (size_t i = 0; i < demands->count; i++)
        if (demands->pauses[i].host_size && !demands->pauses[i].is_met)
            return demands->pauses[i].text;
    return NULL;
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
    *one = (audit_demand){.text = text, .host_size = equals ? (size_t)(equals - text) : 0};
    if (!cw_audit_parse_duration("delay", equals ? equals + 1 : text, &one->pause_us))
        return false;
    demands->count++;
    return true;
}
