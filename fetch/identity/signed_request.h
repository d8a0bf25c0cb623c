/* The signature of a request that libcurl sends: the header lines that it gets besides its own. */
#pragma once

#include "fetch/request.h"

#include <crawl/identity.h>

/* Signature-Agent, Content-Digest, Signature-Input, Signature. */
#define CW_IDENTITY_MAX_LINES 4

/* The lines of a request, which libcurl borrows. {0}: none; text is to be freed. */
typedef struct cw_identity_signed {
    crawl_buf text; /* the lines, each ended by NUL */
    struct curl_slist lines[CW_IDENTITY_MAX_LINES];
    char why[160]; /* there are none */
} cw_identity_signed;

/* Is a request of this URL to be signed? signing may be NULL. */
bool cw_identity_signs(const crawl_signing *signing, const char *url);

/* Signs the request as it was applied to easy, and puts the lines before its own. user_agent: that of the fetcher;
 * NULL: none. Errors as those of crawl_sign, with words. */
crawl_err cw_identity_sign_request(cw_identity_signed *lines, const crawl_signing *signing, cw_fetch_request *request,
                                   const char *user_agent, int64_t now_s, CURL *easy, crawl_error *error);
