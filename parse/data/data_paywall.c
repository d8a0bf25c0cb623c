#include "parse/data/data_paywall.h"

#include "base/bytes.h"

#include <jansson.h>

/* Parts inside one another that are looked at; publishers write one level. */
enum { PAYWALL_LEVELS = 4 };

static const char paywall_key[] = "isAccessibleForFree";

static bool paywall_is_false(const json_t *value)
{
    if (!json_is_string(value))
        return json_is_false(value);
    crawl_slice text = cw_trim(crawl_slice_of(json_string_value(value), json_string_length(value)));
    return cw_is_nocase(text, "false") || cw_is_nocase(text, "http://schema.org/False") ||
           cw_is_nocase(text, "https://schema.org/False");
}

static bool paywall_is_said(const json_t *value, int levels)
{
    size_t i;
    const json_t *item;
    if (!levels)
        return false;
    if (json_is_object(value))
        return paywall_is_false(json_object_get(value, paywall_key)) ||
               paywall_is_said(json_object_get(value, "@graph"), levels - 1) ||
               paywall_is_said(json_object_get(value, "hasPart"), levels - 1);
    json_array_foreach(value, i, item)
        if (json_is_object(item) && paywall_is_said(item, levels))
            return true;
    return false;
}

crawl_err cw_data_paywall_read(crawl_slice json_ld, bool *out)
{
    *out = false;
    if (!memmem(json_ld.data, json_ld.size, paywall_key, sizeof paywall_key - 1))
        return CRAWL_OK;
    json_t *read = json_loadb(json_ld.data, json_ld.size, 0, NULL);
    if (!read)
        return CRAWL_ENOMEM;
    *out = paywall_is_said(read, PAYWALL_LEVELS);
    json_decref(read);
    return CRAWL_OK;
}
