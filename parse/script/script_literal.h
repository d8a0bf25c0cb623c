/* The arrays and objects that stand in a script as literals. */
#pragma once

#include "parse/script/script_scope.h"

/* Returns the token of the value of a property at i, {key: value} or {key}. 0: it is none such. */
uint32_t cw_script_property(const cw_script_scope *s, uint32_t i);

/* Returns where an item or a property begins in the literal at a token; behind a spread, ...x, where that begins. 0: it
 * has no such. */
uint32_t cw_script_item_place(cw_script_scope *s, uint32_t literal, uint64_t index);

/* Returns the token of the value of a member. 0: the object has none, or its keys are not all known. */
uint32_t cw_script_member_place(cw_script_scope *s, uint32_t object, crawl_slice key);
