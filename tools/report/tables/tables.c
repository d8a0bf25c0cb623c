/* See tables.h: the list of all tables. */
#include "tools/report/tables/tables.h"

#include "base/bytes.h"
#include "tools/report/tables/needs.h"
#include "tools/report/tables/table_columns.h"

const char cw_survey_pages_id[] = "pages";

const cw_survey_table cw_survey_tables[] = {
#include "tools/report/tables/fault_tables.inc"
#include "tools/report/tables/site_tables.inc"
    {0},
};

const cw_survey_table *cw_survey_table_of(crawl_slice id)
{
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++)
        if (cw_is(id, table->id))
            return table;
    return NULL;
}

_Static_assert(sizeof cw_survey_tables / sizeof *cw_survey_tables <= CW_SURVEY_TABLES_MAX, "room for all counts");
