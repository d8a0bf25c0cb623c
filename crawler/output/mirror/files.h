/* The files of an offline copy. Paths are resolved without following symbolic links, so that nothing outside the folder
 * is read or written, whatever was planted in it. The system resolves a path as a whole (openat2, Linux 5.6); if it
 * cannot or may not, or if folders are missing, the path is followed name by name. */
#pragma once

#include <crawl/base.h>

/* Folder of a copy for our own files: new files, original pages, the table. No host has this name. */
#define CW_MIRROR_OWN ".crawl-mirror"

/* Thread-safe. */
typedef struct cw_mirror_files cw_mirror_files;

/* Opens the folder of a copy. Creates it if needed, but not its parents. CRAWL_EINVAL: it is not empty, and not a copy
 * of ours. CRAWL_EIO. CRAWL_ENOMEM. */
crawl_err cw_mirror_files_open(const char *folder, cw_mirror_files **out, crawl_error *error);
void cw_mirror_files_free(cw_mirror_files *files);

/* Removes new files that a killed process left unnamed. Only while nobody else writes the copy. */
void cw_mirror_files_sweep(cw_mirror_files *files);

/* Makes the same checks as open, without creating anything. */
crawl_err cw_mirror_files_check(const char *folder, crawl_error *error);

/* Paths are relative, with names separated by "/", as cw_mirror_path makes them. CRAWL_EIO: error names the path and
 * the reason; CRAWL_ENOMEM. */

/* Puts a file in place atomically: a reader sees either the old file or the whole new one. */
crawl_err cw_mirror_files_write(cw_mirror_files *files, crawl_slice path, crawl_slice body, crawl_error *error);
/* Puts the file at `from` in place at `path` too, as a hard link if the file system can. */
crawl_err cw_mirror_files_copy(cw_mirror_files *files, crawl_slice from, crawl_slice path, crawl_error *error);
/* Moves a file of CW_MIRROR_OWN into place; removes it on failure. */
crawl_err cw_mirror_files_rename(cw_mirror_files *files, const char *from, crawl_slice path, crawl_error *error);
/* Reads a file into *out. CRAWL_ABSENT: no such file. */
crawl_err cw_mirror_files_read(cw_mirror_files *files, crawl_slice path, crawl_buf *out, crawl_error *error);
/* Removes a file, if it is there. */
void cw_mirror_files_remove(cw_mirror_files *files, crawl_slice path);
/* Returns true if there is a regular file. */
bool cw_mirror_files_has(cw_mirror_files *files, crawl_slice path);
/* Returns true if there is a regular file with exactly these bytes. */
bool cw_mirror_files_holds(cw_mirror_files *files, crawl_slice path, crawl_slice body);
/* Opens a file with these flags, and returns its descriptor. -1: errno says why. */
int cw_mirror_files_descriptor(cw_mirror_files *files, const char *path, int flags);
