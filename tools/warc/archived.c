#include "tools/warc/archived.h"

#include "base/bytes.h"
#include "crawler/output/warc/warc_reader.h"
#include "crawler/output/warc/warc_record.h"
#include "fetch/answer/decode.h"

crawl_err cw_archived_read(crawl_slice block, crawl_buf *room, cw_archived *out)
{
    *out = (cw_archived){.raw = block};
    out->header = cw_warc_cut_header(&out->raw);
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
