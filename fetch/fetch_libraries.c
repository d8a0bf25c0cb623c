/* The names and versions of the libraries that transfers use, as they are loaded: the first thing that a report of a
 * fault should have. */
#include <crawl/fetch.h>

#include <brotli/decode.h>
#include <curl/curl.h>
#include <event2/event.h>
#include <zlib.h>
#include <zstd.h>

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
