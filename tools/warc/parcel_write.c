/* See parcel.h: writes the files of the ZIP, and their manifest. */
#include "base/bytes.h"
#include "base/json/json_write.h"
#include "crawler/output/warc/warc_reader.h"
#include "tools/common/compressed.h"
#include "tools/warc/archived.h"
#include "tools/warc/parcel.h"
#include "tools/warc/parcel_sign.h"

#include <time.h>

/* Smaller indexes are stored plain and read as a whole, as in browsertrix; larger ones are compressed in blocks. */
#define PLAIN_INDEX_MAX 50000u

enum { BLOCK_LINES = 256 };

/* ---- the index ---- */

/* Cuts the lines of a block off *rest. */
static crawl_slice parcel_cut_block(crawl_slice *rest)
{
    const char *begin = rest->data;
    for (int lines = 0; lines < BLOCK_LINES && rest->size; lines++)
        cw_cut_line(rest);
    return crawl_slice_of(begin, (size_t)(rest->data - begin));
}

/* Appends the block, and its line in the index of blocks, whose key is that of its first line. */
static crawl_err parcel_put_block(crawl_slice block, crawl_buf *packed, cw_writer *idx)
{
    char hex[65];
    size_t begin = packed->size;
    crawl_slice rest = block, line = cw_cut_line(&rest), json = line;
    crawl_err err = cw_tool_gzip(block, packed);
    crawl_slice member = err ? (crawl_slice){0} : cw_drop(crawl_buf_slice(packed), begin);
    if (!err)
        err = cw_zip_sha256(member, hex);
    if (err)
        return err;
    cw_cut(&json, ' ');
    cw_cut(&json, ' ');
    cw_put(idx, crawl_slice_of(line.data, line.size - json.size));
    cw_put_format(idx,
                  "{\"offset\": %zu, \"length\": %zu, \"digest\": \"sha256:%s\", \"filename\": \"index.cdx.gz\"}\n",
                  begin, member.size, hex);
    return idx->err;
}

static crawl_err parcel_write_index(const cw_parcel *parcel, cw_zip *zip)
{
    crawl_buf packed = {0}, text = {0};
    cw_writer idx = {.out = &text};
    crawl_slice lines = crawl_buf_slice(&parcel->lines);
    if (lines.size < PLAIN_INDEX_MAX)
        return cw_zip_add(zip, "indexes/index.cdxj", lines);
    cw_put_text(&idx, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n");
    crawl_err err = idx.err;
    while (!err && lines.size)
        err = parcel_put_block(parcel_cut_block(&lines), &packed, &idx);
    if (!err)
        err = cw_zip_add(zip, "indexes/index.cdx.gz", crawl_buf_slice(&packed));
    if (!err)
        err = cw_zip_add(zip, "indexes/index.idx", crawl_buf_slice(&text));
    crawl_buf_free(&packed);
    crawl_buf_free(&text);
    return err;
}

/* ---- pages and manifest ---- */

/* The first line is a header, because readers take any first line for it. */
static crawl_err parcel_write_pages(cw_zip *zip, const char *name, const char *ids, const crawl_buf *pages)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "{\"format\":\"json-pages-1.0\",%s}\n", ids);
    if (!err && pages->size)
        err = crawl_buf_append(&text, pages->data, pages->size);
    if (!err)
        err = cw_zip_add(zip, name, crawl_buf_slice(&text));
    crawl_buf_free(&text);
    return err;
}

char cw_parcel_name_byte(char c)
{
    c = (char)cw_lower((unsigned char)c);
    return cw_is_alnum((unsigned char)c) || c == '.' || c == '_' ? c : '-';
}

static void parcel_put_resource(cw_writer *out, const cw_zip_entry *entry)
{
    cw_put_text(out, "{\"name\":\"");
    for (const char *at = cw_archived_name(entry->name); *at; at++)
        cw_put_char(out, cw_parcel_name_byte(*at));
    cw_json_text(out, "\",\"path\":", crawl_slice_from(entry->name));
    cw_put_format(out, ",\"hash\":\"sha256:%s\",\"bytes\":%llu}", entry->sha256, (unsigned long long)entry->size);
}

static crawl_err parcel_put_manifest(const cw_parcel *parcel, const cw_zip *zip, const char *created, crawl_buf *text)
{
    cw_writer out = {.out = text};
    crawl_slice url = crawl_buf_slice(&parcel->main_url), title = crawl_buf_slice(&parcel->main_title);
    cw_put_format(
        &out, "{\"profile\":\"data-package\",\"wacz_version\":\"1.1.1\",\"created\":\"%s\",\"software\":\"crawl %s\"",
        created, crawl_version());
    cw_json_text(&out, ",\"title\":", title.size ? title : url);
    if (parcel->seed_count == 1)
        cw_json_text(&out, ",\"mainPageUrl\":", url);
    cw_put_text(&out, ",\"resources\":[");
    for (size_t i = 0; i < zip->count; i++) {
        cw_put_text(&out, i ? "," : "");
        parcel_put_resource(&out, &zip->entries[i]);
    }
    cw_put_text(&out, "]}\n");
    return out.err;
}

static crawl_err parcel_write_manifest(const cw_parcel *parcel, cw_zip *zip)
{
    char created[32];
    struct tm parts;
    time_t now = time(NULL);
    crawl_buf manifest = {0}, digest = {0};
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    crawl_err err = parcel_put_manifest(parcel, zip, created, &manifest);
    if (!err)
        err = cw_zip_add(zip, "datapackage.json", crawl_buf_slice(&manifest));
    if (!err)
        err = cw_parcel_sign(crawl_buf_slice(&manifest), created, &digest);
    if (!err)
        err = cw_zip_add(zip, "datapackage-digest.json", crawl_buf_slice(&digest));
    crawl_buf_free(&manifest);
    crawl_buf_free(&digest);
    return err;
}

static crawl_err parcel_write_warc(cw_parcel *parcel, const char *path, cw_zip *zip)
{
    crawl_slice bytes;
    crawl_buf name = {0};
    crawl_err err = cw_archived_map(path, &bytes, &parcel->error);
    if (!err)
        err = crawl_buf_printf(&name, "archive/%s", cw_archived_name(path));
    if (!err)
        err = cw_zip_add(zip, name.data, bytes);
    crawl_buf_free(&name);
    cw_warc_unmap(bytes);
    return err;
}

crawl_err cw_parcel_write(cw_parcel *parcel, cw_zip *zip)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < parcel->warc_count && !err; i++)
        err = parcel_write_warc(parcel, parcel->warcs[i], zip);
    if (!err)
        err = parcel_write_index(parcel, zip);
    if (!err)
        err = parcel_write_pages(zip, "pages/pages.jsonl", "\"id\":\"pages\",\"title\":\"All Pages\"", &parcel->seeds);
    if (!err)
        err = parcel_write_pages(zip, "pages/extraPages.jsonl", "\"id\":\"extra-pages\",\"title\":\"Extra Pages\"",
                                 &parcel->others);
    if (!err)
        err = parcel_write_manifest(parcel, zip);
    if (err == CRAWL_FULL)
        crawl_error_set(&parcel->error, err, "a parcel holds at most %u files", CW_ZIP_ENTRIES_MAX);
    return err;
}
