/* The guard against sites that give each visitor a session in the URL: every page appears again under each session, and
 * each answer brings another one. A page is asked for under at most crawl.max_sessions sessions; links that differ only
 * by further sessions are left out. Counted only in this process and run. */
#pragma once

#include <crawl/config.h>
#include <crawl/url.h>

/* The most pages whose sessions are counted, and the most memory for URLs. Pages beyond that are not limited. */
#define CW_SCOPE_SESSIONS_PAGES_MAX 1000000u
#define CW_SCOPE_SESSIONS_BYTES_MAX ((uint64_t)64 << 20)

/* Thread-safe. */
typedef struct cw_scope_sessions cw_scope_sessions;

/* config is borrowed. CRAWL_ENOMEM. */
crawl_err cw_scope_sessions_create(const crawl_config *config, cw_scope_sessions **out);
/* NULL does nothing. */
void cw_scope_sessions_free(cw_scope_sessions *sessions);

/* Returns true if this newly found URL may be queued. Counts its session, if any. */
bool cw_scope_sessions_pass(cw_scope_sessions *sessions, const crawl_url *url);
