/* The signature base of a message (RFC 9421, 2.5), the bytes that are signed: a line for each component that a
 * signature covers. */
#pragma once

#include <crawl/identity.h>

/* Maximum number of components in a signature: more parts than anybody would cover. */
#define CW_IDENTITY_MAX_COMPONENTS 32

/* A component, as in "signature-agent";key="sig1". Borrowed. */
typedef struct cw_identity_component {
    crawl_slice name; /* in lower case; with "@": not a field */
    crawl_slice key;  /* the member of a Dictionary; without data: the whole field */
    bool of_request;  /* ;req: in an answer, from its request */
} cw_identity_component;

/* The components of a signature, in order. */
typedef struct cw_identity_cover {
    cw_identity_component items[CW_IDENTITY_MAX_COMPONENTS];
    size_t count;
} cw_identity_cover;

/* Appends the Inner List that names the components. CRAWL_ENOMEM. */
crawl_err cw_identity_cover_write(const cw_identity_cover *cover, crawl_buf *out);
bool cw_identity_cover_has(const cw_identity_cover *cover, const char *name);
/* Returns true if this component, with its parameters, is already covered. */
bool cw_identity_cover_repeats(const cw_identity_cover *cover, const cw_identity_component *component);

/* Appends the base. params: the Inner List with its parameters, as in Signature-Input. CRAWL_EPARSE, with *why: a
 * component that is unknown or missing in the message, a byte beyond ASCII. CRAWL_EINVAL: invalid URL. CRAWL_ENOMEM. */
crawl_err cw_identity_base(const cw_identity_cover *cover, const crawl_message *message, crawl_slice params,
                           crawl_buf *out, const char **why);

/* Appends the value of a field: its lines joined by ", ". False: no such field. */
bool cw_identity_field(const crawl_message *message, crawl_slice name, crawl_buf *out, crawl_err *err);

/* Appends "sha-256=:...:", the value of Content-Digest (RFC 9530, 2). CRAWL_ENOMEM. */
crawl_err cw_identity_digest(crawl_slice body, crawl_buf *out);
