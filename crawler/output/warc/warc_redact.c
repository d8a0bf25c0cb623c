#include "crawler/output/warc/warc_redact.h"

#include "base/header.h"

/* Is this a header line that an archive must not hold? */
static bool warc_redact_is_secret(crawl_slice line)
{
    crawl_slice name, value;
    return cw_header_split(line, &name, &value) && cw_header_is_secret(name);
}

crawl_err cw_warc_redact(crawl_slice sent, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = sent;
    for (bool first = true, header = true; header && rest.size && !err; first = false) {
        const char *start = rest.data;
        crawl_slice text = cw_cut_line(&rest);
        size_t size = (size_t)(rest.data - start);
        header = text.size > 1; /* "\r" ends it */
        if (first || !warc_redact_is_secret(text))
            err = crawl_buf_append(out, start, size);
    }
    return err ? err : crawl_buf_append(out, rest.data, rest.size);
}
