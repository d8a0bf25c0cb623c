#include "parse/data/data_facts.h"

#include "base/array.h"
#include "base/bytes.h"
#include "parse/extract/extract_text.h"

#include <stdlib.h>

/* --- memory --- */

void cw_data_facts_reset(cw_data_facts *facts, size_t most)
{
    if (facts->capacity * sizeof *facts->facts > most) {
        free(facts->facts);
        facts->facts = NULL;
        facts->capacity = 0;
    }
    cw_buf_trim(&facts->text, most);
    cw_buf_trim(&facts->name, most);
    cw_buf_trim(&facts->value, most);
    cw_buf_trim(&facts->heading, most);
    facts->has_items = facts->is_cut = facts->in_script = facts->is_silent = facts->is_full = false;
    facts->count = facts->broken = 0;
    facts->seen = facts->depth = 0;
}

void cw_data_facts_free(cw_data_facts *facts)
{
    cw_data_facts_reset(facts, 0);
    free(facts->facts);
    facts->facts = NULL;
}

/* --- facts --- */

/* Returns true if there is room for another fact with this many bytes. */
static bool data_facts_has_room(cw_data_facts *facts, size_t bytes)
{
    bool fits = facts->count < CW_DATA_MAX_FACTS && bytes <= CW_DATA_MAX_FACT_BYTES - facts->text.size;
    facts->is_cut = facts->is_cut || !fits;
    return fits;
}

static crawl_err data_facts_append(cw_data_facts *facts, crawl_slice text, uint32_t *at, uint32_t *size)
{
    *at = (uint32_t)facts->text.size;
    *size = (uint32_t)text.size;
    return text.size ? crawl_buf_append(&facts->text, text.data, text.size) : CRAWL_OK;
}

crawl_err cw_data_facts_add(cw_data_facts *facts, cw_data_kind kind, crawl_slice name, crawl_slice value,
                            uint32_t *index)
{
    cw_data_fact fact = {.kind = kind};
    bool fits = data_facts_has_room(facts, name.size + value.size);
    if (index)
        *index = fits ? (uint32_t)facts->count : UINT32_MAX;
    if (!fits)
        return CRAWL_OK;
    crawl_err err = CW_ARRAY_RESERVE(facts->facts, facts->capacity, facts->count + 1, 32);
    if (!err)
        err = data_facts_append(facts, name, &fact.name_at, &fact.name_size);
    if (!err)
        err = data_facts_append(facts, value, &fact.value_at, &fact.value_size);
    if (err)
        return err;
    facts->facts[facts->count++] = fact;
    facts->seen |= 1u << kind;
    return CRAWL_OK;
}

crawl_err cw_data_facts_set(cw_data_facts *facts, uint32_t index, crawl_slice text)
{
    size_t at = facts->text.size;
    if (index == UINT32_MAX)
        return CRAWL_OK;
    if (text.size > CW_DATA_MAX_FACT_BYTES - at) {
        facts->is_cut = true;
        return CRAWL_OK;
    }
    crawl_err err = cw_extract_collapse(text, &facts->text);
    facts->facts[index].value_at = (uint32_t)at;
    facts->facts[index].value_size = (uint32_t)(facts->text.size - at);
    return err;
}
