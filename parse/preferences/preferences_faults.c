/* Tells whoever writes a robots.txt which of its lines about use say nothing, and why. */
#include "parse/preferences/preferences.h"

#include "parse/robots/robots_private.h"

#include "base/bytes.h"

static crawl_err faults_of_license(const cw_preferences_faults *faults, crawl_slice value)
{
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? crawl_url_parse(url, value, NULL, NULL) : CRAWL_ENOMEM;
    crawl_url_free(url);
    if (!err || err == CRAWL_ENOMEM)
        return err;
    faults->on_fault(faults->user, faults->line, value, "not an absolute URL");
    return CRAWL_OK;
}

static crawl_err faults_of_line(const cw_preferences_faults *faults, const cw_robots_line *line, bool in_group)
{
    crawl_slice value = line->value;
    if (line->directive == CW_ROBOTS_LICENSE)
        return faults_of_license(faults, value);
    if (line->directive != CW_ROBOTS_CONTENT_USAGE && line->directive != CW_ROBOTS_CONTENT_SIGNAL)
        return CRAWL_OK;
    if (!in_group)
        faults->on_fault(faults->user, faults->line, line->text, "before the first User-agent, so for nobody");
    cw_robots_take_path(&value);
    if (line->directive == CW_ROBOTS_CONTENT_USAGE)
        cw_preferences_usage_faults(faults, cw_trim(value));
    else
        cw_preferences_signal_faults(faults, cw_trim(value));
    return CRAWL_OK;
}

crawl_err crawl_robots_use_faults(crawl_slice body, crawl_on_use_fault on_fault, void *user)
{
    cw_robots_reader reader = cw_robots_read(body);
    bool in_group = false;
    crawl_err err = CRAWL_OK;
    for (cw_robots_line line; !err && cw_robots_next(&reader, &line);) {
        const cw_preferences_faults faults = {on_fault, user, line.number};
        in_group |= line.directive == CW_ROBOTS_USER_AGENT;
        if (!line.cut)
            err = faults_of_line(&faults, &line, in_group);
    }
    return err;
}
