/* The signature of a request sent by libcurl: the header lines added to its own. */
#pragma once

#include "fetch/request.h"

#include <crawl/identity.h>

/* Signature-Agent, Content-Digest, Signature-Input, Signature. */
#define CW_IDENTITY_MAX_LINES 4

/* The added lines of a request, which libcurl borrows. {0}: none; the caller frees text. */
typedef struct cw_identity_signed {
    crawl_buf text; /* the lines, each NUL-terminated */
    struct curl_slist lines[CW_IDENTITY_MAX_LINES];
    char why[160]; /* the reason if there are none */
} cw_identity_signed;

/* Returns true if a request to this URL must be signed. signing may be NULL. */
bool cw_identity_signs(const crawl_signing *signing, const char *url);

/* Signs the request that was applied to easy, and puts the lines before its own. user_agent: that of the fetcher; NULL:
 * none. Errors are those of crawl_sign, with words. */
crawl_err cw_identity_sign_request(cw_identity_signed *lines, const crawl_signing *signing, cw_fetch_request *request,
                                   const char *user_agent, int64_t now_s, CURL *easy, crawl_error *error);
