/* The internet of a simulated run: hosts, pages, links and failures, all functions of the seed. It also checks the
 * rules that every arriving request must keep. */
#pragma once

#include "tests/simulation/sim_world.h"

#include <crawl/fetch.h>

typedef enum sim_kind {
    SIM_PAGE,
    SIM_REDIRECT, /* to the page of its first link */
    SIM_MISSING,  /* 404 */
    SIM_SOFT,     /* 200, with words that say it is missing, and a link to nothing */
    SIM_FLAKY,    /* fails the first time */
    SIM_DEAD,     /* 500 each time */
    SIM_PRIVATE   /* forbidden by robots.txt, if the host has one */
} sim_kind;

typedef struct sim_place {
    uint32_t host, page;
} sim_place;

typedef struct sim_answer {
    crawl_fetch_error error; /* instead of an answer; if there is a status, instead of the end of its body */
    int status;              /* 0: none */
    crawl_buf head;          /* lines "Name: value\n" */
    crawl_buf body;
    int64_t first_us; /* from the request to the end of the header */
    int64_t rest_us;  /* from the header to the end of the body */
    int64_t came_us;  /* when the end arrived */
    int64_t until_us; /* the date of a Retry-After; 0: no date */
    bool is_wall;
    uint32_t address; /* the address that is asked, an index of the world's; set by the caller */
    uint32_t flight;  /* result of sim_crew_asked */
    int64_t asked_us; /* when the request left */
    uint32_t cookie;  /* number of the cookie that it sets; 0: none */
} sim_answer;

uint32_t sim_web_pages(uint32_t host);
/* Returns the number of the page among the pages of all hosts. */
static inline size_t sim_web_number(sim_place place)
{
    return (size_t)(sim_world_now->hosts[place.host].pages - sim_world_now->pages) + place.page;
}
sim_kind sim_web_kind(sim_place place);
unsigned sim_web_links(sim_place place);
sim_place sim_web_link(sim_place place, unsigned n);
bool sim_web_forbids(sim_place place); /* by robots.txt, or because robots.txt cannot be had */
bool sim_web_is_linked(sim_place from, sim_place to);
/* Returns the number of visits after which the page vanishes; 0: it stays. */
uint32_t sim_web_vanishes(sim_place place);
/* sim_maps_list: returns true if a sitemap that is asked for names the page. sim_maps_lead: if the one at this path
 * does. */
bool sim_maps_list(sim_place place);
bool sim_maps_lead(uint32_t host, crawl_slice path, sim_place to);
/* Appends the URL in the form of the crawl's records. */
void sim_web_url(sim_place place, crawl_buf *out);
/* Finds the host of a URL; *path is the part after it. False: no host of the world. */
bool sim_web_find(crawl_slice url, uint32_t *host, crawl_slice *path);
/* Finds the page of a path. False: there is none. */
bool sim_web_page(uint32_t host, crawl_slice path, sim_place *out);
/* Returns the status that the page has in the end. */
int sim_web_status(sim_place place);
/* Returns from how many depths the crawl may ask for one page. A crawl with a limit of depth asks again for a page that
 * it finds at less depth. */
uint32_t sim_web_depths(void);
/* Returns the microseconds from the call to the departure of a request. */
int64_t sim_web_connect_us(uint32_t host);

/* Returns the address that the host's name has now. */
uint32_t sim_web_address(uint32_t host);
/* Notes that a connection for this path is begun. False: the name cannot be resolved. */
bool sim_web_connect(uint32_t host, crawl_slice path);
/* Notes that a request leaves for the host now, with these cookies. *out must be {0} except for its address; the caller
 * gets its buffers. */
void sim_web_ask(uint32_t host, crawl_slice path, crawl_slice cookies, sim_answer *out);
/* Notes that the head of the answer has come. */
void sim_web_head(uint32_t host, const sim_answer *answer);
/* Notes the end of the request as its host sees it. told: the crawl will be told the answer; otherwise the request was
 * cancelled. */
void sim_web_over(uint32_t host, crawl_slice path, const sim_answer *answer, bool told);
/* Notes that the crawl was told of the end. */
void sim_web_end(uint32_t host, crawl_slice path, const sim_answer *answer, bool told);

/* Links from a seed to each page within the depth of the plan; UINT32_MAX: out of reach. The two members differ if the
 * number of redirects in a row is limited, because the first link that leads to a redirect decides how far it is
 * followed. */
typedef struct sim_reach {
    uint32_t *least; /* by any way */
    uint32_t *most;  /* by ways that stay open in every order */
} sim_reach;
/* The caller frees both arrays, whose indexes are numbers of pages. */
void sim_web_reach(sim_reach *out);

/* Fills pages with the pages of host 0 in the order in which a strict run asks for them. Returns their number. */
size_t sim_web_order(uint32_t pages[SIM_PAGES_MAX]);

/* Returns the number of seeds: page 0 of each of the first hosts. */
uint32_t sim_web_seeds(void);
