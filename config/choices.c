#include "config/choices.h"

#include <crawl/links.h>
#include <crawl/preferences.h>

const cw_config_choice cw_config_orders[] = {
    {"bfs", CRAWL_ORDER_BFS},
    {"dfs", CRAWL_ORDER_DFS},
    {"best", CRAWL_ORDER_BEST},
    {0},
};

const cw_config_choice cw_config_scopes[] = {
    {"host", CRAWL_SCOPE_HOST},
    {"domain", CRAWL_SCOPE_DOMAIN},
    {"prefix", CRAWL_SCOPE_PREFIX},
    {"any", CRAWL_SCOPE_ANY},
    {0},
};

const cw_config_choice cw_config_profiles[] = {{"default", CRAWL_PROFILE_DEFAULT}, {"w3lib", CRAWL_PROFILE_W3LIB}, {0}};

const cw_config_choice cw_config_redis_layouts[] = {
    {"crawl", CRAWL_REDIS_LAYOUT_CRAWL},
    {"scrapy-redis", CRAWL_REDIS_LAYOUT_SCRAPY_REDIS},
    {0},
};

const cw_config_choice cw_config_fingerprints[] = {
    {"default", CRAWL_FINGERPRINT_DEFAULT},
    {"scrapy-2.6", CRAWL_FINGERPRINT_SCRAPY_26},
    {"scrapy-2.7", CRAWL_FINGERPRINT_SCRAPY_27},
    {"scrapy-redis-0.8", CRAWL_FINGERPRINT_SCRAPY_REDIS},
    {0},
};

const cw_config_choice cw_config_elements[] = {
    {"a", CRAWL_LINK_A},
    {"area", CRAWL_LINK_AREA},
    {"link", CRAWL_LINK_LINK},
    {"frame", CRAWL_LINK_FRAME},
    {"iframe", CRAWL_LINK_IFRAME},
    {"refresh", CRAWL_LINK_REFRESH},
    {"img", CRAWL_LINK_IMG},
    {"source", CRAWL_LINK_SOURCE},
    {"script", CRAWL_LINK_SCRIPT},
    {"form", CRAWL_LINK_FORM},
    {"video", CRAWL_LINK_VIDEO},
    {"audio", CRAWL_LINK_AUDIO},
    {"track", CRAWL_LINK_TRACK},
    {"embed", CRAWL_LINK_EMBED},
    {"object", CRAWL_LINK_OBJECT},
    {"input", CRAWL_LINK_INPUT},
    {"body", CRAWL_LINK_BODY},
    {"script-data", CRAWL_LINK_SCRIPT_DATA},
    {"script-text", CRAWL_LINK_SCRIPT_TEXT},
    {"data-href", CRAWL_LINK_DATA_HREF},
    {"elements", CRAWL_LINK_PAGES},
    {"scripts", CRAWL_LINK_SCRIPTS | CRAWL_LINK_SCRIPT},
    {0},
};

const cw_config_choice cw_config_uses[] = {
    {"train", 1 << CRAWL_USE_TRAIN}, {"input", 1 << CRAWL_USE_INPUT}, {"search", 1 << CRAWL_USE_SEARCH}, {0}};

const cw_config_choice cw_config_extractors[] = {
    {"scan", CRAWL_EXTRACTOR_SCAN}, {"libxml2", CRAWL_EXTRACTOR_LIBXML2}, {0}};

const cw_config_choice cw_config_renders[] = {
    {"never", CRAWL_RENDER_NEVER}, {"auto", CRAWL_RENDER_AUTO}, {"always", CRAWL_RENDER_ALWAYS}, {0}};

const cw_config_choice cw_config_dedupes[] = {
    {"off", CRAWL_DEDUPE_OFF}, {"exact", CRAWL_DEDUPE_EXACT}, {"near", CRAWL_DEDUPE_NEAR}, {0}};

const cw_config_choice cw_config_resolvers[] = {
    {"evdns", CRAWL_RESOLVER_EVDNS}, {"system", CRAWL_RESOLVER_SYSTEM}, {0}};

const cw_config_choice cw_config_signs[] = {
    {"never", CRAWL_SIGN_NEVER}, {"asked", CRAWL_SIGN_ASKED}, {"always", CRAWL_SIGN_ALWAYS}, {0}};

const cw_config_choice cw_config_sign_forms[] = {
    {"dictionary", CRAWL_SIGNING_DICTIONARY}, {"string", CRAWL_SIGNING_STRING}, {0}};

const cw_config_choice cw_config_sign_components[] = {
    {"full", CRAWL_SIGNING_FULL}, {"minimal", CRAWL_SIGNING_MINIMAL}, {0}};

const cw_config_choice cw_config_digests[] = {{"sha1", CRAWL_DIGEST_SHA1}, {"none", CRAWL_DIGEST_NONE}, {0}};

const cw_config_choice cw_config_texts[] = {
    {"none", CRAWL_RECORD_TEXT_NONE},
    {"plain", CRAWL_RECORD_TEXT_PLAIN},
    {"markdown", CRAWL_RECORD_TEXT_MARKDOWN},
    {"all", CRAWL_RECORD_TEXT_ALL},
    {"all-markdown", CRAWL_RECORD_TEXT_ALL_MARKDOWN},
    {0},
};

const cw_config_choice cw_config_existings[] = {
    {"refuse", CRAWL_EXISTING_REFUSE}, {"append", CRAWL_EXISTING_APPEND}, {"overwrite", CRAWL_EXISTING_OVERWRITE}, {0}};

const cw_config_choice cw_config_progresses[] = {
    {"auto", CRAWL_PROGRESS_AUTO},
    {"line", CRAWL_PROGRESS_LINE},
    {"full", CRAWL_PROGRESS_FULL},
    {"lines", CRAWL_PROGRESS_LINES},
    {"json", CRAWL_PROGRESS_JSON},
    {"none", CRAWL_PROGRESS_NONE},
    {0},
};

const cw_config_choice cw_config_verbosities[] = {{"quiet", -1}, {"normal", 0}, {"verbose", 1}, {0}};

const cw_config_choice cw_config_syncs[] = {
    {"interval", CRAWL_SYNC_INTERVAL},
    {"always", CRAWL_SYNC_ALWAYS},
    {"never", CRAWL_SYNC_NEVER},
    {0},
};

const cw_config_choice cw_config_serve_syncs[] = {
    {"interval", CRAWL_SYNC_INTERVAL},
    {"always", CRAWL_SYNC_ALWAYS},
    {0},
};

const cw_config_choice cw_config_log_levels[] = {{"error", CRAWL_LOG_ERROR},
                                                 {"warning", CRAWL_LOG_WARNING},
                                                 {"info", CRAWL_LOG_INFO},
                                                 {"debug", CRAWL_LOG_DEBUG},
                                                 {0}};

const cw_config_choice cw_config_log_formats[] = {{"text", CRAWL_LOG_TEXT}, {"json", CRAWL_LOG_JSON}, {0}};

cw_config_choice cw_config_key_choice(const cw_config_key *key, size_t index)
{
    if (key->word)
        return (cw_config_choice){key->word((int)index), (int)index};
    return key->choices ? key->choices[index] : (cw_config_choice){0};
}
