/* What a record means to whoever keeps a document for each page. */
#ifndef CW_EXEC_OPERATION_H
#define CW_EXEC_OPERATION_H

#include <crawl/record.h>

/* "index": this is the document. "delete": there is none at this URL: it is gone (404, 410, a page that says so), has
 * moved for good (301, 308), says noindex, names another page as the right one, or may not be used
 * (politeness.respect). "keep": says nothing of it: a failure, a wall, a redirect for now, a page as it was at the
 * visit before, a part of a page, or a link out of the crawl. It is told by the record alone, so that "delete" comes
 * also of pages of which there was no document. */
const char *cw_exec_operation(const crawl_record *record);

#endif
