/* An edge as a line of JSON. A page may have a hundred thousand of them, so the line is written as it goes, without
 * building an object first. */
#include "crawler/program/output/record.h"

#include "crawler/program/words.h"

static void put_text(cw_words *line, const char *name, crawl_slice text)
{
    cw_words_bytes(line, crawl_slice_from(name));
    cw_words_json(line, text);
}

static void put_edge(cw_words *line, const crawl_edge *edge)
{
    const crawl_link redirect = {.tag = "redirect", .attr = "location"};
    const crawl_link *link = edge->link ? edge->link : &redirect;
    put_text(line, "{\"from\":", edge->from);
    put_text(line, ",\"to\":", edge->to);
    put_text(line, ",\"tag\":", crawl_slice_from(link->tag));
    put_text(line, ",\"attr\":", crawl_slice_from(link->attr));
    put_text(line, ",\"rel\":", link->rel);
    cw_words_bytes(line, crawl_slice_from(link->nofollow ? ",\"nofollow\":true" : ",\"nofollow\":false"));
    put_text(line, ",\"text\":", link->text);
    cw_words_add(line, ",\"depth\":%u", (unsigned)edge->depth);
    put_text(line, ",\"verdict\":", crawl_slice_from(crawl_edge_verdict_name(edge->verdict)));
    cw_words_bytes(line, crawl_slice_from("}"));
}

crawl_err cw_output_sink_edge(cw_output_sink *sink, const crawl_edge *edge)
{
    enum { USUAL = 512 };
    cw_words line = {0};
    line.err = crawl_buf_reserve(&line.text, USUAL);
    put_edge(&line, edge);
    crawl_err err = line.err ? line.err : cw_output_sink_line(sink, line.text.data);
    cw_words_free(&line);
    return err;
}
