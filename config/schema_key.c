/* The values of one row of the schema: the words that it takes, and the sort that it is of. */
#include "config/schema.h"

cw_config_choice cw_config_key_choice(const cw_config_key *key, size_t index)
{
    if (key->word)
        return (cw_config_choice){key->word((int)index), (int)index};
    return key->choices ? key->choices[index] : (cw_config_choice){0};
}

const char *crawl_config_choice(const char *option, size_t index)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        if (!keys[i].option || strcmp(keys[i].option, option) != 0)
            continue;
        for (size_t at = 0; at < index; at++)
            if (!cw_config_key_choice(&keys[i], at).word)
                return NULL;
        return cw_config_key_choice(&keys[i], index).word;
    }
    return NULL;
}

bool cw_config_key_is_headers(const cw_config_key *key)
{
    return key->type == CW_HEADER || key->type == CW_COMMON;
}

bool cw_config_key_is_list(const cw_config_key *key)
{
    return cw_config_key_is_headers(key) || key->type == CW_PATTERN || key->type == CW_MEDIA_TYPE ||
           key->type == CW_COMMAND;
}

bool cw_config_key_is_text(const cw_config_key *key)
{
    return key->type == CW_STRING || key->type == CW_NAMES || key->type == CW_HEADERS || key->type == CW_TOKEN ||
           key->type == CW_PATH || key->type == CW_PROXY || key->type == CW_ROUTE || key->type == CW_LISTEN;
}

crawl_err cw_config_schema_default(const cw_config_key *key, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, key->fallback ? key->fallback : "");
    if (!err && key->versioned)
        err = crawl_buf_printf(out, "/%s", crawl_version());
    return err;
}
