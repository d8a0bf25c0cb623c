/* A set of public keys (RFC 7517, 5), as a directory has it. */
#ifndef CW_IDENTITY_KEY_SET_H
#define CW_IDENTITY_KEY_SET_H

#include "fetch/identity/public_key.h"

/* The key of this thumbprint; NULL: there is none. keys may be NULL. */
const cw_identity_public *cw_identity_keys_find(const crawl_keys *keys, crawl_slice thumbprint);
/* index below their count. */
const cw_identity_public *cw_identity_keys_at(const crawl_keys *keys, size_t index);

#endif
