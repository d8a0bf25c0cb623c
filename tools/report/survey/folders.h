/* Counts the pages of a site's folders: hosts, and below them the parts between the slashes of paths, down to
 * CW_SURVEY_FOLDER_LEVELS. A folder counts all pages below it; pages of deeper folders count for the last one above.
 * The table folder has a row for each, and one with an empty path for the whole site:
 *
 *   path, parent       "https://example.com/docs/", "https://example.com/"
 *   level              0: the site, 1: a host
 *   pages, own         own: those that are in no folder below it
 *   of_2xx to of_5xx, of_none  by status
 *   checked, broken, bytes
 */
#ifndef CW_SURVEY_FOLDERS_H
#define CW_SURVEY_FOLDERS_H

#include "tools/report/survey/survey.h"

#define CW_SURVEY_FOLDER_LEVELS 8u

/* CRAWL_ENOMEM, CRAWL_EIO. */
crawl_err cw_survey_folders_build(cw_survey *survey);

#endif
