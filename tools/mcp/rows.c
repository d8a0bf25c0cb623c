#include "tools/mcp/rows.h"

#include "tools/mcp/strangers.h"
#include "tools/mcp/tally.h"

#include <stdlib.h>

static void rows_set(json_t *row, const char *name, crawl_slice value)
{
    if (value.data)
        json_object_set_new(row, name, cw_mcp_clean(value));
}

static bool rows_add(void *user, const cw_mcp_record *record)
{
    cw_mcp_rows *rows = user;
    if (rows->only_failed && !record->is_failed)
        return true;
    rows->more = rows->passed >= rows->start + rows->most;
    if (rows->more)
        return false;
    if (rows->passed++ < rows->start)
        return true;
    json_t *row = cw_mcp_need(json_pack("{s:o, s:i}", "url", cw_mcp_clean(record->url), "status", (int)record->status));
    rows_set(row, "title", record->title);
    rows_set(row, "error", record->error);
    rows_set(row, "verdict", record->verdict);
    rows_set(row, "redirect", record->redirect);
    char *line = cw_mcp_need(json_dumps(row, JSON_COMPACT));
    cw_mcp_must(crawl_buf_printf(&rows->text, "%s%s", rows->text.size ? "\n" : "", line));
    free(line);
    json_decref(row);
    return true;
}

void cw_mcp_rows_read(const char *path, cw_mcp_rows *rows)
{
    cw_mcp_records(path, rows_add, rows);
}
