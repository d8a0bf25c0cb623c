/* URLs by the WHATWG URL standard (https://url.spec.whatwg.org/): parse, resolve, serialize; and the
 * canonical form that decides whether two URLs are the same page.
 *
 * The parsed URL is fetched; the canonical form is only the key.
 *
 * A crawl_url is a value that is parsed into again and again without allocating: one serialized string
 * and the offsets of its parts. Single-thread while it is parsed into, immutable (and then thread-safe)
 * otherwise. */
#ifndef CRAWL_URL_H
#define CRAWL_URL_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The longest input that is parsed, in bytes; longer ones are CRAWL_EPARSE. Browsers stop at 2 MiB; a crawl
 * that stores every URL it meets must stop earlier. */
#define CRAWL_URL_MAX_INPUT 65536u

/* The version of Unicode, as "17.0.0", by whose UTS 46 the names of hosts are mapped and found valid. */
CRAWL_API const char *crawl_unicode_version(void);

/* A URL in its parts. */
typedef struct crawl_url crawl_url;

/* NULL when there is no memory. The new URL is empty: every part is the empty slice. */
CRAWL_API crawl_url *crawl_url_create(void);
CRAWL_API void crawl_url_free(crawl_url *url);

/* Parses input, relative to base (NULL: none), into url. base may be url itself. charset is the encoding of the
 * document that the input stands in, which shapes the query only (URL standard, "percent-encode after encoding"); NULL
 * or an unknown name: UTF-8. input itself is UTF-8; each byte of a broken sequence is escaped. CRAWL_EPARSE: no URL by
 * the standard, url is as it was. CRAWL_ENOMEM: likewise. */
CRAWL_API crawl_err crawl_url_parse(crawl_url *url, crawl_slice input, const crawl_url *base, const char *charset);

/* Copies from into to. */
CRAWL_API crawl_err crawl_url_copy(crawl_url *to, const crawl_url *from);

/* Parts as the standard's API names them, without their delimiters. Borrowed until url is parsed into again or
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

/* http or https. */
CRAWL_API bool crawl_url_is_http(const crawl_url *url);

/* The port in use: the given one or the default of the scheme; 0 where neither is. */
CRAWL_API unsigned crawl_url_effective_port(const crawl_url *url);

/* Appends "scheme://host[:port]" of an http(s) URL, the unit of politeness. CRAWL_EINVAL: not http(s). */
CRAWL_API crawl_err crawl_url_origin(const crawl_url *url, crawl_buf *out);

/* The same of a request URL already serialized by crawl_url_parse: cuts the origin into *out (a slice of
 * href when it has no userinfo) or appends it to *scratch. Where no http(s) URL is there: CRAWL_EINVAL. */
CRAWL_API crawl_err crawl_href_origin(crawl_slice href, crawl_buf *scratch, crawl_slice *out);

/* Appends the canonical form of an http(s) URL, default profile: the standard's serialization; in the path,
 * escapes of unreserved bytes (RFC 3986, 2.3) decoded once, other escapes upper-cased, a stray "%" as "%25"; the query
 * split at "&", empty pairs dropped, each side form-decoded and escaped again, bare names given "=", pairs in
 * stable order of (name, value) bytes; no fragment; userinfo kept. Idempotent. CRAWL_EINVAL: not http(s). */
CRAWL_API crawl_err crawl_url_canonical(const crawl_url *url, crawl_buf *out);

/* Profiles of canonical forms. Each is a key and never an address to fetch from. */
typedef enum crawl_profile {
    CRAWL_PROFILE_DEFAULT, /* as crawl_url_canonical has it */
    CRAWL_PROFILE_W3LIB,   /* w3lib's canonicalize_url, which Scrapy fingerprints: works on text that need be no URL,
                              keeps default   ports and dot segments. Not idempotent: escapes of "%" are decoded */
    CRAWL_PROFILE_SURT /* the key of web archives' indexes: "com,example)/path?a=1"; host without "www." and reversed,
                          all in lower case, no session ids, no trailing "/" */
} crawl_profile;

/* Query parameters that are left out of canonical forms. Immutable, so thread-safe. */
typedef struct crawl_drop_params crawl_drop_params;

/* list: names apart by white space or commas; "name" is that parameter, "prefix*" all that begin so, both compared with
 * the decoded name, case and all. "@sessions" stands for what carries session ids: PHPSESSID, JSESSIONID,
 * ASPSESSIONID*, CFID, CFTOKEN, and sid, sessionid and the like where the value looks like one; ";jsessionid=..." and
 * "/(S(...))/" in the path too. "@tracking" stands for what only tells a site where its visitors come from: utm_*,
 * gclid, fbclid and the like. CRAWL_EPARSE: an unknown @word, a lone "*" or one that does not end its name; error names
 * it. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_drop_params_create(crawl_slice list, crawl_drop_params **out, crawl_error *error);
CRAWL_API void crawl_drop_params_free(crawl_drop_params *params);

/* Options of a canonical form. {0}: as crawl_url_canonical. */
typedef struct crawl_canonical_options {
    size_t size; /* sizeof(crawl_canonical_options) */
    crawl_profile profile;
    const crawl_drop_params *drop; /* borrowed; NULL: none. SURT has its own and ignores it */
    const char *charset; /* of the query of a text; NULL or unknown: UTF-8. W3LIB: by Python's name, and UTF-8 for
                            all where the charset lacks a character. SURT ignores it */
    bool keep_fragment;  /* W3LIB alone */
    bool drop_blank;     /* W3LIB alone: parameters without a value are left out */
} crawl_canonical_options;

/* Appends the canonical form of an http(s) URL. CRAWL_EINVAL: not http(s). CRAWL_EPARSE: the profile takes it for no
 * URL. */
CRAWL_API crawl_err crawl_url_canonical_by(const crawl_url *url, const crawl_canonical_options *options,
                                           crawl_buf *out);

/* Appends the canonical form of text as it stands, UTF-8. The profiles but the default one take anything for a URL:
 * relative references, other schemes, hosts that do not exist. CRAWL_EPARSE: the profile takes it for no URL.
 * CRAWL_EINVAL: default profile, not http(s). */
CRAWL_API crawl_err crawl_text_canonical(crawl_slice text, const crawl_canonical_options *options, crawl_buf *out);

/* Calls step with each step of the way from input to its canonical form that changed something, in order: what was
 * done, and the text after it, borrowed for the call. The last text is the canonical form. Errors as of crawl_url_parse
 * and crawl_url_canonical_by; an error of step ends it and is returned. */
typedef crawl_err (*crawl_canonical_step)(void *user, const char *what, crawl_slice text);
CRAWL_API crawl_err crawl_canonical_steps(crawl_slice input, const crawl_url *base,
                                          const crawl_canonical_options *options, crawl_canonical_step step,
                                          void *user);

#ifdef __cplusplus
}
#endif
#endif
