/* Records and edges as lines of JSON (docs/records.md has their fields). */
#ifndef CW_RECORD_H
#define CW_RECORD_H

#include "base/writer.h"

#include <crawl/engine.h>

/* body: where its body was put; NULL: nowhere. */
void cw_output_put_record(cw_writer *line, const crawl_record *record, const char *body);
void cw_output_put_edge(cw_writer *line, const crawl_edge *edge);

#endif
