/* The directory of a crawler's keys: a JWK Set, and the headers of an answer that prove possession of the private
 * halves (draft-ietf-webbotauth-httpsig-protocol-01). */
#include "base/json/json_write.h"
#include "fetch/identity/public_key.h"
#include "fetch/identity/signature.h"

#include <stdio.h>

static void put_key(cw_writer *to, const crawl_identity *identity)
{
    crawl_buf x = {0};
    crawl_slice bytes = crawl_slice_of(crawl_identity_key(identity), CRAWL_IDENTITY_KEY_SIZE);
    if (!to->err)
        to->err = cw_identity_base64url_append(bytes, &x);
    cw_json_words(to, "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":", crawl_identity_thumbprint(identity));
    cw_json_text(to, ",\"x\":", crawl_buf_slice(&x));
    cw_put_text(to, ",\"use\":\"sig\"}");
    crawl_buf_free(&x);
}

crawl_err crawl_directory_write(const crawl_identity *const *identities, size_t count, crawl_buf *out)
{
    cw_writer to = {.out = out};
    cw_put_text(&to, "{\"keys\":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            cw_put_char(&to, ',');
        put_key(&to, identities[i]);
    }
    cw_put_text(&to, "]}");
    return to.err;
}

static crawl_err sign_answer(const crawl_identity *identity, size_t index, const crawl_message *answer,
                             int64_t created_s, int64_t expires_s, crawl_buf *out)
{
    static const cw_identity_cover cover = {
        .items = {{.name = {"@authority", sizeof "@authority" - 1}, .of_request = true},
                  {.name = {"content-digest", sizeof "content-digest" - 1}}},
        .count = 2,
    };
    const cw_identity_parameters parameters = {
        .created_s = created_s, .expires_s = expires_s, .tag = "http-message-signatures-directory"};
    char label[32];
    const char *why;
    snprintf(label, sizeof label, "binding%zu", index);
    return cw_identity_sign(identity, crawl_slice_from(label), &cover, &parameters, answer, out, &why);
}

crawl_err crawl_directory_sign(const crawl_identity *const *identities, size_t count, crawl_slice body,
                               const char *host, int64_t created_s, int64_t expires_s, crawl_buf *out)
{
    crawl_buf digest = {0}, url = {0};
    crawl_err err = cw_identity_digest(body, &digest);
    if (!err)
        err = crawl_buf_printf(&url, "https://%s" CRAWL_IDENTITY_WELL_KNOWN, host);
    if (!err)
        err = crawl_buf_printf(out, "Content-Type: " CRAWL_IDENTITY_MEDIA_TYPE "\nContent-Digest: %s\n", digest.data);
    const crawl_header header = {crawl_slice_from("Content-Digest"), crawl_buf_slice(&digest)};
    const crawl_message answer = {.size = sizeof answer,
                                  .url = crawl_buf_slice(&url),
                                  .headers = &header,
                                  .header_count = 1,
                                  .body = body,
                                  .is_answer = true};
    for (size_t i = 0; i < count && !err; i++)
        err = sign_answer(identities[i], i, &answer, created_s, expires_s, out);
    crawl_buf_free(&digest);
    crawl_buf_free(&url);
    return err;
}
