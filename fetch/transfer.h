/* One transfer: its easy handle, the request that it sends, the answer so far, and its outcome. The fetcher (fetcher.c)
 * decides when a transfer begins and ends; these functions do it for one of them. */
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
    CW_TRANSFER_WAITING, /* has a request that libcurl does not have yet */
    CW_TRANSFER_NAMING,  /* waits for the addresses of its host */
    CW_TRANSFER_RUNNING  /* libcurl has it */
} cw_fetch_transfer_state;

/* A transfer, which lives as long as its fetcher and serves one request after the other. */
typedef struct cw_fetch_transfer {
    TAILQ_ENTRY(cw_fetch_transfer) link; /* in the fetcher's list for its state, or that of ending ones */
    cw_fetch_loop *loop;
    const cw_fetch_settings *settings;
    size_t index; /* among the transfers of its fetcher */
    uint64_t id;  /* of the request; 0: none */
    cw_fetch_transfer_state state;
    cw_dns_wait name;  /* while NAMING */
    bool named;        /* its host's addresses were looked up, and libcurl has everything it needs of them */
    int64_t waited_ms; /* for the addresses */
    bool ending;       /* in the fetcher's list of those that end without libcurl */
    bool begun;        /* libcurl has begun with it: its figures belong to this request */
    bool started;      /* on_start was called */
    bool body_cut;     /* the body was cut at its limit */
    bool stopped;      /* the verdict stands, whatever libcurl reports */
    bool is_signed;    /* the last request sent was signed */
    crawl_fetch_error verdict;
    const char *words;         /* the verdict in words: static, error_text, or why it was not signed */
    crawl_fetch_request asked; /* only callbacks, user and cut_body are valid; its slices are not owned */
    size_t body_limit;
    bool proxied;     /* the connection goes to a proxy's address, not the host's */
    bool has_address; /* the host of the URL is an address rather than a name */
    bool worn;        /* the handle serves no other transfer: it was set up for an access, or libcurl, which counts
                       * repeats by handle, may have repeated the request */
    CURL *easy;       /* NULL: freed to save memory */
    CURLSH *share;    /* the share set on the handle; NULL: none */
    cw_fetch_request request;
    cw_cookie_cookies *cookies;      /* NULL: none are stored */
    cw_cookie_place cookie_place;    /* of the request; the path is borrowed from cw_fetch_request */
    crawl_buf cookie_text;           /* the Cookie header of the request */
    cw_identity_signed signed_lines; /* of the request */
    cw_names_uses *uses;             /* of the fetcher */
    crawl_buf used;                  /* host and port under which it is counted there; empty: not counted */
    size_t used_host;                /* bytes of the host in it */
    unsigned used_port;
    crawl_buf resolve_text;       /* the text for CURLOPT_RESOLVE: up to two lines, each NUL-terminated */
    struct curl_slist resolve[2]; /* the name to drop, the name with its addresses; either may be missing */
    cw_fetch_head head;
    cw_fetch_framing framing;
    uint64_t length;        /* for CW_FRAMING_LENGTH */
    uint64_t content_bytes; /* of the body so far, without chunks, still encoded */
    cw_fetch_chunks chunks; /* for CHUNKED */
    uint64_t body_bytes;    /* before decoding */
    cw_fetch_decoder decoder;
    cw_fetch_capture capture;
    crawl_buf body;
    cw_fetch_bodies *bodies; /* of the fetcher */
    cw_fetch_body_wait wait;
    cw_fetch_throttle *throttle; /* of the fetcher */
    cw_fetch_hold hold;
    crawl_buf held;          /* content that arrived while the transfer was being paused */
    bool refused;            /* an address of the host is private, and was not connected to */
    bool tried;              /* another one was, or lacked only a socket */
    int socket_errno;        /* why no socket could be opened; 0: no failure */
    crawl_response response; /* filled when it has ended */
    bool kept;               /* the caller still reads response */
    bool is_told;            /* on_done has not returned yet */
    bool is_repeated;        /* it runs for the second time */
    char error_text[CURL_ERROR_SIZE];
} cw_fetch_transfer;

typedef TAILQ_HEAD(cw_fetch_transfer_list, cw_fetch_transfer) cw_fetch_transfer_list;

