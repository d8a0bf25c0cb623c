/* What rules for values found in a crawl: the rows of --fields, and the pages that lack a required field, for the
 * summary. Thread-safe but for creating and freeing. */
#ifndef CW_FIELDS_H
#define CW_FIELDS_H

#include "crawler/output/sink.h"

#include <crawl/config.h>
#include <crawl/engine.h>

typedef struct cw_output_fields cw_output_fields;

/* config: with the rules. sink: where rows go, borrowed; NULL: nowhere. A file whose name ends in .csv is a table; its
 * first line, the names of its columns, is written here unless something is in it already. Others are JSON Lines. NULL
 * in *out: there are no rules. CRAWL_EINVAL: there is a sink, and no rules. CRAWL_EIO. CRAWL_ENOMEM. */
crawl_err cw_output_fields_create(const crawl_config *config, cw_output_sink *sink, cw_output_fields **out,
                                  crawl_error *error);
void cw_output_fields_free(cw_output_fields *fields);

/* Counts a record, and writes its rows. fields may be NULL. CRAWL_EIO, as cw_output_sink_end. CRAWL_ENOMEM. */
crawl_err cw_output_fields_write(cw_output_fields *fields, const crawl_record *record);

/* Appends the lines of the summary; NULL: none. CRAWL_ENOMEM. */
crawl_err cw_output_fields_say(cw_output_fields *fields, crawl_buf *out);

#endif
