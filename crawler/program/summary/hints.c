
#include "config/config_values.h"
#include "crawler/program/summary/report.h"
#include "crawler/program/summary/units.h"

#include <crawl/links.h>
#include <inttypes.h>

/* A site that redirects visitors without its cookie from page to page. */
static void hints_only_redirects(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    if (stats->status[3] && stats->links && !cw_report_fetched(stats) && !stats->errors && !config->cookies)
        CW_PROGRAM_SAY(out,
                       "  hint      only redirects were received; some sites redirect until they get their cookies "
                       "back: --cookies\n");
}

/* URLs of sitemaps are links of their seed. */
static void hints_no_sitemaps(const crawl_config *config, crawl_buf *out)
{
    if (config->sitemaps && config->depth == 0)
        CW_PROGRAM_SAY(out, "  hint      no sitemap was asked for: URLs of sitemaps are at depth 1: --depth 1\n");
}

/* A site whose pages are made by scripts. */
static void hints_scripted(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    if (stats->scripted && stats->scripted * 2 >= stats->status[2] && !config->render)
        CW_PROGRAM_SAY(out,
                       "  hint      %" PRIu64 " of %" PRIu64 " pages have scripts, but no links: --render auto runs "
                       "the scripts%s\n",
                       stats->scripted, stats->status[2],
                       config->follow & CRAWL_LINK_SCRIPTS ? "" : ", --links-from elements,scripts reads them");
}

/* A site whose server sends wrong content types. */
static void hints_mistyped(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->mistyped && stats->mistyped * 2 >= stats->status[2])
        CW_PROGRAM_SAY(out,
                       "  hint      %" PRIu64 " of %" PRIu64
                       " pages look like HTML, but were not read: the server declares another type (content_type of "
                       "records)\n",
                       stats->mistyped, stats->status[2]);
}

/* A site that puts a session into its URLs. */
static void hints_sessions(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->traps[CRAWL_TRAP_SESSIONS])
        CW_PROGRAM_SAY(out,
                       "  hint      %" PRIu64 " links differ from requested pages only by a session id: "
                       "--drop-params @sessions\n",
                       stats->traps[CRAWL_TRAP_SESSIONS]);
}

/* Branches and ways to show a page: parameters that change nothing. */
static void hints_variants(const crawl_engine_stats *stats, crawl_buf *out)
{
    if (stats->traps[CRAWL_TRAP_VARIANTS])
        CW_PROGRAM_SAY(out,
                       "  hint      %" PRIu64 " links differ from requested pages only by parameters that changed "
                       "nothing on 16 other pages: --set crawl.max_variants=0 takes them\n",
                       stats->traps[CRAWL_TRAP_VARIANTS]);
}

/* Diffs, histories, filters and sort orders: a page for every query. */
static void hints_queries(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    enum { MANY = 1000, NEARLY_ALL_PERCENT = 80 };
    uint64_t fresh = stats->edges[CRAWL_EDGE_NEW] + stats->sitemap_edges[CRAWL_EDGE_NEW];
    if (config->max_queries || fresh < MANY || stats->queries * 100 < fresh * NEARLY_ALL_PERCENT)
        return;
    CW_PROGRAM_SAY(out,
                   "  hint      %" PRIu64 " of %" PRIu64 " new URLs have a query; to limit them: --exclude PATTERN, "
                   "--drop-params NAME, --set crawl.max_queries=N (of a "
                   "path)\n",
                   stats->queries, fresh);
}

void cw_report_hints(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out)
{
    hints_only_redirects(stats, config, out);
    hints_no_sitemaps(config, out);
    hints_scripted(stats, config, out);
    hints_mistyped(stats, out);
    hints_sessions(stats, out);
    hints_variants(stats, out);
    hints_queries(stats, config, out);
}
