/* Fingerprints of many URLs in one call, see <crawl/fingerprint.h>: canonical form and hash of each, one after the
 * other, with the memory of the one before. */
#include <crawl/fingerprint.h>
#include <crawl/url.h>

#include <string.h>

/* A text without a canonical form is an expected answer and no failure. */
static crawl_err hash_one(crawl_fingerprinter *fingerprinter, const crawl_fingerprint_options *options,
                          crawl_slice canonical, crawl_fingerprint *out)
{
    crawl_slice none = {0};
    return crawl_fingerprint_by(fingerprinter, options, none, canonical, none, NULL, 0, out);
}

crawl_err crawl_fingerprint_urls(crawl_fingerprinter *fingerprinter, crawl_fingerprint_kind kind,
                                 const crawl_slice *urls, size_t count, crawl_fingerprint *out, uint8_t *valid)
{
    crawl_fingerprint_options options = {.size = sizeof options, .kind = kind};
    crawl_canonical_options form = {.size = sizeof form, .profile = CRAWL_PROFILE_W3LIB};
    if (kind == CRAWL_FINGERPRINT_DEFAULT)
        form.profile = CRAWL_PROFILE_DEFAULT;
    crawl_buf canonical = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && err != CRAWL_ENOMEM; i++) {
        crawl_buf_clear(&canonical);
        memset(&out[i], 0, sizeof out[i]);
        err = crawl_text_canonical(urls[i], &form, &canonical);
        if (!err)
            err = hash_one(fingerprinter, &options, crawl_buf_slice(&canonical), &out[i]);
        valid[i] = err == CRAWL_OK;
    }
    crawl_buf_free(&canonical);
    return err == CRAWL_ENOMEM ? err : CRAWL_OK;
}
