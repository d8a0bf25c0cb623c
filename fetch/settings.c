/* See settings.h. The options: their defaults, checks and copies; and the tables that translate them for libcurl. */
#include "fetch/settings.h"

#include "base/sized.h"
#include "fetch/answer/decode.h"

#include <brotli/decode.h>
#include <event2/event.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87 or later is needed"
#endif

static const char DEFAULT_ACCEPT[] = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

enum {
    /* The memory that libcurl uses for one read. Before version 8.7 each running transfer holds that much, so many
     * connections divide it, while few need not: most pages arrive with one read into a large buffer. */
    LEAST_RECEIVE_BYTES = 16 * 1024,
    MOST_RECEIVE_BYTES = 64 * 1024,
    RECEIVE_BYTES_OF_ALL = 4 * 1024 * 1024,
    /* The minimum of libcurl: only TLS requests go through this buffer, and they are small. */
    SEND_BUFFER_BYTES = 16 * 1024,
    /* No answer can arrive from another network in less time. */
    LEAST_DNS_TIMEOUT_MS = 10,
};

void crawl_fetch_options_init(crawl_fetch_options *options, size_t size)
{
    const crawl_fetch_options own = {
        .timeout_ms = 60 * 1000,
        .connect_timeout_ms = 15 * 1000,
        .low_speed_ms = 20 * 1000,
        .low_speed_bytes = 100,
        .max_header_bytes = 256 * 1024,
        .max_body_bytes = (uint64_t)16 * 1024 * 1024,
        .max_connections = 64,
        .http2 = true,
        .dns_timeout_ms = 10 * 1000,
    };
    cw_sized_fill(options, size, &own, sizeof own);
}

/* ---- check ---- */

static bool is_time(int64_t ms)
{
    return ms >= 0 && ms <= INT_MAX;
}

static bool is_field_value(const char *text)
{
    return !text || !strpbrk(text, "\r\n");
}

static crawl_err settings_check(const crawl_fetch_options *options, crawl_error *error)
{
    if (!is_time(options->timeout_ms) || !is_time(options->connect_timeout_ms) || !is_time(options->low_speed_ms))
        return crawl_error_set(error, CRAWL_EINVAL, "a time of the fetcher is not in 0..%d ms", INT_MAX);
    if (options->dns_timeout_ms < LEAST_DNS_TIMEOUT_MS || options->dns_timeout_ms > INT_MAX)
        return crawl_error_set(error, CRAWL_EINVAL, "dns_timeout_ms is not in %d..%d", LEAST_DNS_TIMEOUT_MS, INT_MAX);
    if (options->low_speed_bytes < 0 || options->low_speed_bytes > INT_MAX)
        return crawl_error_set(error, CRAWL_EINVAL, "low_speed_bytes is not in 0..%d", INT_MAX);
    if (options->max_header_bytes == 0)
        return crawl_error_set(error, CRAWL_EINVAL, "max_header_bytes is 0: no answer would fit");
    if (options->max_connections == 0 || options->max_connections > INT_MAX)
        return crawl_error_set(error, CRAWL_EINVAL, "max_connections is not in 1..%d", INT_MAX);
    if (options->resolver != CRAWL_RESOLVER_EVDNS && options->resolver != CRAWL_RESOLVER_SYSTEM)
        return crawl_error_set(error, CRAWL_EINVAL, "resolver is %d, which is none", (int)options->resolver);
    if (!is_field_value(options->user_agent) || !is_field_value(options->accept) ||
        !is_field_value(options->interface_name))
        return crawl_error_set(error, CRAWL_EINVAL, "user_agent, accept or interface_name holds a line break");
    if (options->ca_file && access(options->ca_file, R_OK) != 0)
        return crawl_error_set(error, CRAWL_EIO, "cannot read the certificates in %s", options->ca_file);
    return CRAWL_OK;
}

/* ---- copy ---- */

static crawl_err settings_copy_text(const char **text)
{
    if (!*text)
        return CRAWL_OK;
    *text = strdup(*text);
    return *text ? CRAWL_OK : CRAWL_ENOMEM;
}

/* Replaces each string by a copy or by NULL, so that all can be freed even if one copy failed. */
static crawl_err settings_copy_texts(crawl_fetch_options *options)
{
    const char **texts[] = {&options->user_agent, &options->accept, &options->ca_file, &options->interface_name,
                            &options->dns_servers};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (settings_copy_text(texts[i]))
            err = CRAWL_ENOMEM;
    return err;
}

static crawl_err settings_add_header(cw_fetch_settings *settings, const char *name, const char *value)
{
    crawl_buf line = {0};
    crawl_err err = crawl_buf_printf(&line, "%s: %s", name, value);
    struct curl_slist *grown = err ? NULL : curl_slist_append(settings->headers, line.data);
    crawl_buf_free(&line);
    if (!grown)
        return CRAWL_ENOMEM;
    settings->headers = grown;
    return CRAWL_OK;
}

