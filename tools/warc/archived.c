#include "tools/warc/archived.h"

#include "base/bytes.h"
#include "base/error.h"
#include "crawler/output/warc/warc_index.h"
#include "crawler/output/warc/warc_reader.h"
#include "crawler/output/warc/warc_record.h"
#include "fetch/answer/decode.h"

#include <fcntl.h>
#include <unistd.h>

crawl_err cw_archived_read(crawl_slice block, crawl_buf *room, cw_archived *out)
{
    *out = (cw_archived){.raw = block};
    out->header = cw_warc_cut_message(&out->raw);
    crawl_slice rest = out->header;
    out->status = cw_starts_with(rest, "HTTP/") ? cw_warc_status_of(cw_cut_line(&rest)) : 0;
    out->body = out->raw;
    crawl_slice coding = cw_warc_field_of(out->header, "Transfer-Encoding");
    if (coding.size < strlen("chunked") || !cw_is_nocase(cw_drop(coding, coding.size - strlen("chunked")), "chunked"))
        return CRAWL_OK;
    crawl_buf_clear(room);
    crawl_err err = cw_warc_dechunk(out->raw, room);
    out->body = crawl_buf_slice(room);
    return err;
}

crawl_err cw_archived_decode(const cw_archived *message, size_t most, crawl_buf *out)
{
    cw_fetch_decoder decoder = {.count = 0};
    crawl_slice coding = cw_warc_field_of(message->header, "Content-Encoding");
    crawl_err err = coding.size ? cw_fetch_decoder_add(&decoder, coding) : CRAWL_OK;
    if (!err)
        err = cw_fetch_decoder_feed(&decoder, message->body, out, most);
    cw_fetch_decoder_clear(&decoder);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

const char *cw_archived_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

crawl_err cw_archived_map(const char *path, crawl_slice *out, crawl_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *out = (crawl_slice){0};
    if (file < 0)
        return cw_error_of_file(error, path);
    crawl_err err = cw_warc_map(file, path, out, error);
    close(file);
    return err;
}

/* Returns the start of the first line that is not less than key. */
static size_t archived_first_line(crawl_slice lines, crawl_slice key)
{
    size_t low = 0, high = lines.size;
    while (low < high) {
        size_t begin = low + (high - low) / 2;
        while (begin > low && lines.data[begin - 1] != '\n')
            begin--;
        crawl_slice rest = cw_drop(lines, begin);
        crawl_slice line = cw_cut_line(&rest);
        int order = memcmp(line.data, key.data, line.size < key.size ? line.size : key.size);
        if (order < 0 || (order == 0 && line.size < key.size))
            low = begin + line.size + 1;
        else
            high = begin;
    }
    return low < lines.size ? low : lines.size;
}

crawl_err cw_archived_answer(crawl_slice lines, crawl_slice url, crawl_slice date, bool original, bool *found)
{
    crawl_buf key = {0};
    crawl_err err = cw_warc_index_key(url, date, &key);
    *found = false;
    crawl_slice rest = err ? (crawl_slice){0} : cw_drop(lines, archived_first_line(lines, crawl_buf_slice(&key)));
    while (!*found && rest.size > key.size && memcmp(rest.data, key.data, key.size) == 0) {
        crawl_slice line = cw_cut_line(&rest);
        *found = !original || cw_find_text(line, "\"warc/revisit\"") == line.size;
    }
    crawl_buf_free(&key);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}
