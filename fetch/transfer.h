/* One transfer: its easy handle, the request that it sends, the answer as far as it has come, and how it ended. The
 * fetcher (fetcher.c) decides when a transfer begins and ends; this file's functions do it for one of them. */
#pragma once

#include "fetch/answer/bodies.h"
#include "fetch/answer/capture.h"
#include "fetch/answer/chunks.h"
#include "fetch/answer/decode.h"
#include "fetch/answer/head.h"
#include "fetch/cookies/jar.h"
#include "fetch/identity/signed_request.h"
#include "fetch/loop.h"
#include "fetch/names/names.h"
#include "fetch/names/resolve.h"
#include "fetch/request.h"
#include "fetch/settings.h"
#include "fetch/throttle.h"

#include <crawl/fetch.h>
#include <curl/curl.h>
#include <sys/queue.h>

typedef enum cw_fetch_transfer_state {
    CW_TRANSFER_IDLE,    /* has no request */
    CW_TRANSFER_WAITING, /* has a request that libcurl does not know yet */
    CW_TRANSFER_NAMING,  /* waits for the addresses of its host */
    CW_TRANSFER_RUNNING  /* libcurl has it */
} cw_fetch_transfer_state;

/* A transfer lives as long as its fetcher and serves one request after the other. */
typedef struct cw_fetch_transfer {
    TAILQ_ENTRY(cw_fetch_transfer) link; /* in the fetcher's list for its state, or for those that end */
    cw_fetch_loop *loop;
    const cw_fetch_settings *settings;
    size_t index; /* among the transfers of its fetcher */
    uint64_t id;  /* of the request; 0: none */
    cw_fetch_transfer_state state;
    cw_dns_wait name;  /* while NAMING */
    bool named;        /* its host's addresses were asked for, and libcurl has all that it needs of them */
    int64_t waited_ms; /* for the addresses */
    bool ending;       /* in the fetcher's list of those that end without libcurl */
    bool begun;        /* libcurl has begun with it: its figures are about this request */
    bool started;      /* on_start was called */
    bool body_cut;     /* the body was cut at its limit */
    bool stopped;      /* the verdict stands, whatever libcurl reports */
    bool is_signed;    /* the request that left last was signed */
    crawl_fetch_error verdict;
    const char *words;         /* the verdict in words: static, error_text, or why it was not signed */
    crawl_fetch_request asked; /* only callbacks, user and cut_body count; its slices are not ours */
    size_t body_limit;
    bool proxied;     /* the address of the connection is a proxy's, not the host's */
    bool has_address; /* the host of the URL is an address, no name */
    bool routed;      /* the handle was set up for an access, and serves this transfer alone */
    CURL *easy;       /* NULL: given back to save memory */
    CURLSH *share;    /* what the handle shares; NULL: nothing */
    cw_fetch_request request;
    cw_cookie_cookies *cookies;      /* NULL: none are kept */
    cw_cookie_place cookie_place;    /* of the request; the path is borrowed from cw_fetch_request */
    crawl_buf cookie_text;           /* the Cookie header of the request */
    cw_identity_signed signed_lines; /* of the request */
    cw_names_uses *uses;             /* of the fetcher */
    crawl_buf used;                  /* the host and port that it is counted for there; empty: none */
    size_t used_host;                /* how many bytes of it are the host */
    unsigned used_port;
    crawl_buf resolve_text;       /* what CURLOPT_RESOLVE is given: up to two lines, each ended by NUL */
    struct curl_slist resolve[2]; /* the name to forget, the name with its addresses; either may be missing */
    cw_fetch_head head;
    cw_fetch_framing framing;
    uint64_t length;        /* of CW_FRAMING_LENGTH */
    uint64_t content_bytes; /* of the body so far, without chunks, still encoded */
    cw_fetch_chunks chunks; /* for CHUNKED */
    uint64_t body_bytes;    /* before they were decoded */
    cw_fetch_decoder decoder;
    cw_fetch_capture capture;
    crawl_buf body;
    cw_fetch_bodies *bodies; /* of the fetcher */
    cw_fetch_body_wait wait;
    cw_fetch_throttle *throttle; /* of the fetcher */
    cw_fetch_hold hold;
    bool was_held;           /* libcurl does not judge its speed any more */
    crawl_buf held;          /* content that came while the transfer was being paused */
    bool refused;            /* an address of the host is private, and was not connected to */
    int socket_errno;        /* why no socket could be opened; 0: one could */
    crawl_response response; /* filled when it has ended */
    bool kept;               /* the caller still reads response */
    bool is_repeated;        /* it runs for the second time */
    char error_text[CURL_ERROR_SIZE];
} cw_fetch_transfer;

