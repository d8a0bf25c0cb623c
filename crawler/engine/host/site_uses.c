/* Statements of a site on the use of its pages. See sites.h. */
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
    cw_host_record_unlock(host);
    return err;
}
