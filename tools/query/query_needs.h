/* What a view needs of the lines, so that no rows never look like "none found" where nobody looked. */
#ifndef CW_QUERY_NEEDS_H
#define CW_QUERY_NEEDS_H

#include <sqlite3.h>

/* What the database lacks to answer the view; NULL: nothing, or it is none of those that need more than records. */
const char *cw_query_lacks(sqlite3 *db, const char *view);

#endif
