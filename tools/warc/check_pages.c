/* See check_parts.h: the index with its blocks, and the lists of pages. */
#include "base/bytes.h"
#include "base/json/json_read.h"
#include "base/json/pick.h"
#include "base/utf8.h"
#include "fetch/answer/decode.h"
#include "tools/common/refused_memory.h"
#include "tools/warc/archived.h"
#include "tools/warc/check_parts.h"

/* ---- the blocks of an index ---- */

enum { OFFSET, LENGTH, DIGEST, FIELDS };

typedef struct block_checking {
    cw_check *check;
    crawl_slice packed;
    uint64_t end; /* of the last block */
    unsigned long number;
    crawl_buf *lines;
} block_checking;

static void pages_check_block(block_checking *b, crawl_slice key, crawl_slice json)
{
    static const crawl_slice names[FIELDS] = {CW_JSON_NAME("offset"), CW_JSON_NAME("length"), CW_JSON_NAME("digest")};
    char hex[65] = "";
    cw_json_value values[FIELDS];
    if (cw_utf8_valid_prefix(json) != json.size || !cw_json_pick(json, names, FIELDS, values)) {
        cw_check_fault(b->check, "line", b->number,
                       "not a line of an index of blocks: expected KEY, TIME and a "
                       "JSON object");
        return;
    }
    double offset = cw_json_number(&values[OFFSET]), length = cw_json_number(&values[LENGTH]);
    if (offset != (double)b->end || length < 1 || length > (double)(b->packed.size - b->end)) {
        cw_check_fault(b->check, "line", b->number, "the block does not begin where the last one ends, or is too long");
        return;
    }
    crawl_slice member = crawl_slice_of(b->packed.data + b->end, (size_t)length), digest = values[DIGEST].bytes;
    size_t begin = b->lines->size;
    b->end += member.size;
    if (values[DIGEST].kind == CW_JSON_STRING &&
        (cw_zip_sha256(member, hex) || !cw_take_text(&digest, "sha256:") || !cw_is(digest, hex)))
        cw_check_fault(b->check, "line", b->number, "digest is not the SHA-256 of the block");
    cw_fetch_decoder decoder = {.count = 0};
    cw_tool_memory_must(cw_fetch_decoder_add(&decoder, crawl_slice_from("gzip")));
    crawl_err err = cw_tool_memory_must(cw_fetch_decoder_feed(&decoder, member, b->lines, SIZE_MAX));
    cw_fetch_decoder_clear(&decoder);
    if (err == CRAWL_EPARSE)
        cw_check_fault(b->check, "line", b->number, "the block is not a gzip member, or a damaged one");
    crawl_slice first = cw_drop(crawl_buf_slice(b->lines), begin);
    if (!err && !(first.size > key.size && memcmp(first.data, key.data, key.size) == 0 && first.data[key.size] == ' '))
        cw_check_fault(b->check, "line", b->number, "the key is not that of the first line of the block");
}

static void pages_check_blocks(block_checking *b, crawl_slice idx)
{
    if (!cw_starts_with(idx, "!meta 0 {"))
        cw_check_fault(b->check, "line", 1, "the first line is not !meta with the format");
    while (idx.size) {
        crawl_slice line = cw_cut_line(&idx);
        crawl_slice json = cw_drop(line, cw_find_text(line, " {"));
        b->number++;
        if (!cw_starts_with(line, "!meta"))
            pages_check_block(b, crawl_slice_of(line.data, line.size - json.size), json.size ? cw_drop(json, 1) : json);
    }
    if (b->end != b->packed.size)
        cw_check_fault(b->check, NULL, 0, "index.cdx.gz has more than the blocks that are named");
}

void cw_check_wacz_index(cw_check *check, const cw_zip *zip, crawl_buf *room, crawl_slice *index)
{
    const cw_zip_entry *plain = cw_zip_find(zip, "indexes/index.cdxj");
    const cw_zip_entry *packed = cw_zip_find(zip, "indexes/index.cdx.gz");
    const cw_zip_entry *blocks = cw_zip_find(zip, "indexes/index.idx");
    crawl_slice idx;
    crawl_buf content = {0};
    plain = plain ? plain : cw_zip_find(zip, "indexes/index.cdx");
    check->inner = plain ? plain->name : "indexes/index.idx";
    *index = (crawl_slice){0};
    if (plain) {
        cw_tool_memory_must(cw_zip_content(plain, room, index));
        return;
    }
    if (!packed || !blocks || packed->method || !packed->data.data) {
        check->inner = NULL;
        if (!packed || !blocks)
            cw_check_fault(check, NULL, 0, "there is no index.cdxj, nor index.cdx.gz with index.idx, in indexes/");
        return;
    }
    block_checking b = {.check = check, .packed = packed->data, .lines = room};
    if (!cw_tool_memory_must(cw_zip_content(blocks, &content, &idx)))
        pages_check_blocks(&b, idx);
    crawl_buf_free(&content);
    check->inner = packed->name;
    *index = crawl_buf_slice(room);
}

/* ---- pages ---- */

static void pages_check_page(cw_check *check, const json_t *page, unsigned long number, crawl_slice index, cw_map *ids)
{
    bool found = true;
    const char *url = json_string_value(json_object_get(page, "url"));
    const char *date = json_string_value(json_object_get(page, "ts"));
    const char *id = json_string_value(json_object_get(page, "id"));
    if (!url || !date) {
        cw_check_fault(check, "line", number, "a page without url or ts");
        return;
    }
    if (!cw_check_is_date(crawl_slice_from(date)))
        cw_check_fault(check, "line", number, "ts is not an RFC 3339 date");
    if (id && !cw_check_is_new_id(ids, crawl_slice_from(id)))
        cw_check_fault(check, "line", number, "a second page with this id");
    cw_tool_memory_must(cw_archived_answer(index, crawl_slice_from(url), (crawl_slice){0}, false, &found));
    if (!found)
        cw_check_fault(check, "line", number, "the page is not in the index: %s", url);
}

static void pages_check_lines(cw_check *check, crawl_slice lines, crawl_slice index, cw_map *ids)
{
    for (unsigned long number = 1; lines.size; number++) {
        crawl_slice line = cw_trim(cw_cut_line(&lines));
        json_t *page = line.size ? cw_json_read(line, NULL) : NULL;
        if (line.size && !json_is_object(page))
            cw_check_fault(check, "line", number, "not a JSON object");
        else if (number == 1 && !json_object_get(page, "format"))
            cw_check_fault(check, "line", number,
                           "the first line is not a header with a format: readers lose this "
                           "page");
        else if (number > 1 && line.size)
            pages_check_page(check, page, number, index, ids);
        json_decref(page);
    }
}

void cw_check_wacz_pages(cw_check *check, const cw_zip_entry *pages, crawl_slice index)
{
    crawl_buf room = {0};
    crawl_slice lines;
    cw_map *ids = cw_tool_memory_granted(cw_map_create((uintptr_t)check));
    crawl_err err = cw_tool_memory_must(cw_zip_content(pages, &room, &lines));
    check->inner = pages->name;
    if (!err && !lines.size)
        cw_check_fault(check, NULL, 0, "it is empty: not even a header");
    if (!err)
        pages_check_lines(check, lines, index, ids);
    cw_map_free_values(ids);
    crawl_buf_free(&room);
}
