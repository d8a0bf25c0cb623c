/* A query in the encoding of its document (URL standard, "percent-encode after encoding"), through iconv. */
#pragma once

#include <crawl/base.h>

#include <iconv.h>

struct cw_url_charset;

/* The modes in which bytes of ISO-2022-JP are read. */
typedef enum cw_url_iso_2022_jp { CW_ISO_ASCII, CW_ISO_ROMAN, CW_ISO_JIS } cw_url_iso_2022_jp;

/* `{0}` is new. Keeps the last charset open, since the links of a page share theirs. */
typedef struct cw_url_query_encoder {
    const struct cw_url_charset *charset; /* of handle; NULL: none */
    iconv_t handle;
    cw_url_iso_2022_jp state;
} cw_url_query_encoder;

void cw_url_query_encoder_close(cw_url_query_encoder *encoder);

/* Returns true if query, in a document of charset (a label, NULL: none), may be encoded differently than in UTF-8. */
bool cw_url_query_depends_on_charset(const char *charset, crawl_slice query);

/* Appends query, well-formed UTF-8, encoded in charset and escaped by set (percent.h). A character that the charset
 * lacks becomes "%26%23NUMBER%3B". An unknown charset, UTF-16 and "replacement" are treated as UTF-8. CRAWL_ENOMEM. */
crawl_err cw_url_query_encode(cw_url_query_encoder *encoder, const char *charset, crawl_slice query, unsigned set,
                              crawl_buf *out);

/* Appends text, well-formed UTF-8, in the charset of a Python program: "latin1" and "ascii" mean what they say, all
 * others as above. CRAWL_ABSENT: it lacks a character; out is unchanged. CRAWL_ENOMEM. */
crawl_err cw_url_query_to_charset(const char *charset, crawl_slice text, crawl_buf *out);
