/* Renders pages whose content is made by scripts, with Debian's chromium-headless-shell, and returns their DOM.
 *
 * The browser has no network. Each request of a page becomes a part, which the caller answers with whatever fetcher,
 * politeness and rules it has; crawl_fetcher is one. While a part waits for its answer the clock of its page stands
 * still, so that a pause between two requests costs the page nothing. Each render has its own browser context: cookies,
 * storage and caches begin empty and end with it.
 *
 * The browser's processes run as a separate user if started by root, in namespaces without a network, under limits of
 * memory and files, Landlock and a system call filter, and pages additionally in Chromium's sandbox. A renderer process
 * without that sandbox is refused. Linux only, x86-64 or arm64.
 *
 * libevent writes to the browser with write(2), which raises SIGPIPE if the browser has ended. The process must ignore
 * SIGPIPE, or the thread of the loop must block it.
 *
 * A build without rendering (CRAWL_RENDER=OFF) has these calls, and crawl_renderer_create reports it. */
#ifndef CRAWL_RENDER_H
#define CRAWL_RENDER_H

#include <crawl/fetch.h>

struct event_base;

#ifdef __cplusplus
extern "C" {
#endif

/* A browser and its renders. Single-threaded: all calls must come from the thread that runs the event_base. */
typedef struct crawl_renderer crawl_renderer;

/* Options of a renderer; init has the defaults. Times are in ms of the wall clock unless the text says otherwise, and
 * must not be negative. */
typedef struct crawl_render_options {
    size_t size;             /* sizeof(crawl_render_options): init sets it */
    const char *program;     /* the browser; NULL: the first one found in Debian's place and $PATH */
    const char *user_agent;  /* seen by pages; not set in parts. NULL: the browser's own */
    int64_t start_ms;        /* until the browser has answered its first command */
    int64_t time_ms;         /* maximum of a render, except while a part waits for its answer */
    int64_t wait_ms;         /* maximum of a render, in total */
    int64_t silence_ms;      /* maximum silence of the page, after which its script is stopped */
    int64_t clock_ms;        /* by the page's own clock; 1 to 60,000. Plus a second each time that its view grows to its
                                height, at most three times */
    uint64_t max_part_bytes; /* maximum body of a part, at most 32 MiB, beyond which the browser would hang. The render
                                continues without a larger part, and lacks it if it is a script or data */
    uint64_t max_page_bytes; /* maximum of all bodies of a render */
    uint64_t max_html_bytes; /* maximum of the returned HTML, all frames together; the rest is cut off */
    uint64_t max_memory_bytes; /* maximum of all processes of the browser: beyond it the largest page is terminated */
    uint32_t max_parts;        /* maximum of a render; ten times as many that are answered without the caller */
    uint32_t max_frames;       /* maximum of frames that are read */
    uint32_t pages;            /* renders after which the browser is restarted; 0: never */
    uint32_t open;             /* concurrent renders, 1 to 64 */
    bool images;               /* requests pictures, fonts and media; otherwise a picture is one pixel */
    bool post;                 /* allows requests other than GET, HEAD or the preflight of one */
    crawl_slice clicks; /* XPath, as from crawl_select_xpath, each NUL-terminated: when a page is quiet, clicks the
                           elements selected, one of each at a time, at most 20 times, and adds a second of its time
                           after each. No form is sent then. If one is not valid XPath, none is used */
} crawl_render_options;

/* Sets the defaults: 20 s, 20 s, 5 min, 2 s, 5 s; 16 MiB, 64 MiB, 16 MiB, 1 GiB; 200 parts, 100 frames, 500 pages, 2 at
 * once; no pictures, no POST, no clicks. */
CRAWL_API void crawl_render_options_init(crawl_render_options *options, size_t size);

/* Starts the browser. base is borrowed and must outlive the renderer; options are copied. CRAWL_EINVAL: an option out
 * of range; CRAWL_ABSENT: no browser found; CRAWL_REFUSED: the system refuses what the fences need; CRAWL_EIO: the
 * browser cannot be started; CRAWL_ENOMEM. error explains each. */
CRAWL_API crawl_err crawl_renderer_create(struct event_base *base, const crawl_render_options *options,
                                          crawl_renderer **out, crawl_error *error);
/* Ends the browser; renders in flight end without a callback. Must not be called from within a callback. */
CRAWL_API void crawl_renderer_free(crawl_renderer *renderer);

/* An answer to a page's request. Borrowed for the call. Headers about the transfer (Content-Encoding, Content-Length,
 * Connection, ...) and malformed ones are left out. */
typedef struct crawl_render_response {
    size_t size; /* sizeof(crawl_render_response) */
    int status;  /* 200 to 599 */
    const crawl_header *headers;
    size_t header_count;
    crawl_slice body; /* decoded */
} crawl_render_response;

/* Converts the answer of a fetcher. */
static inline crawl_render_response crawl_render_response_of(const crawl_response *response)
{
    crawl_render_response own = {sizeof(crawl_render_response), response->status, response->headers,
                                 response->header_count, response->body};
    return own;
}

/* A request of a page. Borrowed for the call. */
typedef struct crawl_render_part {
    uint64_t id; /* for crawl_render_answer and crawl_render_refuse */
    crawl_slice url;
    crawl_slice method;  /* "GET" */
    crawl_slice headers; /* "Name: value" lines each ended by \n: Accept, Origin, Referer, X-..., and Cookie, with what
                            the answers of this render have set. Without User-Agent, Host, Accept-Encoding, Sec-...;
                            Accept-Language only if a script has set it */
    crawl_slice body;
    const char *kind; /* in the browser's words: "Document" (of a frame, or of the page that navigates), "Script",
                         "Stylesheet", "XHR", "Image", "Font", "Media", "Other", ... */
    const char *fate; /* NULL: it waits for an answer. Otherwise it was answered without the caller, as these words say:
                         "one pixel", "not fetched"; id is 0 */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_render_part;

/* Why a render is incomplete, or has failed. TIME and BUSY occur with both. */
typedef enum crawl_render_lack {
    CRAWL_RENDER_WHOLE = 0,
    CRAWL_RENDER_TIME,     /* time_ms or wait_ms */
    CRAWL_RENDER_PARTS,    /* max_parts */
    CRAWL_RENDER_BYTES,    /* max_page_bytes or max_html_bytes */
    CRAWL_RENDER_BUSY,     /* a script did not end, and was stopped, or could not be */
    CRAWL_RENDER_DIALOGS,  /* more than 20 of alert, confirm and prompt */
    CRAWL_RENDER_DOCUMENT, /* the answer is not a document (204, a download, a PDF), or the page left its document */
    CRAWL_RENDER_CRASHED,  /* the page's process ended, possibly for lack of memory */
    CRAWL_RENDER_BROWSER,  /* the browser ended, or did not start */
    CRAWL_RENDER_CANCELLED,
    CRAWL_RENDER_MEMORY /* this process ran out of memory */
} crawl_render_lack;

/* Returns "time", "parts", ..., "" for WHOLE. Static. */
CRAWL_API const char *crawl_render_lack_name(crawl_render_lack lack);

/* A document of a page: the page itself first, then its frames. */
typedef struct crawl_render_frame {
    crawl_slice url;
    crawl_slice base; /* base of its links */
    crawl_slice html; /* UTF-8; shadow roots, closed ones too, as <template shadowrootmode=...> */
    bool is_own; /* of the page's origin, or in an attribute of such a document: its text belongs to the page. Frames of
                    other sites are mostly advertisements */
    uint64_t reserved[3]; /* 0, for later versions */
} crawl_render_frame;

/* A URL that is not in any element of the DOM. */
typedef struct crawl_render_link {
    crawl_slice url;
    const char *how; /* "route" (pushState and similar), "open" (a window), "location", "refresh", "form", "download" */
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_render_link;

/* A finished render. Valid only during on_done. */
typedef struct crawl_rendered {
    size_t size;            /* sizeof(crawl_rendered) */
    bool failed;            /* nothing of the page could be read: there are no frames */
    crawl_render_lack lack; /* what is missing from a page that was read, or why it failed */
    const char *words;      /* details for a person, "" if none; also of a WHOLE page: a script or data without an
                               answer, or answered with a status of 429 or from 500 */
    const crawl_render_frame *frames;
    size_t frame_count;
    const crawl_render_link *links; /* each once; at most 200 */
    size_t link_count;
    crawl_slice screenshot; /* PNG; empty: not requested, or failed */
    uint32_t parts;         /* requests of the page after its own */
    uint32_t answered;      /* by the caller */
    uint64_t bytes;         /* of their bodies */
    int64_t waited_ms;      /* while a part waited for its answer */
    int64_t elapsed_ms;     /* of the wall clock */
} crawl_rendered;

/* A page to render. Everything that it points to is copied. */
typedef struct crawl_render_request {
    size_t size;                           /* sizeof(crawl_render_request) */
    crawl_slice url;                       /* http or https, without user info; the page sees a fragment */
    const crawl_render_response *response; /* to it, after redirects */
    bool screenshot;                       /* of the first 1280 x 1024 pixels, with pictures and fonts */
    void (*on_part)(void *user, const crawl_render_part *part);
    void (*on_done)(void *user, const crawl_rendered *page); /* exactly once, from the loop */
    void *user;
} crawl_render_request;

/* Starts a render; also from any callback. *id (NULL: not wanted) identifies it. CRAWL_EINVAL: no such URL, or an
 * invalid response; CRAWL_FULL: `open` renders are in flight; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_render(crawl_renderer *renderer, const crawl_render_request *request, uint64_t *id);

/* Cancels a render. on_done is called from the loop, with CRAWL_RENDER_CANCELLED. CRAWL_ABSENT: no such render. */
CRAWL_API crawl_err crawl_render_cancel(crawl_renderer *renderer, uint64_t id);

/* Why a part has no answer, which the page sees as a failed request. */
typedef enum crawl_render_refusal {
    CRAWL_RENDER_REFUSE_BLOCKED, /* by a rule: robots.txt, a limit */
    CRAWL_RENDER_REFUSE_NAME,    /* it does not resolve */
    CRAWL_RENDER_REFUSE_CONNECT, /* connection refused, or the address is forbidden */
    CRAWL_RENDER_REFUSE_CLOSED,  /* TLS, or the connection ended early */
    CRAWL_RENDER_REFUSE_TIMEOUT,
    CRAWL_RENDER_REFUSE_LARGE /* by its size; the render lacks a script or data then */
} crawl_render_refusal;

/* Returns the refusal that a page should see for an error of a fetcher. */
CRAWL_API crawl_render_refusal crawl_render_refusal_of(crawl_fetch_error error);

/* Answer a part once, from on_part or later; pages get the answers in the order of their requests. CRAWL_ABSENT: it is
 * already answered, or its render has ended, which is not an error. CRAWL_EINVAL: status out of range; the part still
 * waits. CRAWL_ENOMEM: the page sees a failed request. */
CRAWL_API crawl_err crawl_render_answer(crawl_renderer *renderer, uint64_t part, const crawl_render_response *response);
CRAWL_API crawl_err crawl_render_refuse(crawl_renderer *renderer, uint64_t part, crawl_render_refusal why);

/* The figures of a renderer. */
typedef struct crawl_renderer_stats {
    uint64_t rendered; /* whole or cut */
    uint64_t cut;      /* of these, cut */
    uint64_t failed;
    uint64_t parts;
    uint64_t starts; /* of the browser */
    uint64_t deaths; /* unexpected ends of the browser */
    uint64_t open;   /* renders in flight */
    uint64_t memory_bytes;
    uint64_t peak_memory_bytes; /* of the browser's processes, sampled once per second */
    uint64_t reserved[8];       /* 0, for later versions */
} crawl_renderer_stats;
/* Returns the figures, all of them at any time. */
CRAWL_API void crawl_renderer_stats_get(const crawl_renderer *renderer, crawl_renderer_stats *out);

/* A page as it was fetched. */
typedef struct crawl_render_facts {
    size_t size;       /* sizeof(crawl_render_facts) */
    crawl_slice html;  /* in an ASCII-compatible encoding */
    size_t text_bytes; /* of its visible text */
    size_t links;      /* leading away from it */
    bool has_refresh;  /* a meta refresh to another page */
} crawl_render_facts;

/* Decides whether the page needs a browser, as far as that can be told without one. NULL: no; otherwise the reason in
 * words: "an empty root" of a framework, "it asks for scripts" in <noscript>, "little text" and few links besides
 * scripts, menus and footers. Static. Pure, and available in a build without rendering. */
CRAWL_API const char *crawl_render_gate(const crawl_render_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
