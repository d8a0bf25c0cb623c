/* See tables.h: the list of all tables. */
#include "tools/report/tables/tables.h"

#include "base/bytes.h"
#include "tools/report/tables/needs.h"

const char cw_survey_pages_id[] = "pages";

/* ---- columns that many have ---- */

#define COLUMN_HELD             \
    {                           \
        "Held by", CW_CELL_LIST \
    }
#define COLUMN_ERROR          \
    {                         \
        "Error", CW_CELL_TEXT \
    }
#define COLUMN_DETAIL          \
    {                          \
        "Detail", CW_CELL_TEXT \
    }
#define COLUMN_PAGE         \
    {                       \
        "Page", CW_CELL_URL \
    }
#define COLUMN_TEXT          \
    {                        \
        "Text", CW_CELL_TEXT \
    }
#define COLUMN_ELEMENT          \
    {                           \
        "Element", CW_CELL_TEXT \
    }
#define COLUMNS_OF_BROKEN                                                                                      \
    {"Cause", CW_CELL_TEXT}, COLUMN_URL, COLUMN_STATUS, COLUMN_ERROR, COLUMN_DETAIL, COLUMN_PAGE, COLUMN_TEXT, \
        COLUMN_ELEMENT
#define COLUMN_URL         \
    {                      \
        "URL", CW_CELL_URL \
    }
#define COLUMN_STATUS          \
    {                          \
        "Status", CW_CELL_TEXT \
    }
#define COLUMN_TITLE          \
    {                         \
        "Title", CW_CELL_TEXT \
    }
#define COLUMN_TYPE          \
    {                        \
        "Type", CW_CELL_TEXT \
    }
#define COLUMN_SIZE           \
    {                         \
        "Size", CW_CELL_BYTES \
    }
#define COLUMN_TIME        \
    {                      \
        "Time", CW_CELL_MS \
    }
#define COLUMN_LINKS                 \
    {                                \
        "Links to it", CW_CELL_COUNT \
    }
#define COLUMN_FOUND            \
    {                           \
        "Found on", CW_CELL_URL \
    }
#define COLUMN_PAGES           \
    {                          \
        "Pages", CW_CELL_COUNT \
    }
#define COLUMN_DEPTH           \
    {                          \
        "Depth", CW_CELL_COUNT \
    }

