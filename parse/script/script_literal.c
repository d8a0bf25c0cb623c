#include "parse/script/script_literal.h"

uint32_t cw_script_property(const cw_script_scope *s, uint32_t i)
{
    bool is_key = cw_script_is_any(s, i, "ws0");
    if (is_key && cw_script_kind(s, i + 1) == ':')
        return i + 2;
    return is_key && cw_script_kind(s, i) == CW_SCRIPT_WORD && cw_script_is_any(s, i + 1, ",}") ? i : 0;
}

uint32_t cw_script_item_place(cw_script_scope *s, uint32_t literal, uint64_t index)
{
    uint32_t close = s->tokens.list[literal].extent, i = literal + 1;
    while (index-- && i < close && cw_script_kind(s, i) != '.' && cw_script_spend(s, 1))
        i = cw_script_behind_comma(s, i, close);
    return i < close ? i : 0;
}

uint32_t cw_script_member_place(cw_script_scope *s, uint32_t object, crawl_slice key)
{
    uint32_t close = s->tokens.list[object].extent, found = 0;
    for (uint32_t i = object + 1; i < close; i = cw_script_behind_comma(s, i, close)) {
        uint32_t value = cw_script_property(s, i);
        if (!value)
            return 0;
        if (crawl_slice_equal(cw_script_text(s, i), key))
            found = value;
    }
    return found;
}
