/* The internet of a simulated run: hosts, pages, links and misfortunes, all of them functions of the seed; and what
 * must be true of each request that arrives there, whoever sends it. */
#pragma once

#include "tests/simulation/sim_world.h"

#include <crawl/fetch.h>

typedef enum sim_kind {
    SIM_PAGE,
    SIM_REDIRECT, /* to the page of its first link */
    SIM_MISSING,  /* 404 */
    SIM_SOFT,     /* 200, with words that it is missing and a link to nothing */
    SIM_FLAKY,    /* fails the first time */
    SIM_DEAD,     /* 500 each time */
    SIM_PRIVATE   /* robots.txt forbids it, where there is one */
} sim_kind;

typedef struct sim_place {
    uint32_t host, page;
} sim_place;

typedef struct sim_answer {
    crawl_fetch_error error; /* instead of an answer, or of the end of its body where there is a status */
    int status;              /* 0: none */
    crawl_buf head;          /* lines "Name: value\n" */
    crawl_buf body;
    int64_t first_us; /* from the request to the header */
    int64_t rest_us;  /* from there to the end */
    int64_t came_us;  /* when the end was there */
    int64_t until_us; /* of a Retry-After that is a date; 0: none is */
    bool is_wall;
    uint32_t address; /* where it is asked for, of those of the world; set before */
    uint32_t flight;  /* of sim_crew_asked */
    int64_t asked_us; /* when it left */
    uint32_t cookie;  /* the number of that which it sets; 0: it sets none */
} sim_answer;

uint32_t sim_web_pages(uint32_t host);
sim_kind sim_web_kind(sim_place place);
unsigned sim_web_links(sim_place place);
sim_place sim_web_link(sim_place place, unsigned n);
bool sim_web_forbids(sim_place place); /* by robots.txt, or because there is none to be had */
bool sim_web_is_linked(sim_place from, sim_place to);
/* After how many visits it does not exist any more; 0: it stays. */
uint32_t sim_web_vanishes(sim_place place);
/* Does a sitemap that is asked for name the page? And the one at this path? */
bool sim_maps_list(sim_place place);
bool sim_maps_lead(uint32_t host, crawl_slice path, sim_place to);
/* Appends the URL as a crawl has it in its records. */
void sim_web_url(sim_place place, crawl_buf *out);
/* The host of a URL; false: it is none of the world's. *path is what follows. */
bool sim_web_find(crawl_slice url, uint32_t *host, crawl_slice *path);
/* The page of a path; false: there is none. */
bool sim_web_page(uint32_t host, crawl_slice path, sim_place *out);
/* The status that it has in the end. */
int sim_web_status(sim_place place);
/* A crawl that ends at a depth asks again for a page that it finds at less depth: from how many may it ask for one? */
uint32_t sim_web_depths(void);
/* Microseconds from the call to the departure of a request. */
int64_t sim_web_connect_us(uint32_t host);

/* Where the name of the host leads now. */
uint32_t sim_web_address(uint32_t host);
/* A connection for this path is begun. False: the name is not to be had. */
bool sim_web_connect(uint32_t host, crawl_slice path);
/* A request leaves for host now, with these cookies. *out is {0} but for its address; its buffers become the caller's.
 */
void sim_web_ask(uint32_t host, crawl_slice path, crawl_slice cookies, sim_answer *out);
/* The head of its answer has come. */
void sim_web_head(uint32_t host, const sim_answer *answer);
/* The request is over, as its host sees it: its answer will be told, or it was cancelled. */
void sim_web_over(uint32_t host, crawl_slice path, const sim_answer *answer, bool told);
/* That was told. */
void sim_web_end(uint32_t host, crawl_slice path, const sim_answer *answer, bool told);

/* Pages from a seed to each page within the depth of the plan, UINT32_MAX: out of reach. The two differ where only so
 * many redirects are followed in a row: who comes to one first decides what comes of it. */
typedef struct sim_reach {
    uint32_t least[SIM_HOSTS_MAX][SIM_PAGES_MAX]; /* by any way */
    uint32_t most[SIM_HOSTS_MAX][SIM_PAGES_MAX];  /* by ways that nothing closes */
} sim_reach;
void sim_web_reach(sim_reach *out);

/* The pages of host 0 in the order in which a strict run asks for them; how many. */
size_t sim_web_order(uint32_t pages[SIM_PAGES_MAX]);

/* Seeds: page 0 of each of the first hosts. */
uint32_t sim_web_seeds(void);
