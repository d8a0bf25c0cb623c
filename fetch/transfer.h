/* One transfer: its easy handle, what it sends, what came back, and how it ended. */
#ifndef CW_FETCH_TRANSFER_H
#define CW_FETCH_TRANSFER_H

#include "fetch/bodies.h"
#include "fetch/capture.h"
#include "fetch/chunks.h"
#include "fetch/cookies/jar.h"
#include "fetch/decode.h"
#include "fetch/head.h"
#include "fetch/loop.h"
#include "fetch/names/resolve.h"
#include "fetch/request.h"
#include "fetch/settings.h"

#include <crawl/fetch.h>

#include <curl/curl.h>
#include <sys/queue.h>

typedef enum cw_fetch_transfer_state {
    CW_TRANSFER_IDLE,    /* nobody's: waits for a request */
    CW_TRANSFER_WAITING, /* has a request, libcurl does not know it yet */
    CW_TRANSFER_NAMING,  /* waits for the addresses of its host */
    CW_TRANSFER_RUNNING  /* libcurl's */
} cw_fetch_transfer_state;

/* Lives as long as its fetcher and serves one request after the other. */
typedef struct cw_fetch_transfer {
    TAILQ_ENTRY(cw_fetch_transfer) link; /* in the fetcher's list of its state, or of those that end */
    cw_fetch_loop *loop;
    const cw_fetch_settings *settings;
    size_t index; /* among the transfers of its fetcher */
    uint64_t id;  /* of the request; 0: none */
    cw_fetch_transfer_state state;
    cw_dns_wait name;    /* of NAMING */
    bool named;          /* its host's addresses were asked for, and libcurl has what it needs of them */
    int64_t waited_ms;   /* for them */
    bool ending;         /* in the fetcher's list of those that end without libcurl */
    bool begun;          /* libcurl has begun with it: what it knows is about this request */
    bool started;        /* on_start was called */
    bool body_cut;       /* at its limit */
    bool stopped;        /* verdict stands, whatever libcurl says */
    bool unknown_coding; /* of the body, should one come */
    crawl_fetch_error verdict;
    const char *words;         /* about verdict: static, or error_text */
    crawl_fetch_request asked; /* callbacks, user, cut_body; its slices are not ours */
    size_t body_limit;
    bool proxied;     /* the address connected to is not the host's */
    bool has_address; /* the host of the URL is an address, no name */
    bool routed;      /* the handle was told of an access, and serves this transfer alone */
    CURL *easy;       /* NULL: given back to save memory */
    CURLSH *share;    /* what it was told to share; NULL: nothing */
    cw_fetch_request request;
    cw_cookie_cookies *cookies;   /* NULL: none are kept */
    cw_cookie_place cookie_place; /* of the request; its path is cw_fetch_request's */
    crawl_buf cookie_text;        /* the Cookie header of the request */
    crawl_buf resolve_text;       /* what CURLOPT_RESOLVE is given */
    struct curl_slist resolve;
    cw_fetch_head head;
    cw_fetch_framing framing;
    cw_fetch_chunks chunks; /* of CHUNKED */
    uint64_t body_bytes;    /* as they came */
    cw_fetch_decoder decoder;
    cw_fetch_capture capture;
    crawl_buf body;
    cw_fetch_bodies *bodies; /* of the fetcher */
    cw_fetch_body_wait wait;
    crawl_buf held;          /* content that came in the moment it was paused */
    bool refused;            /* an address of the host is private, and was not connected to */
    int socket_errno;        /* why no socket could be opened; 0: one could */
    crawl_response response; /* once it has ended */
    bool kept;               /* the caller still reads that */
    char error_text[CURL_ERROR_SIZE];
} cw_fetch_transfer;

typedef TAILQ_HEAD(cw_fetch_transfer_list, cw_fetch_transfer) cw_fetch_transfer_list;

/* Takes a request: CRAWL_EINVAL and CRAWL_ENOMEM as crawl_fetch. jar: always the same. */
crawl_err cw_fetch_transfer_begin(cw_fetch_transfer *transfer, const crawl_fetch_request *asked, crawl_jar *jar);

/* The addresses of its host, from a resolver; NULL: libcurl finds them itself. DONE: it may run. WAITS: the resolver
 * will say that they are there. FAILED: it was stopped. */
typedef enum cw_fetch_naming { CW_NAMING_DONE, CW_NAMING_WAITS, CW_NAMING_FAILED } cw_fetch_naming;
cw_fetch_naming cw_fetch_transfer_find_name(cw_fetch_transfer *transfer, cw_dns_resolver *resolver);
/* They are there: DONE or FAILED. */
cw_fetch_naming cw_fetch_transfer_take_name(cw_fetch_transfer *transfer, const cw_names_answer *answer,
                                            int64_t waited_ms);

/* Outside of libcurl: it was paused, and goes on. It may be stopped then. */
void cw_fetch_transfer_resume(cw_fetch_transfer *transfer);

/* It ends with this verdict, unless it has one. words: static, or error_text. */
void cw_fetch_transfer_stop(cw_fetch_transfer *transfer, crawl_fetch_error verdict, const char *words);

/* The answer as far as it has come, all but error and words. Borrowed until cw_fetch_transfer_clear. CRAWL_ENOMEM:
 * without headers. */
crawl_err cw_fetch_transfer_describe(cw_fetch_transfer *transfer, crawl_response *response);

/* Why an address of its host was not connected to. */
const char *cw_fetch_transfer_refusal(const cw_fetch_transfer *transfer);

/* What it had received when it was paused becomes a part of its body, until that has so many bytes. */
void cw_fetch_transfer_take_held(cw_fetch_transfer *transfer, size_t until);

/* The answer, once libcurl is done with the transfer: code is what it said. Borrowed until cw_fetch_transfer_clear. */
void cw_fetch_transfer_finish(cw_fetch_transfer *transfer, CURLcode code, crawl_response *response);

/* The server's address, as text; "": not known yet. */
const char *cw_fetch_transfer_ip(const cw_fetch_transfer *transfer);

/* Ready for another request. */
void cw_fetch_transfer_clear(cw_fetch_transfer *transfer);

/* Gives back all memory but the transfer's own. */
void cw_fetch_transfer_release(cw_fetch_transfer *transfer);

#endif
