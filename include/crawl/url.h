/* URLs by the WHATWG URL standard (https://url.spec.whatwg.org/): parse, resolve, serialize; and the canonical form
 * that decides whether two URLs are the same page.
 *
 * The parsed URL is fetched; the canonical form is only the key.
 *
 * A crawl_url is reused for one parse after another without allocating: one serialized string and the offsets of its
 * parts. Single-threaded while it is parsed into, otherwise immutable and thread-safe. */
#ifndef CRAWL_URL_H
#define CRAWL_URL_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum bytes of input; longer input is CRAWL_EPARSE. Browsers stop at 2 MiB; a crawl that stores every URL it meets
 * must stop earlier. */
#define CRAWL_URL_MAX_INPUT 65536u

/* Returns the version of Unicode, such as "17.0.0", whose UTS 46 maps and validates host names. */
CRAWL_API const char *crawl_unicode_version(void);

/* A URL in its parts. */
typedef struct crawl_url crawl_url;

/* Creates an empty URL: every part is the empty slice. NULL: out of memory. */
CRAWL_API crawl_url *crawl_url_create(void);
CRAWL_API void crawl_url_free(crawl_url *url);

/* Parses input, relative to base (NULL: none), into url. base may be url itself. charset is the encoding of the
 * document that contains the input and affects only the query (URL standard, "percent-encode after encoding"); NULL or
 * an unknown name: UTF-8. input itself is UTF-8; each byte of a broken sequence is escaped. CRAWL_EPARSE: not a URL by
 * the standard; url is unchanged. CRAWL_ENOMEM: unchanged. */
CRAWL_API crawl_err crawl_url_parse(crawl_url *url, crawl_slice input, const crawl_url *base, const char *charset);

/* Copies `from` to `to`. */
CRAWL_API crawl_err crawl_url_copy(crawl_url *to, const crawl_url *from);

/* Return the parts as named by the standard's API, without their delimiters. Borrowed until url is parsed into again or
 * freed. */
CRAWL_API crawl_slice crawl_url_href(const crawl_url *url);    /* the serialization, fragment included */
CRAWL_API crawl_slice crawl_url_request(const crawl_url *url); /* the serialization, fragment excluded */
CRAWL_API crawl_slice crawl_url_scheme(const crawl_url *url);  /* "http", no colon */
CRAWL_API crawl_slice crawl_url_username(const crawl_url *url);
CRAWL_API crawl_slice crawl_url_password(const crawl_url *url);
CRAWL_API crawl_slice crawl_url_hostname(const crawl_url *url); /* "[::1]" for an IPv6 address */
CRAWL_API crawl_slice crawl_url_port(const crawl_url *url);     /* digits; empty: the scheme's default */
CRAWL_API crawl_slice crawl_url_path(const crawl_url *url);     /* "/a/b", or opaque */
CRAWL_API crawl_slice crawl_url_query(const crawl_url *url);    /* without "?" */
CRAWL_API crawl_slice crawl_url_fragment(const crawl_url *url); /* without "#" */
CRAWL_API bool crawl_url_has_query(const crawl_url *url);       /* "?" alone counts */
CRAWL_API bool crawl_url_has_fragment(const crawl_url *url);

/* Returns true for http and https. */
CRAWL_API bool crawl_url_is_http(const crawl_url *url);

/* Returns the port in use: the given one or the default of the scheme; 0 if there is neither. */
CRAWL_API unsigned crawl_url_effective_port(const crawl_url *url);

/* Appends "scheme://host[:port]" of an http(s) URL, the unit of politeness. CRAWL_EINVAL: not http(s). */
CRAWL_API crawl_err crawl_url_origin(const crawl_url *url, crawl_buf *out);

/* As crawl_url_origin, for a request URL already serialized by crawl_url_parse: returns the origin in *out, as a slice
 * of href if it has no userinfo, otherwise appended to *scratch. CRAWL_EINVAL: not an http(s) URL. */
CRAWL_API crawl_err crawl_href_origin(crawl_slice href, crawl_buf *scratch, crawl_slice *out);

