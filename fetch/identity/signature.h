/* The signing of a message: the parts that are signed, and the two headers of the signature. */
#pragma once

#include "fetch/identity/signature_base.h"

/* The parameters of a signature (RFC 9421, 2.3), besides the key id. */
typedef struct cw_identity_parameters {
    int64_t created_s, expires_s;
    crawl_slice nonce; /* the content of a String between its quotes; empty: none */
    const char *tag;
    bool has_alg;
} cw_identity_parameters;

/* The plan of a request's signature, borrowed from its sources. */
typedef struct cw_identity_plan {
    crawl_slice label;
    cw_identity_cover cover;
    crawl_slice nonce; /* one that was requested; empty: any */
} cw_identity_plan;

/* Parses an Accept-Signature (RFC 9421, 5) and takes the first member whose demands we meet. has_agent: a
 * Signature-Agent can be sent. CRAWL_REFUSED: there is none, *why says why. */
crawl_err cw_identity_plan_asked(crawl_slice field, const char *thumbprint, bool has_agent, cw_identity_plan *plan,
                                 const char **why);

/* Appends the lines Signature-Input and Signature. Errors are those of cw_identity_base and of the key. */
crawl_err cw_identity_sign(const crawl_identity *identity, crawl_slice label, const cw_identity_cover *cover,
                           const cw_identity_parameters *parameters, const crawl_message *message, crawl_buf *out,
                           const char **why);
