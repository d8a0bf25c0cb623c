/* The key that a crawler signs by, be it held here or elsewhere. */
#ifndef CW_IDENTITY_PRIVATE_KEY_H
#define CW_IDENTITY_PRIVATE_KEY_H

#include <crawl/identity.h>

/* Signs bytes. CRAWL_ENOMEM, or what the signer returned that holds the key. */
crawl_err cw_identity_sign_bytes(const crawl_identity *identity, crawl_slice bytes,
                                 uint8_t signature[CRAWL_IDENTITY_SIGNATURE_SIZE]);

#endif
