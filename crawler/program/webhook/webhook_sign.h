/* Signatures of Standard Webhooks 1.0.0: HMAC-SHA256 over "ID.TIMESTAMP.BODY". A secret is "whsec_" and base64. */
#pragma once

#include <crawl/base.h>

#define CW_WEBHOOK_SECRETS_MAX 4 /* the new and the old one while a secret is replaced, and some more */
#define CW_WEBHOOK_SECRET_LEAST 24
#define CW_WEBHOOK_SECRET_MOST 64 /* bytes, from the standard */

typedef struct cw_webhook_secrets {
    struct {
        unsigned char bytes[CW_WEBHOOK_SECRET_MOST];
        size_t size;
    } items[CW_WEBHOOK_SECRETS_MAX];
    size_t count;
} cw_webhook_secrets;

/* Reads secrets separated by spaces. CRAWL_EPARSE: a bad secret, too many, or none. */
crawl_err cw_webhook_secrets_read(crawl_slice text, cw_webhook_secrets *out);

/* Appends the value of webhook-signature, with one signature for each secret. seconds: since 1970. CRAWL_ENOMEM. */
crawl_err cw_webhook_sign(const cw_webhook_secrets *secrets, const char *id, int64_t seconds, crawl_slice body,
                          crawl_buf *out);
