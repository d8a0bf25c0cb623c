/* The links of a page as a table of text, see <crawl/links.h>. Bindings to other languages pay for each call; this
 * reads a page of a thousand links in one. */
#include <crawl/links.h>

static const crawl_canonical_options W3LIB = {
    .size = sizeof W3LIB, .profile = CRAWL_PROFILE_W3LIB, .keep_fragment = true};

/* Sets *value to that of one column. A value made by a call is in *scratch. */
static crawl_err column_value(const crawl_link *link, const crawl_url *url, unsigned column, crawl_buf *scratch,
                              crawl_slice *value)
{
    switch (column) {
    case CRAWL_COLUMN_TAG:
        *value = crawl_slice_from(link->tag);
        break;
    case CRAWL_COLUMN_ATTR:
        *value = crawl_slice_from(link->attr);
        break;
    case CRAWL_COLUMN_URL:
        *value = crawl_url_href(url);
        break;
    case CRAWL_COLUMN_REL:
        *value = link->rel;
        break;
    case CRAWL_COLUMN_NOFOLLOW:
        *value = crawl_slice_from(link->nofollow ? "1" : "");
        break;
    case CRAWL_COLUMN_TEXT:
        *value = link->text;
        break;
    default:
        crawl_buf_clear(scratch);
        crawl_err err = crawl_text_canonical(crawl_url_href(url), &W3LIB, scratch);
        *value = err ? (crawl_slice){0} : crawl_buf_slice(scratch);
        return err == CRAWL_ENOMEM ? err : CRAWL_OK;
    }
    return CRAWL_OK;
}

/* Appends a value, its tabs and newlines replaced by spaces, and the byte that ends it. */
static crawl_err append_value(crawl_buf *out, crawl_slice value, char end)
{
    crawl_err err = crawl_buf_reserve(out, value.size + 1);
    if (err)
        return err;
    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i];
        out->data[out->size++] = c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    return crawl_buf_append_char(out, end);
}

static crawl_err append_line(crawl_buf *out, const crawl_link *link, const crawl_url *url, unsigned columns,
                             crawl_buf *scratch)
{
    crawl_err err = CRAWL_OK;
    for (unsigned column = 1; column <= columns && !err; column <<= 1) {
        crawl_slice value = {0};
        if (!(columns & column))
            continue;
        err = column_value(link, url, column, scratch, &value);
        if (!err)
            err = append_value(out, value, columns >> 1 < column ? '\n' : '\t');
    }
    return err;
}

/* A link that is not a URL has no line. */
static crawl_err append_link(crawl_buf *out, const crawl_page *page, const crawl_link *link, unsigned columns,
                             crawl_url *url, crawl_buf *scratch)
{
    size_t before = out->size;
    crawl_err err = crawl_url_parse(url, link->href, crawl_page_base(page), crawl_page_charset(page));
    if (!err)
        err = append_line(out, link, url, columns, scratch);
    if (err)
        out->size = before;
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}

crawl_err crawl_page_table(const crawl_page *page, unsigned columns, crawl_buf *out)
{
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    crawl_url *url = crawl_url_create();
    crawl_buf scratch = {0};
    size_t before = out->size;
    crawl_err err = url ? CRAWL_OK : CRAWL_ENOMEM;
    columns &= CRAWL_COLUMN_ALL;
    for (size_t i = 0; i < count && !err; i++)
        err = append_link(out, page, &links[i], columns, url, &scratch);
    if (err)
        out->size = before;
    crawl_buf_free(&scratch);
    crawl_url_free(url);
    return err;
}