crawl_err cw_fetch_settings_err(CURLcode code)
{
    return code == CURLE_OK ? CRAWL_OK : code == CURLE_OUT_OF_MEMORY ? CRAWL_ENOMEM : CRAWL_EINVAL;
}

/* Tries the options on a separate handle, so that an option that libcurl rejects is reported when the fetcher is
 * created, and not for each request. */
static crawl_err try_out(const cw_fetch_settings *settings, crawl_error *error)
{
    CURL *easy = curl_easy_init();
    CURLcode code = easy ? cw_fetch_settings_apply(settings, easy) : CURLE_OUT_OF_MEMORY;
    curl_easy_cleanup(easy);
    crawl_err err = cw_fetch_settings_err(code);
    return err ? crawl_error_set(error, err, "libcurl does not take the options of a fetcher: %s",
                                 curl_easy_strerror(code))
               : CRAWL_OK;
}

crawl_err cw_fetch_settings_init(cw_fetch_settings *settings, const crawl_fetch_options *options, crawl_error *error)
{
    *settings = (cw_fetch_settings){0};
    crawl_fetch_options own;
    crawl_fetch_options_init(&own, sizeof own);
    if (!cw_sized_copy(&own, sizeof own, options))
        return cw_sized_refused(options, sizeof own, "crawl_fetch_options", error);
    crawl_err err = settings_check(&own, error);
    if (err)
        return err;
    unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;
    settings->lines_first = version < 0x080200;
    settings->names_for_ever = version < 0x080000 ? -1 : INT_MAX;
    settings->options = own;
    if (!settings->options.transfers)
        settings->options.transfers = own.max_connections;
    err = settings_copy_texts(&settings->options);
    if (!err)
        err = settings_add_header(settings, "Accept", own.accept ? own.accept : DEFAULT_ACCEPT);
    if (!err)
        err = settings_add_header(settings, "Accept-Encoding", CW_FETCH_DECODE_ACCEPT);
    return err ? crawl_error_set(error, err, "no memory for a fetcher") : try_out(settings, error);
}

void cw_fetch_settings_free(cw_fetch_settings *settings)
{
    const char *texts[] = {settings->options.user_agent, settings->options.accept, settings->options.ca_file,
                           settings->options.interface_name, settings->options.dns_servers};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((void *)(uintptr_t)texts[i]);
    curl_slist_free_all(settings->headers);
    *settings = (cw_fetch_settings){0};
}

size_t cw_fetch_settings_body_limit(uint64_t max_body_bytes)
{
    /* Half of the maximum size: the decoder looks one byte further, and buffers double. */
    return max_body_bytes == 0 || max_body_bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)max_body_bytes;
}

/* ---- apply ---- */

typedef struct number_option {
    CURLoption option;
    long value;
} number_option;

typedef struct text_option {
    CURLoption option;
    const char *value;
} text_option;

static CURLcode set_numbers(CURL *easy, const number_option *options, size_t count)
{
    CURLcode code = CURLE_OK;
    for (size_t i = 0; i < count && code == CURLE_OK; i++)
        code = curl_easy_setopt(easy, options[i].option, options[i].value);
    return code;
}

static CURLcode set_texts(CURL *easy, const text_option *options, size_t count)
{
    CURLcode code = CURLE_OK;
    for (size_t i = 0; i < count && code == CURLE_OK; i++)
        if (options[i].value)
            code = curl_easy_setopt(easy, options[i].option, options[i].value);
    return code;
}

/* Trusts the authorities of a file, and no others: some builds of libcurl know a folder besides. NULL: the system's. */
static CURLcode set_authorities(CURL *easy, CURLoption file, CURLoption folder, const char *path)
{
    CURLcode code = path ? curl_easy_setopt(easy, file, path) : CURLE_OK;
    return path && code == CURLE_OK ? curl_easy_setopt(easy, folder, (char *)NULL) : code;
}

/* Options that are the same for every fetcher. */
static const number_option fixed_numbers[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_PATH_AS_IS, 1},
    {CURLOPT_HTTP09_ALLOWED, 0},
    {CURLOPT_HTTP_CONTENT_DECODING, 0},    /* fetch/answer/decode.c does that */
    {CURLOPT_HTTP_TRANSFER_DECODING, 0},   /* fetch/answer/chunks.c does that */
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1}, /* a proxy's answer to CONNECT is not the host's */
    {CURLOPT_TCP_NODELAY, 1},
    {CURLOPT_QUICK_EXIT, 1}, /* a slow name resolution does not block the loop when its transfer ends */
    {CURLOPT_UPLOAD_BUFFERSIZE, SEND_BUFFER_BYTES},
};

static long receive_bytes(const crawl_fetch_options *options)
{
    unsigned share = RECEIVE_BYTES_OF_ALL / options->transfers;
    return share < LEAST_RECEIVE_BYTES ? LEAST_RECEIVE_BYTES : share < MOST_RECEIVE_BYTES ? share : MOST_RECEIVE_BYTES;
}

