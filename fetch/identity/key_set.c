#include "fetch/identity/public_key.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json/pick.h"
#include "base/utf8.h"

#include <stdlib.h>

struct crawl_keys {
    size_t count;
    cw_identity_public keys[CRAWL_KEYS_MAX];
    crawl_key_info infos[CRAWL_KEYS_MAX];
};

/* Returns a date of RFC 7519 (2), in seconds, which may have decimals; 0: none. */
static int64_t date_of(const cw_json_value *value)
{
    const double beyond = 1e15;
    double seconds = cw_json_number(value);
    return seconds > 0 && seconds < beyond ? (int64_t)seconds : 0;
}

static void read_info(crawl_slice jwk, const cw_identity_public *key, crawl_key_info *info)
{
    enum { KID, D, NBF, EXP, COUNT };
    static const crawl_slice names[COUNT] = {CW_JSON_NAME("kid"), CW_JSON_NAME("d"), CW_JSON_NAME("nbf"),
                                             CW_JSON_NAME("exp")};
    cw_json_value values[COUNT];
    if (!cw_json_pick(jwk, names, COUNT, values))
        return;
    *info = (crawl_key_info){
        .is_ed25519 = key->is_ed25519,
        .has_kid = values[KID].kind != CW_JSON_MISSING,
        .kid_fits = values[KID].kind == CW_JSON_STRING && cw_is(values[KID].bytes, key->thumbprint),
        .has_private = values[D].kind != CW_JSON_MISSING,
        .not_before_s = date_of(&values[NBF]),
        .expires_s = date_of(&values[EXP]),
    };
    memcpy(info->thumbprint, key->thumbprint, sizeof info->thumbprint);
}

/* Adds a key; ignores keys of other kinds. */
static crawl_err add_key(crawl_keys *keys, const cw_json_value *element)
{
    if (element->kind != CW_JSON_OBJECT)
        return CRAWL_OK;
    if (keys->count == CRAWL_KEYS_MAX)
        return CRAWL_FULL;
    cw_identity_public *key = &keys->keys[keys->count];
    crawl_err err = cw_identity_public_parse(element->bytes, key, NULL);
    if (!err)
        read_info(element->bytes, key, &keys->infos[keys->count++]);
    else
        cw_identity_public_free(key);
    return err == CRAWL_EPARSE ? CRAWL_OK : err;
}

crawl_err crawl_keys_parse(crawl_slice json, crawl_keys **out, crawl_error *error)
{
    static const crawl_slice name = CW_JSON_NAME("keys");
    cw_json_value list, element;
    if (json.size > CRAWL_KEYS_BYTES)
        return crawl_error_set(error, CRAWL_FULL, "a set of keys has more than %d bytes", CRAWL_KEYS_BYTES);
    if (cw_utf8_valid_prefix(json) < json.size || !cw_json_pick(json, &name, 1, &list) || list.kind != CW_JSON_ARRAY)
        return crawl_error_set(error, CRAWL_EPARSE, "not a set of keys: expected a JSON object with a list \"keys\"");
    crawl_keys *keys = calloc(1, sizeof *keys);
    crawl_err err = keys ? CRAWL_OK : CRAWL_ENOMEM;
    while (!err && cw_json_next_element(&list.bytes, &element))
        err = add_key(keys, &element);
    if (!err) {
        *out = keys;
        return CRAWL_OK;
    }
    crawl_keys_free(keys);
    return err == CRAWL_FULL ? crawl_error_set(error, err, "a set of keys has more than %d", CRAWL_KEYS_MAX)
                             : cw_error(error, err);
}

void crawl_keys_free(crawl_keys *keys)
{
    for (size_t i = 0; keys && i < keys->count; i++)
        cw_identity_public_free(&keys->keys[i]);
    free(keys);
}

size_t crawl_keys_count(const crawl_keys *keys)
{
    return keys->count;
}

void crawl_keys_get(const crawl_keys *keys, size_t index, crawl_key_info *out)
{
    *out = keys->infos[index];
}

const cw_identity_public *cw_identity_keys_at(const crawl_keys *keys, size_t index)
{
    return &keys->keys[index];
}

const cw_identity_public *cw_identity_keys_find(const crawl_keys *keys, crawl_slice thumbprint)
{
    for (size_t i = 0; keys && i < keys->count; i++)
        if (cw_is(thumbprint, keys->keys[i].thumbprint))
            return &keys->keys[i];
    return NULL;
}

crawl_err crawl_jwk_thumbprint(crawl_slice jwk, crawl_buf *out, crawl_error *error)
{
    cw_identity_public key = {0};
    if (cw_utf8_valid_prefix(jwk) < jwk.size)
        return crawl_error_set(error, CRAWL_EPARSE, "a key is not a JSON object");
    crawl_err err = cw_identity_public_parse(jwk, &key, error);
    if (!err)
        err = crawl_buf_append_text(out, key.thumbprint);
    cw_identity_public_free(&key);
    return err;
}
