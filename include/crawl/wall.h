/* Distinguishes the answer of a page from an answer in its place: a challenge for browsers, the block page of a
 * firewall, a detour to a login or a consent, a parked name. The proofs are rows of a table (parse/wall/wall_table.c):
 * statuses, headers, titles, texts, elements and scripts that nobody else writes. A cookie or a script of a vendor
 * alone proves nothing, since ordinary pages have it too. Pure. */
#ifndef CRAWL_WALL_H
#define CRAWL_WALL_H

#include <crawl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of answers. */
typedef enum crawl_verdict {
    CRAWL_VERDICT_CONTENT,      /* the page, or an ordinary error */
    CRAWL_VERDICT_CHALLENGE,    /* a test that a browser must pass first */
    CRAWL_VERDICT_WALL,         /* a refusal by something in front of the server */
    CRAWL_VERDICT_LOGIN,        /* a redirect to a login that leads back, or a login in place of the page */
    CRAWL_VERDICT_CONSENT,      /* likewise for a consent */
    CRAWL_VERDICT_PARKED,       /* not a real site: for sale, suspended, or as its server was installed */
    CRAWL_VERDICT_SOFT_404,     /* a page that says "not found", with status 200 */
    CRAWL_VERDICT_RATE_LIMITED, /* come back later */
    CRAWL_VERDICT_COUNT
} crawl_verdict;

/* Returns "content", "challenge", "wall", "login", "consent", "parked", "soft-404", "rate-limited". */
CRAWL_API const char *crawl_verdict_name(crawl_verdict verdict);

/* Returns true for a challenge or a wall. */
static inline bool crawl_verdict_is_wall(crawl_verdict verdict)
{
    return verdict == CRAWL_VERDICT_CHALLENGE || verdict == CRAWL_VERDICT_WALL;
}

/* Maximum bytes of a body that are examined. */
#define CRAWL_WALL_MAX_BODY 65536u

/* An answer. Everything is borrowed for the call. */
typedef struct crawl_wall_answer {
    size_t size;     /* sizeof(crawl_wall_answer) */
    crawl_slice url; /* absolute */
    int status;
    const crawl_header *headers;
    size_t header_count;
    crawl_slice body; /* without Content-Encoding; its first CRAWL_WALL_MAX_BODY bytes are enough */
} crawl_wall_answer;

/* A judgement, and the sign that decided it. */
typedef struct crawl_wall {
    crawl_verdict verdict;
    const char *service;  /* "Cloudflare", "Anubis", ...; "": not known */
    char sign[160];       /* the proof, in words; "": none */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_wall;

/* Judges answers, reusing its memory. Single-threaded. */
typedef struct crawl_wall_judge crawl_wall_judge;

/* NULL: out of memory. */
CRAWL_API crawl_wall_judge *crawl_wall_judge_create(void);
CRAWL_API void crawl_wall_judge_free(crawl_wall_judge *judge);

/* Judges an answer. Examines every header. Examines the body if the status is not 2xx, or if it is HTML with at most
 * five links and 2,000 bytes of text: a page that leads on, or says much, is a page. CRAWL_EINVAL, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_wall_judge_answer(crawl_wall_judge *judge, const crawl_wall_answer *answer, crawl_wall *out);

/* Judges an apparent page by its title, as from crawl_page_title: SOFT_404 if that says only that there is no such
 * page, in one of about twenty languages, with or without the name of a site, and the page says little else. Never for
 * the page at "/". CRAWL_EINVAL, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_wall_judge_title(crawl_wall_judge *judge, const crawl_wall_answer *answer, crawl_slice title,
                                           crawl_wall *out);

/* Returns true if the path of a URL belongs to the challenge of a service, such as "/cdn-cgi/challenge-platform/...". A
 * client that requests it tries to pass for a browser, or loads the script that a service puts into ordinary pages. */
CRAWL_API bool crawl_wall_is_challenge_path(crawl_slice path);

#ifdef __cplusplus
}
#endif
#endif
