/* One request on its way, from its lease to its end. */
#ifndef CW_VISIT_H
#define CW_VISIT_H

#include "crawler/engine/tags.h"
#include "crawler/engine/visit/retry.h"
#include "crawler/engine/visit/revisit.h"
#include "crawler/engine/worker.h"

/* One request on its way: a lease, and the transfer that serves it. */
struct cw_visit {
    cw_worker *worker;
    crawl_lease lease;
    cw_host_record *host;       /* of the lease; looked up once */
    cw_host_record *site;       /* of a request for robots.txt: whose it is */
    const cw_host_rules *rules; /* of the host; NULL: not asked for yet, or no memory */
    crawl_url *url;
    uint64_t transfer;
    cw_pass pass;
    int64_t wall_ms;   /* when it left */
    uint64_t number;   /* of the requests that did */
    int64_t return_ms; /* it did not leave, and comes back then */
    bool cut_short;    /* what it names was not read to its end, since the crawl had ended */
    bool has_ticket;
    bool is_counted;            /* by the trap guard, as a page of its host */
    bool sets_cookie;           /* the redirect at hand does */
    bool is_conditional;        /* asked with validators of the answer before */
    cw_revisit_outcome outcome; /* of a page that is visited again */
    uint64_t digest;            /* of what it holds */
    cw_lane_entry lane;         /* while it has a transfer */
    cw_visit *next;             /* in the list of free ones */
};

static inline cw_visit *cw_visit_of_lane(cw_lane_entry *entry)
{
    return (cw_visit *)((char *)entry - offsetof(cw_visit, lane));
}

static inline crawl_engine *cw_engine_of(const cw_visit *visit)
{
    return visit->worker->engine;
}

/* Its request has left, and may have been carried out whatever is known of it. */
static inline bool cw_visit_left(const cw_visit *visit)
{
    return visit->pass.started_us != 0;
}

/* Takes the lease over. */
void cw_visit_begin(cw_visit *visit);
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms);
void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo); /* as finished; it is visited again then */
void cw_visit_on_start(void *user);
/* Shows the answer to on_response; false: its links are not wanted. */
bool cw_visit_show(cw_visit *visit, const crawl_response *response, const crawl_record *record, const crawl_page *page);
/* Nothing is queued of it in place of an answer: a record with this error, of a page, and the end of the visit. */
void cw_visit_refuse(cw_visit *visit, crawl_error_class error_class, const char *words);
/* Keeps away from the host for as long as its Retry-After asks, where that is longer than we wait. */
void cw_visit_stay_away(cw_visit *visit, cw_host_record *host, const cw_retry_verdict *verdict);
/* May the visit ask? CW_ADMIT_WAIT: its lease was ended, and comes again. CW_ADMIT_REFUSE: visit->pass.words says why
 * not. */
cw_admission cw_visit_admit(cw_visit *visit);
/* Reads an answer that stands, and ends the visit. */
typedef void cw_visit_reader(cw_visit *visit, const crawl_response *response, const cw_retry_verdict *verdict);
/* The transfer is over: the request goes back, is asked again later, or its answer is read. */
void cw_visit_done(cw_visit *visit, const crawl_response *response, cw_visit_reader *read);
crawl_error_class cw_class_of(crawl_fetch_error error);
/* What the error of an answer is called in its record. */
const char *cw_visit_words(const cw_visit *visit, const crawl_response *response);
crawl_err cw_visit_access(const cw_visit *visit, const crawl_fetch_access **out); /* how its host is asked; CRAWL_ENOMEM
                                                                                   */
/* May the request of this visit go to a private address; and to its port? */
bool cw_visit_allows_private(const cw_visit *visit);
bool cw_visit_has_open_port(const cw_visit *visit);
void cw_count_status(crawl_engine *engine, const crawl_response *response);

#endif
