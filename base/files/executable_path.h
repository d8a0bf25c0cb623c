/* The executables beside the program that runs, `crawl-report` for `crawl report`: in "../libexec/crawl" from its
 * folder, so that both are found wherever they were installed. */
#ifndef CW_EXECUTABLE_PATH_H
#define CW_EXECUTABLE_PATH_H

#include <crawl/base.h>

/* Appends the path of crawl-TOOL, which need not be there. Returns 0, or an errno: a path that does not begin with the
 * program's folder would be one of wherever it runs. */
int cw_executable_path(const char *tool, crawl_buf *path);

#endif
