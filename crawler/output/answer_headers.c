#include "crawler/output/answer_headers.h"

#include "base/bytes.h"
#include "base/json/json_write.h"
#include "base/writer.h"

/* Writes `before`, the name of a header in lower case, and its values. False: the answer does not have the header. */
static bool put_values(cw_writer *out, const crawl_record *record, crawl_slice name, const char *before)
{
    bool is_first = true;
    for (size_t i = 0; i < record->header_count; i++) {
        if (!cw_equal_nocase(record->headers[i].name, name))
            continue;
        cw_put_text(out, is_first ? before : ",");
        if (is_first) {
            cw_put_char(out, '"');
            for (size_t at = 0; at < name.size; at++)
                cw_put_char(out, (char)cw_lower((unsigned char)name.data[at]));
            cw_put_text(out, "\":[");
        }
        cw_json_put_text(out, record->headers[i].value);
        is_first = false;
    }
    cw_put_text(out, is_first ? "" : "]");
    return !is_first;
}

crawl_err cw_output_answer_headers(const crawl_record *record, const char *names, crawl_buf *members)
{
    cw_writer out = {.out = members};
    const char *before = members->size ? ",\"headers\":{" : "\"headers\":{";
    bool has_any = false;
    crawl_slice all = crawl_slice_from(names);
    crawl_slice rest = all;
    for (crawl_slice name; (name = cw_take_word(&rest, true)).size;)
        if (!cw_has_word(crawl_slice_of(all.data, (size_t)(name.data - all.data)), name, true))
            has_any |= put_values(&out, record, name, has_any ? "," : before);
    cw_put_text(&out, has_any ? "}" : "");
    return out.err;
}
