#include "crawler/output/warc/warc_series.h"

#include "base/clock.h"
#include "crawler/output/warc/warc_record.h"

static crawl_err add_warcinfo(cw_warc_series *series)
{
    cw_warc_press *press = NULL;
    const cw_warc_origin *origin = &series->origin;
    cw_date date = cw_date_of(cw_wall_ms());
    crawl_err err = cw_warc_press_create(&press);
    if (err)
        return err;
    cw_warc_begin(press, "warcinfo", NULL, &date);
    cw_warc_field_text(press, "WARC-Filename", cw_warc_file_name(&series->file));
    cw_warc_field_text(press, "Content-Type", "application/warc-fields");
    cw_put_format(&press->block,
                  "software: crawl/%s\r\nformat: WARC File Format 1.1\r\nconformsTo: "
                  "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\nrobots: %s\r\n",
                  crawl_version(), origin->robots ? "obey" : "ignore");
    if (origin->user_agent)
        cw_put_format(&press->block, "http-header-user-agent: %s\r\n", origin->user_agent);
    if (origin->text)
        cw_put_format(&press->block, "description: texts of pages, %s\r\n", origin->text);
    err = cw_warc_end(press);
    if (!err)
        err = cw_warc_file_append(&series->file, crawl_buf_slice(&press->out));
    cw_warc_press_free(press);
    return err;
}

crawl_err cw_warc_series_ready(cw_warc_series *series)
{
    cw_warc_file *file = &series->file;
    if (file->failure.code)
        return CRAWL_EIO;
    if (file->fd >= 0 && file->bytes < series->max_file_bytes)
        return CRAWL_OK;
    crawl_err err = cw_warc_file_finish(file);
    if (!err)
        err = cw_warc_file_open(file, cw_wall_ms());
    return err ? err : add_warcinfo(series);
}
