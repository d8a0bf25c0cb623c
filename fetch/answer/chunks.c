/* See chunks.h. A state machine takes one step for each byte around the data, and one for each piece of data. Like
 * libcurl it accepts a bare LF as a line end, and everything between a size and the end of its line as an extension. */
#include "fetch/answer/chunks.h"

#include "base/bytes.h"

enum {
    /* Maximum digits of a chunk's size: more than 64 bits are useless. */
    MAX_DIGITS = 16,
    /* libcurl stops at about 4090 bytes, and then reports that it is out of memory. */
    MAX_TRAILER_LINE = 4000
};

static crawl_err end_of_size(cw_fetch_chunks *chunks)
{
    if (chunks->digits == 0 || chunks->left > INT64_MAX)
        return CRAWL_EPARSE;
    chunks->state = chunks->left ? CW_CHUNKS_DATA : CW_CHUNKS_TRAILER;
    chunks->digits = 0;
    chunks->line = 0;
    return CRAWL_OK;
}

static crawl_err step_size(cw_fetch_chunks *chunks, unsigned char c)
{
    int value = cw_hex_value(c);
    if (value >= 0) {
        chunks->left = chunks->left * 16 + (unsigned)value;
        return ++chunks->digits > MAX_DIGITS ? CRAWL_EPARSE : CRAWL_OK;
    }
    if (c == '\n')
        return end_of_size(chunks);
    chunks->besides += c != '\r';
    chunks->state = CW_CHUNKS_EXTENSION;
    return chunks->digits == 0 ? CRAWL_EPARSE : CRAWL_OK;
}

static crawl_err step_extension(cw_fetch_chunks *chunks, unsigned char c)
{
    if (c == '\n')
        return end_of_size(chunks);
    chunks->besides++;
    return CRAWL_OK;
}

static crawl_err step_data_end(cw_fetch_chunks *chunks, unsigned char c)
{
    if (c == '\n')
        chunks->state = CW_CHUNKS_SIZE;
    return c == '\n' || c == '\r' ? CRAWL_OK : CRAWL_EPARSE;
}

/* An empty line ends the trailers. */
static void end_of_trailer(cw_fetch_chunks *chunks)
{
    chunks->state = chunks->line ? CW_CHUNKS_TRAILER : CW_CHUNKS_DONE;
    chunks->line = 0;
}

static crawl_err step_trailer(cw_fetch_chunks *chunks, unsigned char c)
{
    if (c == '\n')
        end_of_trailer(chunks);
    else if (c == '\r')
        chunks->state = CW_CHUNKS_TRAILER_END;
    else if (++chunks->line > MAX_TRAILER_LINE)
        return CRAWL_FULL;
    chunks->besides++;
    return CRAWL_OK;
}

static crawl_err step_trailer_end(cw_fetch_chunks *chunks, unsigned char c)
{
    if (c != '\n')
        return CRAWL_EPARSE;
    end_of_trailer(chunks);
    return CRAWL_OK;
}

static crawl_err chunks_step(cw_fetch_chunks *chunks, unsigned char c)
{
    switch (chunks->state) {
    case CW_CHUNKS_SIZE:
        return step_size(chunks, c);
    case CW_CHUNKS_EXTENSION:
        return step_extension(chunks, c);
    case CW_CHUNKS_DATA_END:
        return step_data_end(chunks, c);
    case CW_CHUNKS_TRAILER:
        return step_trailer(chunks, c);
    case CW_CHUNKS_TRAILER_END:
        return step_trailer_end(chunks, c);
    default: /* bytes after the end do not belong to the answer */
        return CRAWL_OK;
    }
}

static crawl_slice chunks_take_data(cw_fetch_chunks *chunks, crawl_slice *in)
{
    size_t size = in->size < chunks->left ? in->size : (size_t)chunks->left;
    crawl_slice data = crawl_slice_of(in->data, size);
    *in = crawl_slice_of(in->data + size, in->size - size);
    chunks->left -= size;
    if (chunks->left == 0)
        chunks->state = CW_CHUNKS_DATA_END;
    return data;
}

crawl_err cw_fetch_chunks_next(cw_fetch_chunks *chunks, crawl_slice *in, crawl_slice *data)
{
    crawl_err err = CRAWL_OK;
    *data = (crawl_slice){0};
    while (in->size > 0 && !err) {
        if (chunks->state == CW_CHUNKS_DATA) {
            *data = chunks_take_data(chunks, in);
            return CRAWL_OK;
        }
        err = chunks_step(chunks, (unsigned char)*in->data);
        *in = crawl_slice_of(in->data + 1, in->size - 1);
    }
    return err;
}
