#include "tools/audit/practices/practice.h"

#include <stdio.h>

static const struct {
    const char *name;
    const char *title;
    const char *unknown; /* why it is unknown, and who can check it */
} practices[CW_PRACTICE_COUNT] = {
    [CW_PRACTICE_ROBOTS_FIRST] = {"robots-first", "robots.txt asked before the first page of a host",
                                  "the crawl began before this log, or others share it"},
    [CW_PRACTICE_ROBOTS_DAY] = {"robots-day", "robots.txt asked again after 24 hours",
                                "the log has no robots.txt with pages after it"},
    [CW_PRACTICE_ROBOTS_OBEYED] = {"robots-obeyed", "nothing asked that robots.txt forbids",
                                   "the log has no rules of a robots.txt"},
    [CW_PRACTICE_NOFOLLOW] = {"nofollow", "no links followed of pages that say nofollow", "give --records"},
    [CW_PRACTICE_NOINDEX] = {"noindex", "noindex of meta robots and X-Robots-Tag",
                             "see that whoever uses the pages reads \"robots\" in the records"},
    [CW_PRACTICE_AGENT_NAME] = {"agent-name", "a name of its own in User-Agent, the same as for robots.txt",
                                "the log has no User-Agent"},
    [CW_PRACTICE_AGENT_URL] = {"agent-url", "the URL of a page about the bot in User-Agent",
                               "the log has no User-Agent"},
    [CW_PRACTICE_AGENT_SAME] = {"agent-same", "one User-Agent for all requests", "the log has no User-Agent"},
    [CW_PRACTICE_PAUSE] = {"pause", "pauses between requests to a host", "no host was asked twice"},
    [CW_PRACTICE_AT_ONCE] = {"at-once", "few requests at once", "the log has no request"},
    [CW_PRACTICE_RETRY_AFTER] = {"retry-after", "Retry-After and quotas kept", "the log has no request"},
    [CW_PRACTICE_BACK_OFF] = {"back-off", "back-off after 429 and 5xx", "the log has no request"},
    [CW_PRACTICE_SAME_RESOURCE] = {"same-resource", "no URL asked twice at once", "the log has no request"},
    [CW_PRACTICE_DEPTH] = {"depth", "depth bounded", "the log does not name the limit of the crawl"},
    [CW_PRACTICE_REVISITS] = {"revisits", "no URL visited more than six times in an hour", "the log has no page"},
    [CW_PRACTICE_OFF_PEAK] = {"off-peak", "crawling when a site is not busy",
                              "sites alone know when that is: ask them, and set delay for their hosts"},
    [CW_PRACTICE_METHODS] = {"methods", "mostly GET", "the log has no methods"},
    [CW_PRACTICE_CHALLENGES] = {"challenges", "nothing asked on the paths of challenges", "the log has no request"},
    [CW_PRACTICE_IDENTITY] = {"identity", "no other identity after a wall", "the log has no User-Agent"},
    [CW_PRACTICE_LOGINS] = {"logins", "no way around logins and paywalls",
                            "see that cookies and passwords that you give are meant for crawlers"},
    [CW_PRACTICE_CONDITIONAL] = {"conditional", "conditional requests for what is known",
                                 "no URL with a validator was asked again"},
    [CW_PRACTICE_MAX_AGE] = {"max-age", "no visit before max-age", "the log has no max-age: see to min_interval"},
    [CW_PRACTICE_LOG] = {"log", "a log of all requests", "the log has no request"},
    [CW_PRACTICE_RANGES] = {"ranges", "a list of addresses (JAFAR), a day old at most",
                            "give --ranges; see that the list is reachable, and linked with rel=\"client-ranges\""},
    [CW_PRACTICE_ADDRESS] = {"address", "the crawler's address in the list",
                             "give --ranges, and --address with the one that servers see"},
    [CW_PRACTICE_PAGE] = {"page", "a page about the bot",
                          "see that it answers, and says how to block the bot, whether it renders, the use of data, a "
                          "contact"},
};

const char *cw_practice_name(cw_practice practice)
{
    return practices[practice].name;
}

const char *cw_practice_title(cw_practice practice)
{
    return practices[practice].title;
}

void cw_practice_keep(cw_practice_findings *findings, cw_practice practice)
{
    findings->rows[practice].kept++;
}

void cw_practice_break(cw_practice_findings *findings, cw_practice practice, uint64_t line, const char *format, ...)
{
    cw_practice_row *row = &findings->rows[practice];
    if (row->broken++ >= CW_PRACTICE_SHOWN)
        return;
    cw_practice_breach *breach = &row->first[row->broken - 1];
    va_list arguments;
    breach->line = line;
    va_start(arguments, format);
    vsnprintf(breach->words, sizeof breach->words, format, arguments);
    va_end(arguments);
}

void cw_practice_tell(cw_practice_findings *findings, cw_practice practice, const char *format, ...)
{
    cw_practice_row *row = &findings->rows[practice];
    va_list arguments;
    row->is_told = true;
    va_start(arguments, format);
    vsnprintf(row->words, sizeof row->words, format, arguments);
    va_end(arguments);
}

cw_practice_status cw_practice_status_of(const cw_practice_findings *findings, cw_practice practice)
{
    const cw_practice_row *row = &findings->rows[practice];
    return row->broken ? CW_PRACTICE_BROKEN : row->kept || row->is_told ? CW_PRACTICE_KEPT : CW_PRACTICE_UNKNOWN;
}

const char *cw_practice_words_of(const cw_practice_findings *findings, cw_practice practice)
{
    const cw_practice_row *row = &findings->rows[practice];
    bool is_unknown = cw_practice_status_of(findings, practice) == CW_PRACTICE_UNKNOWN;
    return is_unknown && !*row->words ? practices[practice].unknown : row->words;
}
