/* Reads the input of `crawl report`: JSON Lines of a crawl, sitemaps, and the directory of --state. Unreadable lines
 * are reported with file and number, counted, and skipped. */
#pragma once

#include "tools/report/survey/survey.h"

/* Maximum number of bytes in a line: a record with the text of its page (--text, 1 MiB, with up to six bytes for an
 * escaped one), its metadata, and four URLs. */
#define CW_SURVEY_LINE_MAX ((size_t)16 << 20)

/* Reads a file of records, links or requests to its end. path "-": standard input. Returns an exit status; the error
 * has been printed. */
int cw_survey_read(cw_survey *survey, const char *path);

/* Fills the survey of the earlier crawl from a file of records or of results. Returns an exit status as above. */
int cw_survey_read_old(cw_survey *old, const char *path);

/* Read the URLs of a sitemap in a file, and count the queue in a directory of --state. */
int cw_survey_read_sitemap(cw_survey *survey, const char *path);
int cw_survey_read_state(cw_survey *survey, const char *directory);
