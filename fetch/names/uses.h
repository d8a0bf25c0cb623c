/* Which names the transfers of a fetcher use, so that libcurl can be told to forget those that none does: it keeps what
 * it knows of names in 71 lists, and goes through one of them several times for each connection. Single-thread. */
#ifndef CW_NAMES_USES_H
#define CW_NAMES_USES_H

#include <crawl/base.h>

typedef struct cw_names_uses cw_names_uses;

/* NULL: there is no memory. */
cw_names_uses *cw_names_uses_create(void);

/* NULL is allowed. */
void cw_names_uses_free(cw_names_uses *uses);

/* Counts one user more of a name, which is copied. CRAWL_ENOMEM: it is not counted. */
crawl_err cw_names_uses_add(cw_names_uses *uses, crawl_slice name);

/* Counts one user less of a name that was added. True: it was the last. */
bool cw_names_uses_drop(cw_names_uses *uses, crawl_slice name);

#endif