static CURLcode apply_numbers(const cw_fetch_settings *settings, CURL *easy)
{
    const crawl_fetch_options *options = &settings->options;
    const number_option numbers[] = {
        {CURLOPT_TIMEOUT_MS, (long)options->timeout_ms},
        {CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_timeout_ms},
        {CURLOPT_LOW_SPEED_TIME, (long)((options->low_speed_ms + 999) / 1000)},
        {CURLOPT_LOW_SPEED_LIMIT, (long)options->low_speed_bytes},
        {CURLOPT_HTTP_VERSION, options->http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1},
        {CURLOPT_SSL_VERIFYPEER, !options->insecure},
        {CURLOPT_SSL_VERIFYHOST, options->insecure ? 0 : 2},
        {CURLOPT_BUFFERSIZE, receive_bytes(options)},
        {CURLOPT_HEADER, settings->lines_first},
    };
    CURLcode code = set_numbers(easy, fixed_numbers, sizeof fixed_numbers / sizeof *fixed_numbers);
    return code ? code : set_numbers(easy, numbers, sizeof numbers / sizeof *numbers);
}

static CURLcode apply_texts(const crawl_fetch_options *options, CURL *easy)
{
    const text_option texts[] = {
        {CURLOPT_PROTOCOLS_STR, "http,https"},
        {CURLOPT_NOPROXY, "*"}, /* regardless of the environment */
        {CURLOPT_USERAGENT, options->user_agent},
        {CURLOPT_INTERFACE, options->interface_name},
    };
    CURLcode code = set_texts(easy, texts, sizeof texts / sizeof *texts);
    return code ? code : set_authorities(easy, CURLOPT_CAINFO, CURLOPT_CAPATH, options->ca_file);
}

CURLcode cw_fetch_settings_apply(const cw_fetch_settings *settings, CURL *easy)
{
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HTTPHEADER, settings->headers);
    if (code == CURLE_OK)
        code = apply_numbers(settings, easy);
    return code ? code : apply_texts(&settings->options, easy);
}

/* A proxy is verified with the same certificates as hosts are by default. */
static CURLcode settings_set_proxy(const crawl_fetch_options *options, CURL *easy, const char *proxy)
{
    const text_option texts[] = {
        {CURLOPT_PROXY, proxy}, {CURLOPT_NOPROXY, ""}, /* empty, so that libcurl ignores the environment */
    };
    const number_option numbers[] = {
        {CURLOPT_PROXY_SSL_VERIFYPEER, !options->insecure},
        {CURLOPT_PROXY_SSL_VERIFYHOST, options->insecure ? 0 : 2},
    };
    CURLcode code = set_texts(easy, texts, sizeof texts / sizeof *texts);
    if (code == CURLE_OK)
        code = set_authorities(easy, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH, options->ca_file);
    return code ? code : set_numbers(easy, numbers, sizeof numbers / sizeof *numbers);
}

CURLcode cw_fetch_settings_route(const cw_fetch_settings *settings, CURL *easy, const crawl_fetch_access *access)
{
    const text_option texts[] = {
        {CURLOPT_SSLCERT, access->client_cert},
        {CURLOPT_SSLKEY, access->client_key},
        {CURLOPT_KEYPASSWD, access->client_cert ? "" : NULL}, /* a key with a passphrase fails, and nobody is asked */
    };
    CURLcode code = access->proxy ? settings_set_proxy(&settings->options, easy, access->proxy) : CURLE_OK;
    if (code == CURLE_OK)
        code = set_texts(easy, texts, sizeof texts / sizeof *texts);
    return code ? code : set_authorities(easy, CURLOPT_CAINFO, CURLOPT_CAPATH, access->ca_file);
}

/* The names and loaded versions of the libraries that transfers use: the first thing to include in a bug report. */

/* version is NULL if libcurl was built without the library. */
static crawl_err fetch_libraries_add(crawl_buf *out, const char *name, const char *version)
{
    return version ? crawl_buf_printf(out, "%s %s\n", name, version) : CRAWL_OK;
}

static crawl_err add_curl(crawl_buf *out)
{
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    crawl_err err = fetch_libraries_add(out, "libcurl", curl->version);
    if (!err)
        err = fetch_libraries_add(out, "TLS", curl->ssl_version);
    if (!err && curl->age >= CURLVERSION_SEVENTH)
        err = fetch_libraries_add(out, "nghttp2", curl->nghttp2_version);
    return err;
}

static crawl_err add_brotli(crawl_buf *out)
{
    uint32_t version = BrotliDecoderVersion();
    return crawl_buf_printf(out, "brotli %u.%u.%u\n", version >> 24, version >> 12 & 0xfff, version & 0xfff);
}

crawl_err crawl_fetch_libraries(crawl_buf *out)
{
    crawl_err err = add_curl(out);
    if (!err)
        err = fetch_libraries_add(out, "libevent", event_get_version());
    if (!err)
        err = fetch_libraries_add(out, "zlib", zlibVersion());
    if (!err)
        err = add_brotli(out);
    return err ? err : fetch_libraries_add(out, "zstd", ZSTD_versionString());
}
