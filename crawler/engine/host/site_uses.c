/* Statements of a site on the use of its pages: those of its robots.txt, and of its tdmrep.json. See sites.h. */
#include "crawler/engine/host/site_parts.h"

crawl_err cw_host_sites_preferences(cw_host_sites *sites, cw_host_record *host, const crawl_url *url,
                                    crawl_preferences *preferences)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    if (one->robots)
        err = crawl_preferences_add_robots(preferences, one->robots, url);
    if (!err && one->tdmrep)
        err = crawl_preferences_add_tdmrep(preferences, one->tdmrep, url);
    cw_host_record_unlock(host);
    return err;
}

bool cw_host_sites_allows(cw_host_sites *sites, cw_host_record *host, const crawl_url *url)
{
    cw_host_site *one;
    if (cw_host_sites_begin_look(sites, host, &one))
        return false;
    bool allowed = one->state == CW_SITE_ROBOTS_ABSENT || (one->robots && crawl_robots_check(one->robots, url).allowed);
    cw_host_record_unlock(host);
    return allowed;
}

crawl_err cw_host_sites_settle_tdmrep(cw_host_sites *sites, cw_host_record *host, crawl_tdmrep *tdmrep, bool is_certain)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_change(sites, host, &one);
    if (err) {
        crawl_tdmrep_free(tdmrep);
        return err;
    }
    crawl_tdmrep_free(one->tdmrep);
    one->tdmrep = tdmrep;
    one->has_asked_tdmrep = true;
    one->has_no_tdmrep = is_certain && !tdmrep;
    one->pending = false;
    return cw_host_sites_end_change(sites, one, (crawl_slice){0});
}
