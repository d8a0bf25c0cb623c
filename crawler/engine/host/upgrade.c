/* See upgrade.h. With fetch.hsts, the Strict-Transport-Security of answers is noted and, with --state, kept in the
 * notes of the directory. Seeds, links, redirects, sitemaps and their entries are upgraded before they are queued. A
 * request that was queued earlier becomes a redirect at its turn, without being asked. */
#include "crawler/engine/host/upgrade.h"

#include "base/clock.h"
#include "base/error.h"
#include "config/config_values.h"
#include "crawler/engine/ending.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The beginning of a note's name, before the host. The note has the end of the policy, and whether it includes the
 * names below. */
#define NOTE "#hsts "

bool cw_host_upgrade_wanted(const crawl_engine *engine, const crawl_url *url)
{
    bool is_http = crawl_slice_equal(crawl_url_scheme(url), crawl_slice_from("http"));
    return engine->hsts && is_http && cw_host_hsts_holds(engine->hsts, crawl_url_hostname(url), cw_wall_ms());
}

/* RFC 6797, 8.3: a port stays, except 80, which URLs do not show. */
crawl_err cw_host_upgrade(crawl_engine *engine, crawl_url *url)
{
    if (!cw_host_upgrade_wanted(engine, url))
        return CRAWL_OK;
    crawl_buf text = {0};
    crawl_slice href = crawl_url_href(url);
    crawl_err err = crawl_buf_append_text(&text, "https");
    if (!err)
        err = crawl_buf_append(&text, href.data + 4, href.size - 4);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    crawl_buf_free(&text);
    return err;
}

/* Keeps the policy for the next process. */
static void upgrade_keep(crawl_engine *engine, crawl_slice host, int64_t until_ms, bool subdomains)
{
    crawl_buf name = {0};
    char note[40];
    snprintf(note, sizeof note, "%" PRId64 " %d", until_ms, subdomains);
    crawl_err err = crawl_buf_printf(&name, NOTE "%.*s", (int)host.size, host.data);
    if (!err)
        err = crawl_frontier_note_set(engine->frontier, crawl_buf_slice(&name), crawl_slice_from(note));
    crawl_buf_free(&name);
    if (err)
        cw_engine_fail(engine, err, "cannot store the HSTS policy of a host");
}

void cw_host_upgrade_note(crawl_engine *engine, const crawl_url *url, const crawl_response *response)
{
    cw_host_hsts_policy policy;
    bool secure = crawl_slice_equal(crawl_url_scheme(url), crawl_slice_from("https")) && !engine->config->insecure;
    crawl_slice value =
        engine->hsts && secure ? crawl_response_header(response, "Strict-Transport-Security") : (crawl_slice){0};
    if (!value.data || !cw_host_hsts_parse(value, &policy))
        return;
    crawl_slice host = crawl_url_hostname(url);
    int64_t now_ms = cw_wall_ms();
    int64_t until_ms = now_ms + policy.max_age_s * 1000;
    crawl_err err = cw_host_hsts_set(engine->hsts, host, now_ms, until_ms, policy.subdomains);
    if (err == CRAWL_OK && cw_engine_is_kept(engine))
        upgrade_keep(engine, host, until_ms, policy.subdomains);
}

/* Takes a policy from its note. One that has ended ends here too: another process has got a max-age of 0. */
static bool upgrade_recall(crawl_slice name, crawl_slice note, void *user)
{
    char text[40];
    int64_t until_ms = 0;
    int subdomains = 0;
    size_t prefix = sizeof NOTE - 1;
    snprintf(text, sizeof text, "%.*s", (int)note.size, note.data);
    int64_t now_ms = cw_wall_ms();
    if (sscanf(text, "%" SCNd64 " %d", &until_ms, &subdomains) == 2)
        cw_host_hsts_set(user, crawl_slice_of(name.data + prefix, name.size - prefix), now_ms, until_ms,
                         subdomains != 0);
    return true;
}

crawl_err cw_host_upgrade_recall(crawl_engine *engine)
{
    return engine->hsts ? crawl_frontier_notes(engine->frontier, crawl_slice_from(NOTE), upgrade_recall, engine->hsts)
                        : CRAWL_OK;
}

crawl_err cw_host_upgrade_open(crawl_engine *engine, crawl_error *error)
{
    if (!engine->config->hsts)
        return CRAWL_OK;
    engine->hsts = cw_host_hsts_create();
    if (!engine->hsts)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = cw_engine_is_kept(engine) ? cw_host_upgrade_recall(engine) : CRAWL_OK;
    return err ? crawl_error_set(error, err, "cannot read the HSTS policies of hosts: %s", crawl_strerror(err))
               : CRAWL_OK;
}
