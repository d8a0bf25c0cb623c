/* An edge as a line of JSON. A page may have a hundred thousand of them, so the line is written as it goes, without
 * building an object first. */
#include "crawler/program/output/record.h"

#include "crawler/program/tools/io.h"

static crawl_err put_text(crawl_buf *line, const char *name, crawl_slice text)
{
    crawl_err err = crawl_buf_append_text(line, name);
    return err ? err : cw_json_append_text(line, text);
}

static crawl_err put_words(crawl_buf *line, const char *name, const char *words)
{
    return put_text(line, name, crawl_slice_from(words));
}

static crawl_err put_edge(crawl_buf *line, const crawl_edge *edge)
{
    const crawl_link redirect = {.tag = "redirect", .attr = "location"};
    const crawl_link *link = edge->link ? edge->link : &redirect;
    crawl_err err = put_text(line, "{\"from\":", edge->from);
    if (!err)
        err = put_text(line, ",\"to\":", edge->to);
    if (!err)
        err = put_words(line, ",\"tag\":", link->tag);
    if (!err)
        err = put_words(line, ",\"attr\":", link->attr);
    if (!err)
        err = put_text(line, ",\"rel\":", link->rel);
    if (!err)
        err = crawl_buf_append_text(line, link->nofollow ? ",\"nofollow\":true" : ",\"nofollow\":false");
    if (!err)
        err = put_text(line, ",\"text\":", link->text);
    if (!err)
        err = crawl_buf_printf(line, ",\"depth\":%u", (unsigned)edge->depth);
    if (!err)
        err = put_words(line, ",\"verdict\":", crawl_edge_verdict_name(edge->verdict));
    return err ? err : crawl_buf_append_text(line, "}");
}

crawl_err cw_record_sink_write_edge(cw_record_sink *sink, const crawl_edge *edge)
{
    enum { USUAL = 512 };
    crawl_buf line = {0};
    crawl_err err = crawl_buf_reserve(&line, USUAL);
    if (!err)
        err = put_edge(&line, edge);
    if (!err)
        err = cw_record_sink_line(sink, line.data);
    crawl_buf_free(&line);
    return err;
}
