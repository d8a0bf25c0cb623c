/* Values of attributes that contain URLs: a single one, a srcset, a refresh, CSS declarations, a page. */
#include "parse/rewrite/rewrite.h"

#include "parse/page/page_values.h"

/* Sets up the rewriting of a value as a document of its own. */
static cw_rewrite rewrite_values_part_of(const cw_rewrite *r, crawl_slice value, crawl_buf *out)
{
    cw_rewrite part = *r;
    part.out = (cw_writer){.out = out};
    part.copied = value.data;
    part.is_utf8 = true;
    part.owes_charset = part.found_local = false;
    return part;
}

/* Ends a value that was rewritten in part. If nothing in it was replaced, it stays. */
static crawl_err end_part(cw_rewrite *r, cw_rewrite *part, crawl_slice value, crawl_err err)
{
    r->found_local = r->found_local || part->found_local;
    cw_rewrite_copy(part, value.data + value.size, value.data + value.size);
    err = err ? err : part->out.err;
    if (!err && crawl_slice_equal(crawl_buf_slice(part->out.out), value))
        cw_writer_cut(&part->out, 0);
    return err;
}

/* Replaces a URL that is a part of the value. */
static crawl_err rewrite_values_replace(cw_rewrite *part, crawl_slice url)
{
    crawl_buf link = {0};
    crawl_err err = cw_rewrite_translate(part, url, &link);
    if (!err && link.size) {
        cw_rewrite_copy(part, url.data, url.data + url.size);
        cw_put(&part->out, crawl_buf_slice(&link));
    }
    crawl_buf_free(&link);
    return err;
}

static crawl_err rewrite_set(cw_rewrite *part, crawl_slice value)
{
    crawl_err err = CRAWL_OK;
    for (crawl_slice url; !err && cw_page_srcset_next(&value, &url);)
        err = rewrite_values_replace(part, url);
    return err;
}

static crawl_err rewrite_refresh(cw_rewrite *part, crawl_slice value)
{
    double delay;
    crawl_slice href;
    bool leads_on = crawl_refresh_header(value, &delay, &href) == CRAWL_OK && href.size;
    return leads_on ? rewrite_values_replace(part, href) : CRAWL_OK;
}

static crawl_err rewrite_inner_page(cw_rewrite *part, crawl_slice value)
{
    if (part->depth == CW_REWRITE_MAX_DEPTH)
        return CRAWL_OK;
    part->depth++;
    part->is_xml = false;
    return cw_rewrite_markup(part, value);
}

static crawl_err rewrite_lazy(cw_rewrite *r, crawl_slice value, crawl_buf *out)
{
    bool found_before = r->found_local;
    r->found_local = false;
    crawl_err err = cw_rewrite_translate(r, value, out);
    if (!r->found_local)
        crawl_buf_clear(out);
    r->found_local |= found_before;
    return err;
}

crawl_err cw_rewrite_value(cw_rewrite *r, cw_rewrite_form form, crawl_slice value, crawl_buf *out)
{
    cw_rewrite part = rewrite_values_part_of(r, value, out);
    crawl_err err = CRAWL_OK;
    switch (form) {
    case CW_REWRITE_NONE:
        return CRAWL_OK;
    case CW_REWRITE_ONE:
        return cw_rewrite_translate(r, value, out);
    case CW_REWRITE_LAZY:
        return rewrite_lazy(r, value, out);
    case CW_REWRITE_SET:
        err = rewrite_set(&part, value);
        break;
    case CW_REWRITE_REFRESH:
        err = rewrite_refresh(&part, value);
        break;
    case CW_REWRITE_STYLE:
        err = cw_rewrite_sheet(&part, value, true, false);
        break;
    case CW_REWRITE_PAGE:
        err = rewrite_inner_page(&part, value);
        break;
    }
    return end_part(r, &part, value, err);
}
