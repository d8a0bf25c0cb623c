/* Lines in a chain. See <crawl/output.h>. */
#include <crawl/sys/request_log.h>
#include <stdlib.h>

#define CHAIN_SIZE (2 * CRAWL_FINGERPRINT_SIZE)

struct crawl_chain {
    crawl_fingerprinter *hash;
    crawl_buf text;
    char last[CHAIN_SIZE + 1]; /* value of the last line; "": none */
};

static const char field[] = ",\"chain\":\"";
static const char end[] = "\"}";

enum { FIELD_SIZE = sizeof field - 1, TAIL_SIZE = FIELD_SIZE + CHAIN_SIZE + sizeof end - 1 };

crawl_chain *crawl_chain_create(void)
{
    crawl_chain *chain = calloc(1, sizeof *chain);
    if (chain)
        chain->hash = crawl_fingerprinter_create();
    if (chain && chain->hash)
        return chain;
    free(chain);
    return NULL;
}

void crawl_chain_free(crawl_chain *chain)
{
    if (!chain)
        return;
    crawl_fingerprinter_free(chain->hash);
    crawl_buf_free(&chain->text);
    free(chain);
}

/* Computes the value of a line that follows the value `before`. */
static crawl_err output_chain_value_of(crawl_chain *chain, const char *before, crawl_slice body,
                                       char out[CHAIN_SIZE + 1])
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

crawl_err crawl_chain_append(crawl_chain *chain, crawl_buf *line)
{
    crawl_err err = output_chain_value_of(chain, chain->last, crawl_buf_slice(line), chain->last);
    return err ? err : crawl_buf_printf(line, "%s%s%s", field, chain->last, end);
}

/* Splits a line into its chain value and the text below it. Returns false if the line has no value. */
static bool output_chain_split(crawl_slice line, crawl_slice *body, char value[CHAIN_SIZE + 1])
{
    crawl_fingerprint parsed;
    if (line.size < TAIL_SIZE)
        return false;
    const char *tail = line.data + line.size - TAIL_SIZE;
    crawl_slice hex = crawl_slice_of(tail + FIELD_SIZE, CHAIN_SIZE);
    if (memcmp(tail, field, FIELD_SIZE) != 0 || memcmp(hex.data + hex.size, end, sizeof end - 1) != 0 ||
        crawl_fingerprint_parse(hex, &parsed))
        return false;
    *body = crawl_slice_of(line.data, line.size - TAIL_SIZE);
    crawl_fingerprint_hex(&parsed, value);
    return true;
}

void crawl_chain_follow(crawl_chain *chain, crawl_slice line)
{
    crawl_slice body;
    if (!output_chain_split(line, &body, chain->last))
        *chain->last = '\0';
}

crawl_err crawl_chain_check(crawl_chain *chain, crawl_slice line, crawl_chain_answer *answer)
{
    crawl_slice body;
    char claimed[CHAIN_SIZE + 1];
    char following[CHAIN_SIZE + 1];
    char beginning[CHAIN_SIZE + 1];
    *answer = CRAWL_CHAIN_NONE;
    if (!output_chain_split(line, &body, claimed))
        return CRAWL_OK;
    crawl_err err = output_chain_value_of(chain, chain->last, body, following);
    if (!err)
        err = output_chain_value_of(chain, "", body, beginning);
    if (err)
        return err;
    *answer = strcmp(claimed, following) == 0   ? CRAWL_CHAIN_FOLLOWS
              : strcmp(claimed, beginning) == 0 ? CRAWL_CHAIN_BEGINS
                                                : CRAWL_CHAIN_BROKEN;
    if (!*chain->last && *answer == CRAWL_CHAIN_FOLLOWS)
        *answer = CRAWL_CHAIN_BEGINS;
    memcpy(chain->last, claimed, sizeof claimed);
    return CRAWL_OK;
}
