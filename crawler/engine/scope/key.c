#include "crawler/engine/scope/key.h"

#include "config/config_values.h"

crawl_err cw_scope_key_open(const crawl_config *config, cw_scope_key_rules *rules, crawl_error *error)
{
    crawl_error why = {0};
    *rules = (cw_scope_key_rules){
        .canonical = {.size = sizeof rules->canonical, .profile = config->canonical},
        .fingerprint = {.size = sizeof rules->fingerprint, .kind = config->fingerprint},
    };
    /* A fingerprint equals Scrapy's only if it is made from the same form of the URL. */
    if (config->fingerprint != CRAWL_FINGERPRINT_DEFAULT)
        rules->canonical.profile = CRAWL_PROFILE_W3LIB;
    if (!config->drop_params)
        return CRAWL_OK;
    crawl_err err = crawl_drop_params_create(crawl_slice_from(config->drop_params), &rules->drop, &why);
    rules->canonical.drop = rules->drop;
    return err ? crawl_error_set(error, err, "seen.drop_params: %s", why.message) : CRAWL_OK;
}

void cw_scope_key_close(cw_scope_key_rules *rules)
{
    crawl_drop_params_free(rules->drop);
    *rules = (cw_scope_key_rules){0};
}

crawl_err cw_scope_key_canonical(const cw_scope_key_rules *rules, const crawl_url *url, crawl_buf *out)
{
    crawl_buf_clear(out);
    return crawl_url_canonical_by(url, &rules->canonical, out);
}

crawl_err cw_scope_key_fingerprint(const cw_scope_key_rules *rules, crawl_fingerprinter *fingerprinter,
                                   crawl_slice method, crawl_slice canonical, crawl_slice body, crawl_fingerprint *out)
{
    return crawl_fingerprint_by(fingerprinter, &rules->fingerprint, method, canonical, body, NULL, 0, out);
}

/* Change this number whenever one of the forms named below is made differently. */
#define RULES "v1"

crawl_err cw_scope_key_describe(const crawl_config *config, const cw_scope_key_rules *rules, crawl_buf *out)
{
    static const char *const kinds[] = {
        [CRAWL_FINGERPRINT_DEFAULT] = "default",
        [CRAWL_FINGERPRINT_SCRAPY_26] = "scrapy-2.6",
        [CRAWL_FINGERPRINT_SCRAPY_27] = "scrapy-2.7",
        [CRAWL_FINGERPRINT_SCRAPY_REDIS] = "scrapy-redis-0.8",
    };
    bool w3lib = rules->canonical.profile == CRAWL_PROFILE_W3LIB;
    return crawl_buf_printf(out, RULES " canonical=%s fingerprint=%s drop_params=%s", w3lib ? "w3lib" : "default",
                            kinds[rules->fingerprint.kind], config->drop_params ? config->drop_params : "");
}
