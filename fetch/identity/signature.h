/* How a message is signed: what of it, and the two headers that say so. */
#pragma once

#include "fetch/identity/signature_base.h"

/* The parameters of a signature (RFC 9421, 2.3), besides the id of the key. */
typedef struct cw_identity_parameters {
    int64_t created_s, expires_s;
    crawl_slice nonce; /* as a String has it between its quotes; empty: none */
    const char *tag;
    bool has_alg;
} cw_identity_parameters;

/* The plan of a request's signature. Borrowed of what it was made from. */
typedef struct cw_identity_plan {
    crawl_slice label;
    cw_identity_cover cover;
    crawl_slice nonce; /* one that was asked for; empty: any */
} cw_identity_plan;

/* Reads an Accept-Signature (RFC 9421, 5): the first member that asks for what we give. agent: a Signature-Agent can be
 * sent. CRAWL_REFUSED: there is none, *why says it. */
crawl_err cw_identity_plan_asked(crawl_slice field, const char *thumbprint, bool has_agent, cw_identity_plan *plan,
                                 const char **why);

/* Appends the lines Signature-Input and Signature. Errors as those of cw_identity_base and of the key. */
crawl_err cw_identity_sign(const crawl_identity *identity, crawl_slice label, const cw_identity_cover *cover,
                           const cw_identity_parameters *parameters, const crawl_message *message, crawl_buf *out,
                           const char **why);
