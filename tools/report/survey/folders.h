/* Builds the tree of a site's folders: hosts, and below them the parts between the slashes of paths. A folder counts
 * all pages below it. */
#ifndef CW_SURVEY_FOLDERS_H
#define CW_SURVEY_FOLDERS_H

#include "tools/report/survey/survey.h"

/* The most folders that are distinguished, and their depth below their host: pages beyond count for the folder
 * above. */
#define CW_SURVEY_FOLDERS_MAX 50000u
#define CW_SURVEY_FOLDER_LEVELS 8u

/* The counts of a folder's pages. */
enum { CW_FOLDER_2XX, CW_FOLDER_3XX, CW_FOLDER_4XX, CW_FOLDER_5XX, CW_FOLDER_NONE, CW_FOLDER_CLASSES };

typedef struct cw_survey_folder {
    crawl_slice path; /* "https://example.com/docs/"; borrowed from a page */
    struct cw_survey_folder *parent, *first, *next;
    unsigned level;      /* 0: all hosts, 1: a host */
    uint64_t pages, own; /* own: those that are in no folder below it */
    uint64_t classes[CW_FOLDER_CLASSES];
    uint64_t checked; /* those of which something is known */
    uint64_t broken;
    uint64_t bytes;
} cw_survey_folder;

typedef struct cw_survey_folders {
    cw_survey_folder root;
    cw_map *by_path;
} cw_survey_folders;

/* Fills folders, which must be zeroed before. CRAWL_ENOMEM. */
crawl_err cw_survey_folders_build(cw_survey_folders *folders, const cw_survey *survey);
void cw_survey_folders_free(cw_survey_folders *folders);

/* The folder's name within the folder above, such as "docs/"; for a host its whole path. */
crawl_slice cw_survey_folder_name(const cw_survey_folder *folder);

/* The folders below this one, down to so many levels, those with most pages first, and each before its own folders. The
 * caller frees the array. NULL: there is no memory, or *count is 0. */
const cw_survey_folder **cw_survey_folders_sorted(const cw_survey_folder *folder, unsigned levels, size_t *count);

#endif
