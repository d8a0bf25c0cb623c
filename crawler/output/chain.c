/* See chain.h. */
#include "crawler/output/chain.h"

static const char field[] = ",\"chain\":\"";
static const char end[] = "\"}";

enum { FIELD_SIZE = sizeof field - 1, TAIL_SIZE = FIELD_SIZE + CW_OUTPUT_CHAIN_SIZE + sizeof end - 1 };

crawl_err cw_output_chain_open(cw_output_chain *chain)
{
    *chain = (cw_output_chain){.hash = crawl_fingerprinter_create()};
    return chain->hash ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_output_chain_close(cw_output_chain *chain)
{
    crawl_fingerprinter_free(chain->hash);
    crawl_buf_free(&chain->text);
    *chain = (cw_output_chain){0};
}

static crawl_err value_of(cw_output_chain *chain, const char *before, crawl_slice body,
                          char out[CW_OUTPUT_CHAIN_SIZE + 1])
{
    crawl_fingerprint value;
    crawl_buf_clear(&chain->text);
    crawl_err err = crawl_buf_append_text(&chain->text, before);
    if (!err)
        err = crawl_buf_append(&chain->text, body.data, body.size);
    if (!err)
        err = crawl_fingerprint_bytes(chain->hash, crawl_buf_slice(&chain->text), &value);
    if (!err)
        crawl_fingerprint_hex(&value, out);
    return err;
}

crawl_err cw_output_chain_append(cw_output_chain *chain, crawl_buf *line)
{
    crawl_err err = value_of(chain, chain->last, crawl_buf_slice(line), chain->last);
    return err ? err : crawl_buf_printf(line, "%s%s%s", field, chain->last, end);
}

/* The part of a line that its value stands for, and the value; false: it has none. */
static bool split(crawl_slice line, crawl_slice *body, char value[CW_OUTPUT_CHAIN_SIZE + 1])
{
    crawl_fingerprint parsed;
    if (line.size < TAIL_SIZE)
        return false;
    const char *tail = line.data + line.size - TAIL_SIZE;
    crawl_slice hex = crawl_slice_of(tail + FIELD_SIZE, CW_OUTPUT_CHAIN_SIZE);
    if (memcmp(tail, field, FIELD_SIZE) != 0 || memcmp(hex.data + hex.size, end, sizeof end - 1) != 0 ||
        crawl_fingerprint_parse(hex, &parsed))
        return false;
    *body = crawl_slice_of(line.data, line.size - TAIL_SIZE);
    crawl_fingerprint_hex(&parsed, value);
    return true;
}

void cw_output_chain_follow(cw_output_chain *chain, crawl_slice line)
{
    crawl_slice body;
    if (!split(line, &body, chain->last))
        *chain->last = '\0';
}

crawl_err cw_output_chain_check(cw_output_chain *chain, crawl_slice line, cw_output_chain_answer *answer)
{
    crawl_slice body;
    char claimed[CW_OUTPUT_CHAIN_SIZE + 1];
    char following[CW_OUTPUT_CHAIN_SIZE + 1];
    char beginning[CW_OUTPUT_CHAIN_SIZE + 1];
    *answer = CW_CHAIN_NONE;
    if (!split(line, &body, claimed))
        return CRAWL_OK;
    crawl_err err = value_of(chain, chain->last, body, following);
    if (!err)
        err = value_of(chain, "", body, beginning);
    if (err)
        return err;
    *answer = strcmp(claimed, following) == 0   ? CW_CHAIN_FOLLOWS
              : strcmp(claimed, beginning) == 0 ? CW_CHAIN_BEGINS
                                                : CW_CHAIN_BROKEN;
    if (!*chain->last && *answer == CW_CHAIN_FOLLOWS)
        *answer = CW_CHAIN_BEGINS;
    memcpy(chain->last, claimed, sizeof claimed);
    return CRAWL_OK;
}
