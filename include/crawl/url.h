/* URLs by the WHATWG URL standard (https://url.spec.whatwg.org/): parse, resolve, serialize; and the
 * canonical form that decides whether two URLs are the same page.
 *
 * What is fetched is the parsed URL; the canonical form is only the key.
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

typedef struct crawl_url crawl_url;

/* NULL when there is no memory. The new URL is empty: every part is the empty slice. */
CRAWL_API crawl_url *crawl_url_create(void);
CRAWL_API void crawl_url_free(crawl_url *url);

/* Parses input, relative to base (NULL: none), into url. base may be url itself. charset is the
 * encoding of the document that the input stands in, which shapes the query only (URL standard,
 * "percent-encode after encoding"); NULL or an unknown name: UTF-8. input itself is UTF-8; broken sequences become U+FFFD.
 * CRAWL_EPARSE: no URL by the standard, url is as it was. CRAWL_ENOMEM: likewise. */
CRAWL_API crawl_err crawl_url_parse(crawl_url *url, crawl_slice input, const crawl_url *base, const char *charset);

/* Copies from into to. */
CRAWL_API crawl_err crawl_url_copy(crawl_url *to, const crawl_url *from);

/* Parts as the standard's API names them, without their delimiters. Borrowed until url is parsed into again or freed. */
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

#ifdef __cplusplus
}
#endif
#endif