const cw_survey_table cw_survey_tables[] = {
    {.id = "broken",
     .title = "Broken links",
     .about =
         "Whoever follows one of these links finds nothing. Mend the link on the pages that hold it, or bring back "
         "what it leads to.",
     .is_fault = true,
     .is_serious = true,
     .columns = {COLUMN_URL, COLUMN_HELD, COLUMN_LINKS},
     .flat = {COLUMNS_OF_BROKEN},
     .unknown = cw_survey_needs_judged,
     .rows = cw_survey_rows_broken},
    {.id = "broken-external",
     .title = "Broken links to other sites",
     .about =
         "These lead out of the site, to where nothing is found. Servers that turn robots away answer them with 403 too: "
         "look for yourself before you take such a link out.",
     .is_fault = true,
     .is_serious = true,
     .columns = {COLUMN_URL, COLUMN_HELD, COLUMN_LINKS},
     .flat = {COLUMNS_OF_BROKEN},
     .unknown = cw_survey_needs_external,
     .rows = cw_survey_rows_broken_external},
    {.id = "broken-fragments",
     .title = "Links to places that are not there",
     .about =
         "Their pages are there, and have no element of this id: visitors come to the top of the page. Scripts may make "
         "such a place, which a crawl does not see.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_HELD, COLUMN_LINKS},
     .flat = {COLUMN_URL, COLUMN_PAGE, COLUMN_TEXT, COLUMN_ELEMENT},
     .unknown = cw_survey_needs_ids,
     .rows = cw_survey_rows_broken_fragments},
    {.id = "redirect-loops",
     .title = "Redirect loops",
     .about = "These URLs redirect to each other without an end: no visitor ever arrives.",
     .is_fault = true,
     .is_serious = true,
     .columns = {{"Loop", CW_CELL_LIST}, {"Redirects", CW_CELL_COUNT}},
     .flat = {{"Loop", CW_CELL_COUNT}, {"Hop", CW_CELL_COUNT}, COLUMN_URL, COLUMN_STATUS},
     .unknown = cw_survey_needs_responses,
     .rows = cw_survey_rows_loops},
    {.id = "redirect-chains",
     .title = "Redirect chains",
     .about = "Each hop costs visitors a round trip. Let links and the first redirect lead to the last URL at once.",
     .is_fault = true,
     .columns = {{"Hops", CW_CELL_LIST}, {"Redirects", CW_CELL_COUNT}, {"Ends with", CW_CELL_TEXT}, COLUMN_LINKS},
     .flat = {{"Chain", CW_CELL_COUNT}, {"Hop", CW_CELL_COUNT}, COLUMN_URL, COLUMN_STATUS},
     .unknown = cw_survey_needs_responses,
     .rows = cw_survey_rows_chains},
    {.id = "slow",
     .title = "Slow answers",
     .about = "From the begin of the request to the last byte, as this crawl saw it.",
     .is_fault = true,
     .limit = {"slow", CW_CELL_MS, offsetof(cw_survey_report, slow_ms)},
     .columns = {COLUMN_URL, COLUMN_TIME, COLUMN_SIZE, COLUMN_TYPE},
     .unknown = cw_survey_needs_answers,
     .listing = CW_PAGES_SLOW},
    {.id = "large",
     .title = "Large answers",
     .about =
         "By the size of their bodies before any compression: visitors wait for them, and pay for them on the way.",
     .is_fault = true,
     .limit = {"large", CW_CELL_BYTES, offsetof(cw_survey_report, large_bytes)},
     .columns = {COLUMN_URL, COLUMN_SIZE, COLUMN_TIME, COLUMN_TYPE},
     .unknown = cw_survey_needs_answers,
     .listing = CW_PAGES_LARGE},
    {.id = "duplicates",
     .title = "Duplicates",
     .about =
         "The same bytes under several URLs. Choose one, and let the others redirect to it or name it as canonical.",
     .is_fault = true,
     .columns = {{"Same at", CW_CELL_LIST}, {"URLs", CW_CELL_COUNT}, COLUMN_SIZE},
     .flat = {{"Digest", CW_CELL_TEXT}, COLUMN_URL, COLUMN_SIZE},
     .unknown = cw_survey_needs_answers,
     .rows = cw_survey_rows_duplicates},
    {.id = "near-duplicates",
     .title = "Near duplicates",
     .about = "Nearly the same text as on a page that came before.",
     .is_fault = true,
     .columns = {COLUMN_URL, {"Near to", CW_CELL_URL}, COLUMN_TITLE},
     .unknown = cw_survey_needs_near,
     .listing = CW_PAGES_NEAR},
    {.id = "untitled",
     .title = "Missing titles",
     .about = "HTML pages without a title, or with an empty one: search results and tabs show their URL instead.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_FOUND, COLUMN_SIZE},
     .unknown = cw_survey_needs_html,
     .listing = CW_PAGES_UNTITLED},
    {.id = "same-titles",
     .title = "Repeated titles",
     .about = "Different pages that cannot be told apart by their titles. Duplicates, which stand above, do not count.",
     .is_fault = true,
     .columns = {COLUMN_TITLE, {"Pages", CW_CELL_LIST}, {"Pages in all", CW_CELL_COUNT}},
     .flat = {COLUMN_TITLE, COLUMN_URL},
     .unknown = cw_survey_needs_html,
     .rows = cw_survey_rows_same_titles},
    {.id = "undescribed",
     .title = "Missing descriptions",
     .about = "HTML pages without a meta description: search results show a piece of their text instead.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_TITLE, COLUMN_FOUND},
     .unknown = cw_survey_needs_data,
     .listing = CW_PAGES_UNDESCRIBED},
    {.id = "no-heading",
     .title = "Missing first headings",
     .about = "HTML pages without an h1 that has a text.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_TITLE, COLUMN_FOUND},
     .unknown = cw_survey_needs_data,
     .listing = CW_PAGES_HEADLESS},
    {.id = "no-alt",
     .title = "Images without a text",
     .about =
         "These pages have images without alt: people who do not see them, and search engines, learn nothing of them. "
         "An image that only decorates has an empty one.",
     .is_fault = true,
     .columns = {COLUMN_URL, {"Images", CW_CELL_COUNT}, {"The first", CW_CELL_URL}, COLUMN_TITLE},
     .unknown = cw_survey_needs_data,
     .listing = CW_PAGES_NO_ALT},
    {.id = "canonical-elsewhere",
     .title = "Canonical elsewhere",
     .about = "These pages name another URL as their canonical link, so that search engines show that one instead.",
     .is_fault = true,
     .columns = {COLUMN_URL, {"Canonical link", CW_CELL_URL}, COLUMN_TITLE},
     .unknown = cw_survey_needs_data,
     .listing = CW_PAGES_NAMES},
    {.id = "hreflang",
     .title = "Translations that do not name their page back",
     .about =
         "Search engines believe hreflang only where the translation has such a link back to the page. The link "
         "elements of pages were looked at, not Link headers and sitemaps; translations that were not crawled are left "
         "out.",
     .is_fault = true,
     .columns = {COLUMN_URL, {"Language", CW_CELL_TEXT}, {"Translation", CW_CELL_URL}, {"Why", CW_CELL_TEXT}},
     .unknown = cw_survey_needs_translations,
     .rows = cw_survey_rows_translations},
    {.id = "noindex",
     .title = "Kept out of search: noindex",
     .about =
         "These pages ask search engines to leave them out, by meta robots or X-Robots-Tag. Is each of them meant to?",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_TITLE, COLUMN_FOUND},
     .unknown = cw_survey_needs_answers,
     .listing = CW_PAGES_NOINDEX},
    {.id = "nofollow",
     .title = "Links not to be followed: nofollow",
     .about =
         "These pages ask that none of their links be followed. What is linked from them alone is found by nobody.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_TITLE, COLUMN_FOUND},
     .unknown = cw_survey_needs_answers,
     .listing = CW_PAGES_NOFOLLOW},
    {.id = "deep",
     .title = "Deep pages",
     .about = "So many clicks away from the start, by the way on which the crawl found them.",
     .is_fault = true,
     .limit = {"deep", CW_CELL_COUNT, offsetof(cw_survey_report, deep)},
     .columns = {COLUMN_URL, COLUMN_DEPTH, COLUMN_TITLE, COLUMN_FOUND},
     .unknown = cw_survey_needs_depth,
     .listing = CW_PAGES_DEEP},
    {.id = "orphans",
     .title = "Orphans: in the sitemap, not linked",
     .about = "No page that was read links to these. Link to them, or take them out of the sitemap.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_STATUS, COLUMN_TITLE},
     .unknown = cw_survey_needs_sitemap,
     .listing = CW_PAGES_ORPHANS},
    {.id = "unlisted",
     .title = "Linked, not in the sitemap",
     .about = "HTML pages that came well, may be indexed, and are not in the sitemap.",
     .is_fault = true,
     .columns = {COLUMN_URL, COLUMN_DEPTH, COLUMN_LINKS, COLUMN_TITLE},
     .unknown = cw_survey_needs_sitemap_file,
     .listing = CW_PAGES_UNLISTED},
    {.id = "newly-broken",
     .title = "Newly broken",
     .about = "Broken now, and not in the earlier crawl: it was fine there, not checked, or not there.",
     .chapter = CW_CHAPTER_CHANGES,
     .is_fault = true,
     .is_serious = true,
     .columns = {COLUMN_URL, {"Now", CW_CELL_TEXT}, {"Before", CW_CELL_TEXT}, COLUMN_FOUND},
     .unknown = cw_survey_needs_old_and_judged,
     .listing = CW_PAGES_NEWLY_BROKEN},
    {.id = "mended",
     .title = "Mended",
     .about = "Broken in the earlier crawl, and not any more.",
     .chapter = CW_CHAPTER_CHANGES,
     .columns = {COLUMN_URL, {"Now", CW_CELL_TEXT}, {"Before", CW_CELL_TEXT}},
     .unknown = cw_survey_needs_old,
     .listing = CW_PAGES_MENDED},
    {.id = "new",
     .title = "New",
     .about = "Asked for now, and not in the earlier crawl.",
     .chapter = CW_CHAPTER_CHANGES,
     .columns = {COLUMN_URL, COLUMN_STATUS, COLUMN_TITLE, COLUMN_FOUND},
     .unknown = cw_survey_needs_old,
     .listing = CW_PAGES_NEW},
    {.id = "gone",
     .title = "Gone",
     .about =
         "Asked for in the earlier crawl, and not any more: nothing leads to it now, or a limit was reached first.",
     .chapter = CW_CHAPTER_CHANGES,
     .columns = {COLUMN_URL, {"Status before", CW_CELL_TEXT}, COLUMN_TITLE},
     .unknown = cw_survey_needs_old,
     .listing = CW_PAGES_GONE},
    {.id = "coverage",
     .title = "How much was seen",
     .about = "All URLs that the crawl found, and why of some nothing is known.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"State", CW_CELL_TEXT}, {"URLs", CW_CELL_COUNT}},
     .unknown = cw_survey_needs_links,
     .rows = cw_survey_rows_coverage},
    {.id = "folders",
     .title = "Folders",
     .about = "Pages below each folder, by status. In the page two levels below each host; the CSV file has eight.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Folder", CW_CELL_URL},
                 COLUMN_PAGES,
                 {"2xx", CW_CELL_COUNT},
                 {"3xx", CW_CELL_COUNT},
                 {"4xx", CW_CELL_COUNT},
                 {"5xx", CW_CELL_COUNT},
                 {"No answer", CW_CELL_COUNT},
                 {"Broken", CW_CELL_COUNT},
                 COLUMN_SIZE},
     .rows = cw_survey_rows_folders},
    {.id = "statuses",
     .title = "Statuses",
     .about = "What the servers answered, and why there was no answer.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Answer", CW_CELL_TEXT}, COLUMN_PAGES},
     .rows = cw_survey_rows_statuses},
    {.id = "depths",
     .title = "Depth",
     .about = "How many clicks away from the start pages were found.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Clicks", CW_CELL_TEXT}, COLUMN_PAGES},
     .rows = cw_survey_rows_depths},
    {.id = "times",
     .title = "Time",
     .about = "How long answers took, from the begin of the request to the last byte.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Time", CW_CELL_TEXT}, COLUMN_PAGES},
     .unknown = cw_survey_needs_responses,
     .rows = cw_survey_rows_times},
    {.id = "sizes",
     .title = "Size",
     .about = "Bodies of answers 2xx, without compression.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Size", CW_CELL_TEXT}, COLUMN_PAGES},
     .unknown = cw_survey_needs_answers,
     .rows = cw_survey_rows_sizes},
    {.id = "types",
     .title = "Content types",
     .about = "Of answers 2xx.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {COLUMN_TYPE, COLUMN_PAGES, COLUMN_SIZE},
     .unknown = cw_survey_needs_answers,
     .rows = cw_survey_rows_types},
    {.id = "hosts",
     .title = "Hosts",
     .about =
         "Hosts that were asked, and hosts that links lead to. Links that lead out of the crawl are not asked for, "
         "unless it had --check-external.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Host", CW_CELL_TEXT},
                 COLUMN_PAGES,
                 {"Links", CW_CELL_COUNT},
                 {"Requests", CW_CELL_COUNT},
                 {"Retries", CW_CELL_COUNT},
                 {"robots.txt", CW_CELL_TEXT}},
     .rows = cw_survey_rows_hosts},
    {.id = "walls",
     .title = "Walls",
     .about =
         "These hosts answered with the challenge or the block page of a service, not with their pages. Visitors may "
         "well see the pages: ask the operator to let the crawl in, or go more slowly.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Host", CW_CELL_TEXT}, {"Service", CW_CELL_TEXT}, {"URLs", CW_CELL_COUNT}, {"First", CW_CELL_URL}},
     .rows = cw_survey_rows_walls},
    {.id = "uses",
     .title = "Use by AI",
     .about =
         "What pages say of their use: to train models, as input to models that answer, to be found by search. Where a "
         "page says both, the refusal counts. Licences that pages name, of whatever kind, stand in rows without a use.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {{"Use", CW_CELL_TEXT},
                 {"Answer", CW_CELL_TEXT},
                 {"Source", CW_CELL_TEXT},
                 {"Statement", CW_CELL_TEXT},
                 COLUMN_PAGES,
                 {"First", CW_CELL_URL}},
     .rows = cw_survey_rows_uses},
    {.id = "unchecked",
     .title = "Not checked",
     .about = "A rule or a limit, of the site or of the crawl, kept these from being read. Nothing is known of them.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {COLUMN_URL, {"Detail", CW_CELL_TEXT}, COLUMN_FOUND},
     .flat = {{"Cause", CW_CELL_TEXT},
              COLUMN_URL,
              COLUMN_STATUS,
              {"Error", CW_CELL_TEXT},
              {"Detail", CW_CELL_TEXT},
              COLUMN_FOUND},
     .rows = cw_survey_rows_unchecked},
    {.id = cw_survey_pages_id,
     .title = "All pages",
     .about = "Every URL that has a record, sorted.",
     .chapter = CW_CHAPTER_SITE,
     .columns = {COLUMN_URL, COLUMN_STATUS, COLUMN_TITLE, COLUMN_DEPTH, COLUMN_SIZE, COLUMN_TIME, COLUMN_LINKS},
     .flat = {COLUMN_URL,
              COLUMN_STATUS,
              {"Error", CW_CELL_TEXT},
              COLUMN_TITLE,
              COLUMN_TYPE,
              COLUMN_DEPTH,
              COLUMN_SIZE,
              COLUMN_TIME,
              COLUMN_LINKS,
              COLUMN_FOUND},
     .listing = CW_PAGES_ALL},
    {0},
};

const cw_survey_table *cw_survey_table_of(crawl_slice id)
{
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        if (cw_is(id, table->id))
            return table;
    return NULL;
}

crawl_err cw_survey_rows(const cw_survey_table *table, const cw_survey_report *report, const cw_survey_out *out)
{
    return table->listing ? cw_survey_rows_listed(table->listing, report, out) : table->rows(report, out);
}

static void count_row(void *user, const cw_survey_cell *cells)
{
    uint64_t *count = user;
    (void)cells;
    (*count)++;
}

_Static_assert(sizeof cw_survey_tables / sizeof *cw_survey_tables <= CW_SURVEY_TABLES_MAX, "room for all counts");

crawl_err cw_survey_count(cw_survey_report *report)
{
    crawl_err err = CRAWL_OK;
    for (const cw_survey_table *table = cw_survey_tables; table->id && !err; table++) {
        const cw_survey_out out = {.row = count_row, .user = &report->counts[table - cw_survey_tables]};
        err = cw_survey_unknown(table, report) ? CRAWL_OK : cw_survey_rows(table, report, &out);
    }
    return err;
}
