/* The mapping of UTS 46 (4, step 1) and the properties of characters, from the table that scripts/idna-tables makes of
 * published data. */
#include "parse/idna/idna_private.h"

#include "base/utf8.h"
#include "parse/idna/idna_table.h"

#include <crawl/url.h>

const char *crawl_unicode_version(void)
{
    return IDNA_UNICODE;
}

/* The kind of a code point; negative: it is in no block, and disallowed. */
static int kind_of(uint32_t code)
{
    if (code >= IDNA_END) {
        if (code - IDNA_TAIL >= IDNA_TAIL_SIZE)
            return -1;
        code = code - IDNA_TAIL + IDNA_END;
    }
    uint32_t in_block = code & ((1u << IDNA_SHIFT) - 1);
    return idna_rows[(uint32_t)idna_blocks[code >> IDNA_SHIFT] << IDNA_SHIFT | in_block];
}

static unsigned mapping_of(uint32_t code)
{
    int kind = kind_of(code);
    return kind < 0 ? IDNA_DISALLOWED : idna_mappings[kind];
}

unsigned cw_idna_properties(uint32_t code)
{
    int kind = kind_of(code);
    return kind < 0 ? 0 : idna_properties[kind];
}

static crawl_err append(uint32_t code, cw_codes *out)
{
    if (out->count == CW_CODES_MAX)
        return CRAWL_EPARSE;
    out->code[out->count++] = code;
    return CRAWL_OK;
}

/* The text behind its size. */
static crawl_err append_text(const uint8_t *sized, cw_codes *out)
{
    const char *at = (const char *)sized + 1;
    const char *end = at + sized[0];
    crawl_err err = CRAWL_OK;
    while (at < end && !err) {
        cw_utf8 next = cw_utf8_next(at, end);
        err = append(next.code, out);
        at += next.size;
    }
    return err;
}

crawl_err cw_idna_map(uint32_t code, cw_codes *out)
{
    unsigned mapping = mapping_of(code);
    switch (mapping) {
    case IDNA_VALID:
        return append(code, out);
    case IDNA_DISALLOWED:
        return CRAWL_EPARSE;
    case IDNA_IGNORED:
        return CRAWL_OK;
    default:
        return append_text(idna_texts + mapping, out);
    }
}

bool cw_idna_is_valid(uint32_t code)
{
    return mapping_of(code) == IDNA_VALID;
}
