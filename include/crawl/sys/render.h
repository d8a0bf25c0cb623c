/* Renders pages whose content scripts make, by Debian's chromium-headless-shell, and hands back their DOM.
 *
 * The browser has no network. Each request that a page makes becomes a part, which the caller answers by whatever
 * fetcher, manners and rules it has; crawl_fetcher is one. While a part waits for its answer the clock of its page
 * stands still, so that a pause between two requests costs a page nothing. Each render has a browser context of its
 * own: cookies, storage and caches begin empty and end with it.
 *
 * The browser's processes run as a user of their own, where root starts them, in namespaces without a network, under
 * limits of memory and files, Landlock and a filter of system calls, and pages in Chromium's sandbox within that. A
 * renderer whose pages are not in the sandbox is refused. Linux alone, x86-64 or arm64.
 *
 * A build without it (CRAWL_RENDER=OFF) has these calls, and crawl_renderer_create says so. */
#ifndef CRAWL_RENDER_H
#define CRAWL_RENDER_H

#include <crawl/fetch.h>

struct event_base;

#ifdef __cplusplus
extern "C" {
#endif

/* A browser and the renders in it. Single-thread: all calls from the thread that runs the event_base. */
typedef struct crawl_renderer crawl_renderer;

/* Options of a renderer; init has the defaults. Times are in ms of the wall clock unless the text says otherwise,
 * and none may be negative. */
typedef struct crawl_render_options {
    size_t size;             /* sizeof(crawl_render_options): init sets it */
    const char *program;     /* the browser; NULL: the first one of Debian's place and $PATH */
    const char *user_agent;  /* that pages see; parts do not carry it. NULL: the browser's own */
    int64_t start_ms;        /* until the browser has answered its first command */
    int64_t time_ms;         /* of a render, without the time in which a part waits for its answer */
    int64_t wait_ms;         /* of a render, with it */
    int64_t silence_ms;      /* without an answer of the page: then its script is stopped */
    int64_t clock_ms;        /* of the page's own time; 1 to 60,000. A second more each time that its view grows to its
                                height, three times at most */
    uint64_t max_part_bytes; /* of a part's body; at most 32 MiB, beyond it the browser would hang. The render goes on
                                without the part */
    uint64_t max_page_bytes; /* of all bodies of a render */
    uint64_t max_html_bytes; /* of the HTML that comes back, all frames together; what is beyond is cut off */
    uint64_t max_memory_bytes; /* of all processes of the browser: beyond it the largest page is ended */
    uint32_t max_parts;        /* of a render, those that are never asked for included */
    uint32_t max_frames;       /* that are read */
    uint32_t pages;            /* after so many renders a new browser is started; 0: never */
    uint32_t open;             /* renders at once, 1 to 64 */
    bool images;               /* ask for pictures, fonts and media; otherwise a picture is one pixel */
    bool post;                 /* let requests through that are not GET, HEAD or the preflight of one */
    crawl_slice clicks;        /* XPath, as of crawl_select_xpath, each ended by a NUL: a quiet page gets clicks on
                                  elements that it selects, one of each at a time, at most 20 times, and a second more
                                  of its time after each. No form is sent then. Where one is no XPath, none counts */
} crawl_render_options;

/* 20 s, 20 s, 5 min, 2 s, 5 s; 16 MiB, 64 MiB, 16 MiB, 1 GiB; 200 parts, 100 frames, 500 pages, 2 at once; no pictures,
 * no POST, no clicks. */
CRAWL_API void crawl_render_options_init(crawl_render_options *options, size_t size);

/* Starts the browser. base is borrowed and must outlive the renderer; options are copied. CRAWL_EINVAL: an option out
 * of its range; CRAWL_ABSENT: there is no browser; CRAWL_REFUSED: the system refuses what the fences need; CRAWL_EIO:
 * the browser cannot be started; CRAWL_ENOMEM. error has words for each. */
CRAWL_API crawl_err crawl_renderer_create(struct event_base *base, const crawl_render_options *options,
                                          crawl_renderer **out, crawl_error *error);
/* Ends the browser. Renders under way end without a callback. Not from within a callback. */
CRAWL_API void crawl_renderer_free(crawl_renderer *renderer);

/* An answer to a page's request. Borrowed for the call. Headers that speak of the transfer (Content-Encoding,
 * Content-Length, Connection, ...) are left out, and those that are none. */
typedef struct crawl_render_response {
    size_t size; /* sizeof(crawl_render_response) */
    int status;  /* 200 to 599 */
    const crawl_header *headers;
    size_t header_count;
    crawl_slice body; /* decoded */
} crawl_render_response;

/* An answer of a fetcher as one. */
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
                            the answers of this render have set. No User-Agent, Host, Accept-Encoding, Sec-... */
    crawl_slice body;
    const char *kind; /* "Document" (of a frame, or of the page that goes on), "Script", "Stylesheet", "XHR", "Image",
                         "Font", "Media", "Other", ...: the browser's words */
    const char *fate; /* NULL: it waits for an answer. Else it has got one without the caller, which these words
                         tell: "one pixel", "not fetched"; id is 0 */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_render_part;

/* Why a render is not whole. */
typedef enum crawl_render_lack {
    CRAWL_RENDER_WHOLE = 0,
    CRAWL_RENDER_TIME,     /* time_ms or wait_ms */
    CRAWL_RENDER_PARTS,    /* max_parts */
    CRAWL_RENDER_BYTES,    /* max_page_bytes or max_html_bytes */
    CRAWL_RENDER_BUSY,     /* a script did not end, and was stopped */
    CRAWL_RENDER_DIALOGS,  /* more than 20 of alert, confirm and prompt */
    CRAWL_RENDER_DOCUMENT, /* the answer is no document: 204, a download, a PDF */
    CRAWL_RENDER_CRASHED,  /* the page's process ended, by its memory perhaps */
    CRAWL_RENDER_BROWSER,  /* the browser ended, or did not start */
    CRAWL_RENDER_CANCELLED,
    CRAWL_RENDER_MEMORY /* ours */
} crawl_render_lack;

/* "time", "parts", ..., "" for WHOLE. Static. */
CRAWL_API const char *crawl_render_lack_name(crawl_render_lack lack);

/* A document of a page: the page itself first, then its frames. */
typedef struct crawl_render_frame {
    crawl_slice url;
    crawl_slice base; /* against which its links are resolved */
    crawl_slice html; /* UTF-8; shadow roots, closed ones too, as <template shadowrootmode=...> */
    bool is_own; /* of the page's origin, or in an attribute of a document that is: its text is the page's. Frames of
                    other sites are advertisements mostly */
    uint64_t reserved[3]; /* 0, for later versions */
} crawl_render_frame;

/* A URL that no element of the DOM has. */
typedef struct crawl_render_link {
    crawl_slice url;
    const char *how; /* "route" (pushState and the like), "open" (a window), "location", "refresh", "form", "download"
                      */
    uint64_t reserved[2]; /* 0, for later versions */
} crawl_render_link;

/* A finished render. Valid during on_done alone. */
typedef struct crawl_rendered {
    size_t size;            /* sizeof(crawl_rendered) */
    bool failed;            /* nothing of the page could be read: there are no frames */
    crawl_render_lack lack; /* of a page that was read: what of it is missing. Of a failed one: why */
    const char *words;      /* more about it for a person, "" when there is none */
    const crawl_render_frame *frames;
    size_t frame_count;
    const crawl_render_link *links; /* each once; 200 at most */
    size_t link_count;
    crawl_slice screenshot; /* PNG; empty: none was asked for, or none came */
    uint32_t parts;         /* requests of the page after its own */
    uint32_t answered;      /* by the caller */
    uint64_t bytes;         /* of the bodies of those */
    int64_t waited_ms;      /* in which a part waited for its answer */
    int64_t elapsed_ms;     /* of the wall clock */
} crawl_rendered;

/* A page to be rendered. All that it points to is copied. */
typedef struct crawl_render_request {
    size_t size;                           /* sizeof(crawl_render_request) */
    crawl_slice url;                       /* http or https, without a user's name */
    const crawl_render_response *response; /* to it, after redirects */
    bool screenshot;                       /* of the first 1280 x 1024 pixels, with pictures and fonts */
    void (*on_part)(void *user, const crawl_render_part *part);
    void (*on_done)(void *user, const crawl_rendered *page); /* exactly once, from the loop */
    void *user;
} crawl_render_request;

/* Begins a render; from any callback too. *id (NULL: not wanted) names it. CRAWL_EINVAL: no such URL, or a response
 * that is none; CRAWL_FULL: `open` renders are under way; CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_render(crawl_renderer *renderer, const crawl_render_request *request, uint64_t *id);

/* on_done comes from the loop, with CRAWL_RENDER_CANCELLED. CRAWL_ABSENT: no such render. */
CRAWL_API crawl_err crawl_render_cancel(crawl_renderer *renderer, uint64_t id);

/* Why a part has no answer, which the page sees as a failed request. */
typedef enum crawl_render_refusal {
    CRAWL_RENDER_REFUSE_BLOCKED, /* by a rule: robots.txt, a limit */
    CRAWL_RENDER_REFUSE_NAME,    /* it does not resolve */
    CRAWL_RENDER_REFUSE_CONNECT, /* nobody listens, or the address is forbidden */
    CRAWL_RENDER_REFUSE_CLOSED,  /* TLS, or the connection ended early */
    CRAWL_RENDER_REFUSE_TIMEOUT
} crawl_render_refusal;

/* How a page is to see what a fetcher had no answer for. */
CRAWL_API crawl_render_refusal crawl_render_refusal_of(crawl_fetch_error error);

/* Answer a part once, from on_part or later; pages get the answers in the order of their requests. CRAWL_ABSENT: it has
 * an answer, or its render has ended; that is no mistake. CRAWL_EINVAL: a status out of its range; it still waits.
 * CRAWL_ENOMEM: the page sees a failed request. */
CRAWL_API crawl_err crawl_render_answer(crawl_renderer *renderer, uint64_t part, const crawl_render_response *response);
CRAWL_API crawl_err crawl_render_refuse(crawl_renderer *renderer, uint64_t part, crawl_render_refusal why);

/* The figures of a renderer. */
typedef struct crawl_renderer_stats {
    uint64_t rendered; /* whole or cut */
    uint64_t cut;      /* of those */
    uint64_t failed;
    uint64_t parts;
    uint64_t starts; /* of the browser */
    uint64_t deaths; /* of it, unasked */
    uint64_t open;   /* renders now */
    uint64_t memory_bytes;
    uint64_t peak_memory_bytes; /* of the browser's processes, looked at once a second */
    uint64_t reserved[8];       /* 0, for later versions */
} crawl_renderer_stats;
/* They are all there at any time. */
CRAWL_API void crawl_renderer_stats_get(const crawl_renderer *renderer, crawl_renderer_stats *out);

/* A page as it was fetched. */
typedef struct crawl_render_facts {
    size_t size;       /* sizeof(crawl_render_facts) */
    crawl_slice html;  /* in an encoding that has ASCII as it is */
    size_t text_bytes; /* of its visible text */
    size_t links;      /* that lead from it */
    bool has_refresh;  /* a meta refresh: it leads elsewhere by itself */
} crawl_render_facts;

/* Does the page need a browser, as far as that can be told without one? NULL: no; or why, in words: "an empty root" of
 * a framework, "it asks for scripts" in <noscript>, "little text" and few links beside scripts, menus and footers.
 * Static. Pure: it asks nobody, and is there in a build without rendering too. */
CRAWL_API const char *crawl_render_gate(const crawl_render_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
