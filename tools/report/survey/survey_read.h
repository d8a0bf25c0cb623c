/* Reads the input of `crawl report`: files of JSON Lines as a crawl writes them, sitemaps, and the directory of
 * --state. A line that cannot be read is reported with its file and number, counted, and left out. */
#ifndef CW_SURVEY_READ_H
#define CW_SURVEY_READ_H

#include "tools/report/survey/survey_line.h"

/* Reads a file to its end by one of the above; path "-": standard input. Exit statuses; each has said why. */
typedef crawl_err cw_survey_take(cw_survey *survey, crawl_slice line, crawl_error *error);
int cw_survey_read(cw_survey *survey, const char *path, cw_survey_take *take);

/* A sitemap in a file, and a directory of --state, of which the queue is counted. */
int cw_survey_read_sitemap(cw_survey *survey, const char *path);
int cw_survey_read_state(cw_survey *survey, const char *directory);

#endif
