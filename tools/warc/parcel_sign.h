/* The anonymous signature of a WACZ (wacz-auth 0.1.0). It proves that nothing was changed since, not who made it: the
 * key is made for one signature, and discarded. */
#pragma once

#include <crawl/base.h>

/* Appends datapackage-digest.json for a datapackage.json created at that time. CRAWL_ENOMEM: the library failed. */
crawl_err cw_parcel_sign(crawl_slice datapackage, const char *created, crawl_buf *out);

/* Returns true if a signature (base64; r and s of 48 bytes each) of the text fits the key (base64 of SPKI, ECDSA
 * P-384). */
bool cw_parcel_is_signed(crawl_slice text, crawl_slice key, crawl_slice signature);
