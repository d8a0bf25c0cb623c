#include "crawler/program/webhook/webhook_sign.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { SHA256_BYTES = 32, DIGITS_MAX = (CW_WEBHOOK_SECRET_MOST + 2) / 3 * 4 };

/* Adds a secret from its base64, padded or not. */
static bool webhook_sign_add(cw_webhook_secrets *secrets, crawl_slice digits)
{
    if (secrets->count == CW_WEBHOOK_SECRETS_MAX || digits.size > DIGITS_MAX)
        return false;
    unsigned char bytes[DIGITS_MAX / 4 * 3];
    size_t size = 0;
    size_t used = cw_base64_decode(digits, "+/", bytes, &size);
    crawl_slice rest = cw_drop(digits, used);
    bool is_padded =
        rest.size == 0 || (rest.size == (4 - used % 4) % 4 && rest.data[rest.size - 1] == '=' && rest.data[0] == '=');
    if (!is_padded || used % 4 == 1 || size < CW_WEBHOOK_SECRET_LEAST || size > CW_WEBHOOK_SECRET_MOST)
        return false;
    memcpy(secrets->items[secrets->count].bytes, bytes, size);
    secrets->items[secrets->count++].size = size;
    explicit_bzero(bytes, sizeof bytes);
    return true;
}

crawl_err cw_webhook_secrets_read(crawl_slice text, cw_webhook_secrets *out)
{
    *out = (cw_webhook_secrets){0};
    for (crawl_slice word = cw_take_word(&text, false); word.size; word = cw_take_word(&text, false))
        if (!cw_take_text(&word, "whsec_") || !webhook_sign_add(out, word))
            return CRAWL_EPARSE;
    return out->count ? CRAWL_OK : CRAWL_EPARSE;
}

crawl_err cw_webhook_sign(const cw_webhook_secrets *secrets, const char *id, int64_t seconds, crawl_slice body,
                          crawl_buf *out)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "%s.%" PRId64 ".", id, seconds);
    if (!err)
        err = crawl_buf_append(&text, body.data, body.size);
    for (size_t i = 0; i < secrets->count && !err; i++) {
        unsigned char mac[SHA256_BYTES];
        unsigned size;
        const unsigned char *signed_text = (const unsigned char *)text.data;
        bool is_made = HMAC(EVP_sha256(), secrets->items[i].bytes, (int)secrets->items[i].size, signed_text, text.size,
                            mac, &size) != NULL;
        err = is_made ? crawl_buf_append_text(out, i ? " v1," : "v1,") : CRAWL_ENOMEM;
        if (!err)
            err = cw_base64_append(crawl_slice_of(mac, sizeof mac), out);
    }
    crawl_buf_free(&text);
    return err;
}
