#include "tools/index/feed_line.h"

#include "base/bytes.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "tools/index/feed.h"

#include <stdlib.h>

enum { NUMBER, OPERATION, ID, VERSION, RECORD, MEMBERS };

static bool line_whole_number(const cw_json_value *value, int64_t *out)
{
    enum { DIGITS_MAX = 18 };
    bool is_whole = value->kind == CW_JSON_NUMBER && value->bytes.size <= DIGITS_MAX &&
                    cw_count_digits(value->bytes) == value->bytes.size;
    *out = is_whole ? strtoll(value->bytes.data, NULL, 10) : 0; /* a comma or a brace is behind it */
    return is_whole;
}

/* An id that stands in JSON and in URLs as it is. */
static bool line_is_id(const cw_json_value *value)
{
    enum { ID_MAX = 128 };
    bool is_id = value->kind == CW_JSON_STRING && value->bytes.size && value->bytes.size <= ID_MAX;
    for (size_t i = 0; is_id && i < value->bytes.size; i++)
        is_id = cw_is_alnum((unsigned char)value->bytes.data[i]) || memchr("-_", value->bytes.data[i], 2);
    return is_id;
}

/* values: of item->line. */
static cw_index_line line_fill(const cw_json_value *values, cw_index_item *item, uint64_t *number)
{
    int64_t n = 0;
    crawl_slice operation = values[OPERATION].bytes;
    bool is_numbered = line_whole_number(&values[NUMBER], &n);
    *number = item->number = (uint64_t)n;
    if (!is_numbered || cw_is(operation, "keep"))
        return values[NUMBER].kind == CW_JSON_MISSING || is_numbered ? CW_INDEX_LINE_PASS : CW_INDEX_LINE_WRONG;
    item->is_delete = cw_is(operation, "delete");
    item->id = values[ID].bytes;
    item->record = values[RECORD].bytes;
    bool is_item = (item->is_delete || cw_is(operation, "index")) && line_is_id(&values[ID]) &&
                   line_whole_number(&values[VERSION], &item->version) && values[RECORD].kind == CW_JSON_OBJECT &&
                   item->record.size > strlen("{}");
    return is_item ? CW_INDEX_LINE_ITEM : CW_INDEX_LINE_WRONG;
}

cw_index_line cw_index_line_read(crawl_slice line, cw_index_item **out, uint64_t *number)
{
    static const crawl_slice names[] = {[NUMBER] = CW_JSON_NAME("n"),
                                        [OPERATION] = CW_JSON_NAME("op"),
                                        [ID] = CW_JSON_NAME("id"),
                                        [VERSION] = CW_JSON_NAME("version"),
                                        [RECORD] = CW_JSON_NAME("record")};
    cw_json_value values[MEMBERS];
    cw_index_item *item = calloc(1, sizeof *item);
    char *copy = malloc(line.size + 1);
    *number = 0;
    if (!item || !copy) {
        free(copy);
        free(item);
        return CW_INDEX_LINE_NO_MEMORY;
    }
    memcpy(copy, line.data, line.size);
    item->line = copy;
    bool is_object = cw_utf8_valid_prefix(line) == line.size &&
                     cw_json_pick(crawl_slice_of(copy, line.size), names, MEMBERS, values);
    cw_index_line found = is_object ? line_fill(values, item, number) : CW_INDEX_LINE_WRONG;
    if (found == CW_INDEX_LINE_ITEM)
        *out = item;
    else
        cw_index_item_free(item);
    return found;
}