/* Appends the canonical form of an http(s) URL, default profile: the standard's serialization; in the path,
 * escapes of unreserved bytes (RFC 3986, 2.3) decoded once, other escapes upper-cased, a stray "%" as "%25"; the query
 * split at "&", empty pairs dropped, each side form-decoded and escaped again, bare names given "=", pairs in
 * stable order of (name, value) bytes; no fragment; userinfo kept. Idempotent. CRAWL_EINVAL: not http(s). */
CRAWL_API crawl_err crawl_url_canonical(const crawl_url *url, crawl_buf *out);

/* Profiles of canonical forms. Each form is a key, never an address to fetch. */
typedef enum crawl_profile {
    CRAWL_PROFILE_DEFAULT, /* as crawl_url_canonical */
    CRAWL_PROFILE_W3LIB,   /* w3lib's canonicalize_url, which Scrapy fingerprints: accepts text that is not a URL, keeps
                              default ports and dot segments. Not idempotent: escapes of "%" are decoded */
    CRAWL_PROFILE_SURT /* the key of web archive indexes: "com,example)/path?a=1"; host without "www." and reversed, all
                          in lower case, no session ids, no trailing "/" */
} crawl_profile;

/* Query parameters left out of canonical forms. Immutable, so thread-safe. */
typedef struct crawl_drop_params crawl_drop_params;

/* Parses a list of names separated by white space or commas. "name" is that parameter, "prefix*" all that begin so,
 * both compared with the decoded name, case-sensitively. "@sessions" stands for session ids: PHPSESSID, JSESSIONID,
 * ASPSESSIONID*, CFID, CFTOKEN, and sid, sessionid and similar if the value looks like one; ";jsessionid=..." and
 * "/(S(...))/" in the path too. "@tracking" stands for parameters that only tell a site where its visitors come from:
 * utm_*, gclid, fbclid and similar. CRAWL_EPARSE: an unknown @word, a lone "*" or one that does not end its name; error
 * names it. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_drop_params_create(crawl_slice list, crawl_drop_params **out, crawl_error *error);
CRAWL_API void crawl_drop_params_free(crawl_drop_params *params);

/* Options of a canonical form. {.size = sizeof(crawl_canonical_options)}: as crawl_url_canonical. */
typedef struct crawl_canonical_options {
    size_t size; /* sizeof(crawl_canonical_options) */
    crawl_profile profile;
    const crawl_drop_params *drop; /* borrowed; NULL: none. SURT has its own and ignores it */
    const char *charset; /* of the query of a text; NULL or unknown: UTF-8. W3LIB: a Python name, and UTF-8 for the
                            whole query if the charset lacks a character. SURT ignores it */
    bool keep_fragment;  /* W3LIB only */
    bool drop_blank;     /* W3LIB only: leaves out parameters without a value */
} crawl_canonical_options;

/* Appends the canonical form of an http(s) URL. CRAWL_EINVAL: not http(s). CRAWL_EPARSE: not a URL for the profile. */
CRAWL_API crawl_err crawl_url_canonical_by(const crawl_url *url, const crawl_canonical_options *options,
                                           crawl_buf *out);

/* Appends the canonical form of text as written, UTF-8. All profiles but the default accept anything as a URL: relative
 * references, other schemes, hosts that do not exist. CRAWL_EPARSE: not a URL for the profile. CRAWL_EINVAL: default
 * profile, not http(s). */
CRAWL_API crawl_err crawl_text_canonical(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out);

/* Calls step for each step from input to its canonical form that changed something, in order: what was done, and the
 * resulting text, borrowed for the call. The last text is the canonical form. Errors as for crawl_url_parse and
 * crawl_url_canonical_by; an error of step ends it and is returned. */
typedef crawl_err (*crawl_canonical_step)(void *user, const char *what, crawl_slice text);
CRAWL_API crawl_err crawl_canonical_steps(crawl_slice input, const crawl_url *base,
                                          const crawl_canonical_options *options, crawl_canonical_step step,
                                          void *user);

#ifdef __cplusplus
}
#endif
#endif
