/* See service_record.h. A record begins with its numbers in little-endian order. The client's data follows as it is
 * sent over the wire, so that handing a URL out is a copy. */
#include "tools/serve/urlfrontier/service_record.h"

#include "base/bytes.h"

enum { HEAD = 4 * 8 + 1, NAME_MARK = 2 };

static const char mark[] = "#u";

crawl_err cw_service_record_prefix(crawl_slice key, crawl_buf *out)
{
    crawl_err err = crawl_buf_append(out, mark, NAME_MARK);
    if (!err)
        err = crawl_buf_append(out, key.data, key.size);
    return err ? err : crawl_buf_append_char(out, '\0');
}

crawl_err cw_service_record_name(crawl_slice key, crawl_slice url, crawl_buf *out)
{
    crawl_err err = cw_service_record_prefix(key, out);
    return err ? err : crawl_buf_append(out, url.data, url.size);
}

void cw_service_record_split(crawl_slice name, crawl_slice *key, crawl_slice *url)
{
    *url = cw_drop(name, NAME_MARK);
    *key = cw_cut(url, '\0');
}

size_t cw_service_record_size(const cw_service_record *record)
{
    return HEAD + record->info.size;
}

crawl_err cw_service_record_write(const cw_service_record *record, crawl_buf *out)
{
    const uint64_t numbers[] = {record->version, (uint64_t)record->created_ms, (uint64_t)record->date_ms,
                                (uint64_t)record->leased_ms};
    crawl_err err = crawl_buf_reserve(out, cw_service_record_size(record));
    if (err)
        return err;
    char *at = out->data + out->size;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        at = cw_le_put(at, numbers[i], sizeof *numbers);
    at = cw_le_put(at, record->completed, 1);
    out->size += HEAD;
    return crawl_buf_append(out, record->info.data, record->info.size);
}

crawl_err cw_service_record_read(crawl_slice note, cw_service_record *out)
{
    const char *at = note.data;
    if (note.size < HEAD)
        return CRAWL_ECORRUPT;
    out->version = cw_le_get(&at, 8);
    out->created_ms = (int64_t)cw_le_get(&at, 8);
    out->date_ms = (int64_t)cw_le_get(&at, 8);
    out->leased_ms = (int64_t)cw_le_get(&at, 8);
    out->completed = cw_le_get(&at, 1) != 0;
    out->info = cw_drop(note, HEAD);
    return CRAWL_OK;
}