/* Takes a request. CRAWL_EINVAL and CRAWL_ENOMEM as crawl_fetch. jar must always be the same. */
crawl_err cw_fetch_transfer_begin(cw_fetch_transfer *transfer, const crawl_fetch_request *asked, crawl_jar *jar);

/* Asks a resolver for the addresses of the host; with NULL libcurl finds them itself. DONE: the transfer may run.
 * WAITS: the resolver will report them. FAILED: the transfer was stopped. */
typedef enum cw_fetch_naming { CW_NAMING_DONE, CW_NAMING_WAITS, CW_NAMING_FAILED } cw_fetch_naming;
cw_fetch_naming cw_fetch_transfer_find_name(cw_fetch_transfer *transfer, cw_dns_resolver *resolver);
/* Takes the addresses from the resolver: DONE or FAILED. */
cw_fetch_naming cw_fetch_transfer_take_name(cw_fetch_transfer *transfer, const cw_names_answer *answer,
                                            int64_t waited_ms);
/* Stops counting the transfer as a user of the name of its last host. libcurl may still hold the name for a while; the
 * next one set for that host replaces it. True: no other transfer uses the name. */
static inline bool cw_fetch_transfer_leave_name(cw_fetch_transfer *transfer)
{
    bool last = transfer->used.size && cw_names_uses_drop(transfer->uses, crawl_buf_slice(&transfer->used));
    crawl_buf_clear(&transfer->used);
    return last;
}

/* Returns true if a part of the body is missing and libcurl does not notice (CW_FRAMING_LENGTH,
 * CW_FRAMING_CHUNKS_ALONE). The answer to HEAD has the header of a body, but none. */
bool cw_fetch_transfer_lacks_body(const cw_fetch_transfer *transfer);
/* Ends the transfer once its body is whole, if libcurl does not notice. */
void cw_fetch_transfer_end_alone(cw_fetch_transfer *transfer);

/* Returns true if an HTTP/2 connection ended before any part of the answer arrived, as by a GOAWAY for a request that
 * the server has not looked at (RFC 9113, 6.8). Such a request is repeated once; libcurl itself does that for refused
 * streams, but not on a new connection. */
bool cw_fetch_transfer_was_unseen(const cw_fetch_transfer *transfer, CURLcode code);

/* Takes bytes of the body as received, still encoded. Returns what libcurl expects from a CURLOPT_WRITEFUNCTION: all;
 * 0: the transfer was stopped; CURL_WRITEFUNC_PAUSE: none, they must be delivered again. */
size_t cw_fetch_transfer_take_body(cw_fetch_transfer *transfer, crawl_slice bytes);

/* Resumes a paused transfer, which may stop it. Must not be called from libcurl's callbacks. */
void cw_fetch_transfer_resume(cw_fetch_transfer *transfer);
/* As cw_fetch_transfer_resume, for a held one. */
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

/* Fills response with the answer so far, without error and words. Borrowed until cw_fetch_transfer_clear. CRAWL_ENOMEM:
 * response has no headers. */
crawl_err cw_fetch_transfer_describe(cw_fetch_transfer *transfer, crawl_response *response);

/* Returns why no connection was made to an address of the host. */
const char *cw_fetch_transfer_refusal(const cw_fetch_transfer *transfer);

/* Moves content that arrived while the transfer was being paused into its body, until the body has `until` bytes. */
void cw_fetch_transfer_take_held(cw_fetch_transfer *transfer, size_t until);

/* Fills response when libcurl has finished the transfer; code is libcurl's result. Borrowed until
 * cw_fetch_transfer_clear. */
void cw_fetch_transfer_finish(cw_fetch_transfer *transfer, CURLcode code, crawl_response *response);

/* Returns the server's address as text; "": not known yet. */
const char *cw_fetch_transfer_ip(const cw_fetch_transfer *transfer);

/* Makes the transfer ready for another request. */
void cw_fetch_transfer_clear(cw_fetch_transfer *transfer);

/* Frees all memory but the transfer's own. */
void cw_fetch_transfer_release(cw_fetch_transfer *transfer);

/* CURLE_TOO_LARGE, named so since libcurl 8.6: what libcurl receives or sends is too large. */
#define CW_FETCH_CURLE_TOO_LARGE ((CURLcode)100)

crawl_fetch_error cw_fetch_classify(CURLcode code);
