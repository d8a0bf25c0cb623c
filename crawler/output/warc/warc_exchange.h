/* The WARC records of one exchange, as gzip members: its response, which is a revisit record where the same body was
 * written before or an answer 304 confirms it, its request, and where its URL was found. */
#pragma once

#include "crawler/output/warc/warc_originals.h"
#include "crawler/output/warc/warc_record.h"
#include <crawl/output.h>

/* An exchange on its way into the file. */
typedef struct cw_warc_exchange {
    const crawl_exchange *exchange;
    cw_warc_press *press; /* its out has the members when they are made */
    cw_warc_id response_id;
    cw_date date;
    crawl_slice payload;            /* the body without chunks, still in its content coding */
    crawl_buf dechunked;            /* to be freed by whoever has the exchange */
    crawl_fingerprint digest;       /* of payload */
    const cw_warc_original *before; /* the same payload was written; NULL: no */
    const cw_warc_original *made;   /* the original that this exchange has added; NULL: none */
    size_t response_at;             /* where the member of the response begins in the press's out, */
    size_t response_end;            /* and where it ends */
} cw_warc_exchange;

/* Makes all records; exchange, press and date are set, the rest is {0}. secret: of which the identifier of the response
 * is made. CRAWL_ENOMEM; CRAWL_EIO: the system has no random numbers. */
crawl_err cw_warc_exchange_make(cw_warc_exchange *e, const unsigned char secret[CW_WARC_SECRET_SIZE],
                                cw_warc_originals *originals);

/* Is the record of the response a revisit record? */
bool cw_warc_exchange_is_revisit(const cw_warc_exchange *e);