typedef TAILQ_HEAD(cw_fetch_transfer_list, cw_fetch_transfer) cw_fetch_transfer_list;

/* Takes a request. CRAWL_EINVAL and CRAWL_ENOMEM as crawl_fetch. jar must always be the same. */
crawl_err cw_fetch_transfer_begin(cw_fetch_transfer *transfer, const crawl_fetch_request *asked, crawl_jar *jar);

/* Asks a resolver for the addresses of the host; with NULL libcurl finds them itself. DONE: the transfer may run.
 * WAITS: the resolver will tell when they are there. FAILED: the transfer was stopped. */
typedef enum cw_fetch_naming { CW_NAMING_DONE, CW_NAMING_WAITS, CW_NAMING_FAILED } cw_fetch_naming;
cw_fetch_naming cw_fetch_transfer_find_name(cw_fetch_transfer *transfer, cw_dns_resolver *resolver);
/* Takes the addresses when they are there: DONE or FAILED. */
cw_fetch_naming cw_fetch_transfer_take_name(cw_fetch_transfer *transfer, const cw_names_answer *answer,
                                            int64_t waited_ms);
/* Counts the transfer no more as one that uses the name of its last host. libcurl may still have the name for a while;
 * the next one that a transfer gives it for that host takes its place. True: no other transfer uses the name. */
static inline bool cw_fetch_transfer_leave_name(cw_fetch_transfer *transfer)
{
    bool last = transfer->used.size && cw_names_uses_drop(transfer->uses, crawl_buf_slice(&transfer->used));
    crawl_buf_clear(&transfer->used);
    return last;
}

/* Ends the transfer where its body has the length that CW_FRAMING_LENGTH says. */
void cw_fetch_transfer_end_at_length(cw_fetch_transfer *transfer);

/* Has an HTTP/2 connection ended before anything of the answer came, as by a GOAWAY for a request that the server has
 * not looked at (RFC 9113, 6.8)? Such a request is sent again, once; libcurl itself does that for streams that were
 * refused, but not where the connection is new. */
bool cw_fetch_transfer_was_unseen(const cw_fetch_transfer *transfer, CURLcode code);

/* Takes bytes of the body as they came, still encoded. How many it took as libcurl asks it of a CURLOPT_WRITEFUNCTION:
 * all; 0: the transfer was stopped; CURL_WRITEFUNC_PAUSE: none, they are to be brought again. */
size_t cw_fetch_transfer_take_body(cw_fetch_transfer *transfer, crawl_slice bytes);

/* Lets a paused transfer go on; this may stop it. To be called outside of libcurl. */
void cw_fetch_transfer_resume(cw_fetch_transfer *transfer);
/* The same for one that was held. */
void cw_fetch_transfer_release_hold(cw_fetch_transfer *transfer);

/* Ends the transfer with this verdict, unless it has one already. words: static, or error_text. */
static inline void cw_fetch_transfer_stop(cw_fetch_transfer *transfer, crawl_fetch_error verdict, const char *words)
{
    if (transfer->stopped)
        return;
    transfer->stopped = true;
    transfer->verdict = verdict;
    transfer->words = words;
}

/* Fills response with the answer as far as it has come, without error and words. It is borrowed until
 * cw_fetch_transfer_clear. CRAWL_ENOMEM: response has no headers. */
crawl_err cw_fetch_transfer_describe(cw_fetch_transfer *transfer, crawl_response *response);

/* Why no connection was made to an address of the host. */
const char *cw_fetch_transfer_refusal(const cw_fetch_transfer *transfer);

/* Moves content that came while the transfer was being paused into its body, until the body has `until` bytes. */
void cw_fetch_transfer_take_held(cw_fetch_transfer *transfer, size_t until);

/* Fills response when libcurl has finished the transfer; code is libcurl's result. Borrowed until
 * cw_fetch_transfer_clear. */
void cw_fetch_transfer_finish(cw_fetch_transfer *transfer, CURLcode code, crawl_response *response);

/* The server's address as text; "": it is not known yet. */
const char *cw_fetch_transfer_ip(const cw_fetch_transfer *transfer);

/* Makes the transfer ready for another request. */
void cw_fetch_transfer_clear(cw_fetch_transfer *transfer);

/* Gives back all memory but the transfer's own. */
void cw_fetch_transfer_release(cw_fetch_transfer *transfer);

/* CURLE_TOO_LARGE, which has that name since libcurl 8.6: what libcurl receives or sends is too large. */
#define CW_FETCH_CURLE_TOO_LARGE ((CURLcode)100)

crawl_fetch_error cw_fetch_classify(CURLcode code);
