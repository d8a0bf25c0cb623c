/* Reads the input of `crawl report`: files of JSON Lines as a crawl writes them, sitemaps, and the directory of
 * --state. A line that cannot be read is reported with its file and number, counted, and left out. */
#ifndef CW_SURVEY_READ_H
#define CW_SURVEY_READ_H

#include "tools/report/survey/survey.h"

/* The most bytes of a line: a record with the text of its page (--text, 1 MiB, of which a byte may be escaped by six),
 * what the page says of itself, and four URLs. */
#define CW_SURVEY_LINE_MAX ((size_t)16 << 20)

/* Take one line: a record or a link, and a line of --requests. CRAWL_EPARSE: it is none; error says why. CRAWL_ENOMEM,
 * CRAWL_EIO. */
crawl_err cw_survey_take_line(cw_survey *survey, crawl_slice line, crawl_error *error);
crawl_err cw_survey_take_request(cw_survey *survey, crawl_slice line, crawl_error *error);

/* Reads a file to its end by one of the above; path "-": standard input. Exit statuses; each has said why. */
typedef crawl_err cw_survey_take(cw_survey *survey, crawl_slice line, crawl_error *error);
int cw_survey_read(cw_survey *survey, const char *path, cw_survey_take *take);

/* Fills the survey of the earlier crawl by a file of records, or of results. Exit statuses, as above. */
int cw_survey_read_old(cw_survey *old, const char *path);

/* A sitemap in a file, and a directory of --state, of which the queue is counted. */
int cw_survey_read_sitemap(cw_survey *survey, const char *path);
int cw_survey_read_state(cw_survey *survey, const char *directory);

#endif
