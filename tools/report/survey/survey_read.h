/* Reads the input of `crawl report`: files of JSON Lines as a crawl writes them, sitemaps, and the directory of
 * --state. A line that cannot be read is reported with its file and number, counted, and left out. */
#pragma once

#include "tools/report/survey/survey.h"

/* The most bytes of a line: a record with the text of its page (--text, 1 MiB, of which a byte may be escaped by six),
 * what the page says of itself, and four URLs. */
#define CW_SURVEY_LINE_MAX ((size_t)16 << 20)

/* Reads a file of records, links or requests to its end; path "-": standard input. Exit statuses; each has said
 * why. */
int cw_survey_read(cw_survey *survey, const char *path);

/* Fills the survey of the earlier crawl by a file of records, or of results. Exit statuses, as above. */
int cw_survey_read_old(cw_survey *old, const char *path);

/* A sitemap in a file, and a directory of --state, of which the queue is counted. */
int cw_survey_read_sitemap(cw_survey *survey, const char *path);
int cw_survey_read_state(cw_survey *survey, const char *directory);
