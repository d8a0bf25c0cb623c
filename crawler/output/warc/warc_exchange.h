/* The WARC records of one exchange, as gzip members: its response, its request, and where its URL was found. The
 * response is a revisit record if the same body was written before, or if a 304 confirms it. */
#pragma once

#include "crawler/output/warc/warc_originals.h"
#include "crawler/output/warc/warc_record.h"
#include <crawl/output.h>

/* An exchange while its records are made and written. */
typedef struct cw_warc_exchange {
    const crawl_exchange *exchange;
    cw_warc_press *press; /* has the members in its out */
    cw_warc_id response_id;
    cw_date date;
    crawl_slice payload;            /* body without chunks, still with its content coding */
    crawl_buf dechunked;            /* freed by the owner of the exchange */
    crawl_fingerprint digest;       /* of payload */
    const cw_warc_original *before; /* original with the same payload, or that a 304 confirms; NULL: none */
    const cw_warc_original *made;   /* original that this exchange has added; NULL: none */
    size_t response_at;             /* start of the response's member in the press's out */
    size_t response_end;            /* end of that member */
} cw_warc_exchange;

/* Makes all records. exchange, press and date are set; the rest is {0}. secret: for the identifier of the response.
 * CRAWL_ENOMEM; CRAWL_EIO: the system has no random numbers. */
crawl_err cw_warc_exchange_make(cw_warc_exchange *e, const unsigned char secret[CW_WARC_SECRET_SIZE],
                                cw_warc_originals *originals);

/* Returns why the response is truncated, as WARC-Truncated states it; NULL: it is not. Static. */
const char *cw_warc_exchange_truncation(const crawl_response *response);

/* Makes the key by which the answer of this URL at a date is found among the originals. CRAWL_ENOMEM. */
crawl_err cw_warc_exchange_date_key(const cw_warc_exchange *e, const cw_date *date, crawl_fingerprint *out);

/* Returns true if the record of the response is a revisit record. */
bool cw_warc_exchange_is_revisit(const cw_warc_exchange *e);

/* Returns true for an answer that is neither a page nor a part of one, such as a robots.txt. */
static inline bool cw_warc_exchange_is_for_crawl(const crawl_exchange *exchange)
{
    return exchange->kind != CRAWL_EXCHANGE_PAGE && exchange->kind != CRAWL_EXCHANGE_PART;
}
