/* The sitemaps of a site: those that its robots.txt names, how many are read, and what their dates are worth. See
 * sites.h. */
#include "crawler/engine/host/site_parts.h"

enum { SITEMAPS_STEP = 16 }; /* sitemaps that get room in the note at once */

static crawl_err copy_sitemaps(const crawl_robots *robots, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    size_t count = robots ? crawl_robots_sitemap_count(robots) : 0;
    for (size_t i = 0; i < count && !err; i++) {
        crawl_slice line = crawl_robots_sitemap(robots, i);
        err = crawl_buf_append(out, line.data, line.size);
        if (!err)
            err = crawl_buf_append_char(out, '\n');
    }
    return err;
}

crawl_err cw_host_sites_sitemaps(cw_host_sites *sites, cw_host_record *host, crawl_buf *out)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    err = one->sitemaps_asked ? CRAWL_EXISTS : copy_sitemaps(one->robots, out);
    if (!err)
        one->sitemaps_asked = CW_HOST_ASKED_NOW;
    cw_host_record_unlock(host);
    return err;
}

crawl_err cw_host_sites_sitemaps_queued(cw_host_sites *sites, cw_host_record *host)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_change(sites, host, &one);
    if (err)
        return err;
    one->sitemaps_asked = CW_HOST_ASKED_BEFORE;
    return cw_host_sites_end_change(sites, one, (crawl_slice){0});
}

/* Makes room in the note for another step of sitemaps. */
static crawl_err keep_step(cw_host_sites *sites, cw_host_record *host)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_change(sites, host, &one);
    if (err)
        return err;
    one->sitemaps_kept += SITEMAPS_STEP;
    return cw_host_sites_end_change(sites, one, (crawl_slice){0});
}

crawl_err cw_host_sites_take_sitemap(cw_host_sites *sites, cw_host_record *host)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    if (one->sitemaps >= CW_HOST_SITEMAPS_MAX)
        err = CRAWL_FULL;
    else
        one->sitemaps++;
    bool step = !err && one->sitemaps > one->sitemaps_kept;
    cw_host_record_unlock(host);
    return step ? keep_step(sites, host) : err;
}

crawl_err cw_host_sites_return_sitemap(cw_host_sites *sites, cw_host_record *host)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    one->sitemaps -= one->sitemaps > 0;
    cw_host_record_unlock(host);
    return CRAWL_OK;
}

crawl_err cw_host_sites_vain(cw_host_sites *sites, cw_host_record *host, unsigned *out)
{
    cw_host_site *one;
    crawl_err err = cw_host_sites_begin_look(sites, host, &one);
    if (err)
        return err;
    *out = one->vain;
    cw_host_record_unlock(host);
    return CRAWL_OK;
}

crawl_err cw_host_sites_hinted(cw_host_sites *sites, cw_host_record *host, bool changed)
{
    cw_host_site *one;
    unsigned vain;
    crawl_err err = cw_host_sites_vain(sites, host, &vain);
    if (err || vain == (changed ? 0 : CW_HOST_VAIN_MAX)) /* nothing would change */
        return err;
    err = cw_host_sites_begin_change(sites, host, &one);
    if (err)
        return err;
    one->vain = changed ? 0 : one->vain < CW_HOST_VAIN_MAX ? one->vain + 1 : CW_HOST_VAIN_MAX;
    return cw_host_sites_end_change(sites, one, (crawl_slice){0});
}
