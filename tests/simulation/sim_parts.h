/* Shared by the parts of the simulated internet: sim_web.c knows its contents, sim_answers.c builds answers, and
 * sim_rules.c checks requests. */
#pragma once

#include "tests/simulation/sim_web.h"

/* Streams of random numbers of the world. */
typedef enum sim_stream {
    PAGES = 1,
    KIND,
    LINKS,
    LINK,
    ROBOTS,
    CONNECT,
    ANSWER,
    FAILS,
    SPELLING,
    CRAWL_DELAY,
    CHANGE,
    CLOSED,
    STUTTERS,
    DATED,
    COOKIE,
    SOFT,
    MAPS,
    LISTED,
    WALL,
    VANISH,
    VAIN,
    NAME,
    ADDRESS
} sim_stream;

static inline uint32_t sim_of_host(sim_stream stream, uint32_t host, uint32_t sides)
{
    return (uint32_t)(sim_hash(stream, host, 0) % sides);
}

static inline uint32_t sim_of_page(sim_stream stream, sim_place place, uint32_t sides)
{
    return (uint32_t)(sim_hash(stream, place.host, place.page + 1) % sides);
}

bool sim_web_has_robots(uint32_t host);
/* Returns true if robots.txt of the host always fails. */
bool sim_web_is_closed(uint32_t host);
/* Returns the Crawl-delay in milliseconds; 0: none. */
uint32_t sim_web_delay_ms(uint32_t host);
/* Returns the lifetime of a host's cookies in seconds; 0: the session. */
uint32_t sim_web_cookie_s(uint32_t host);
/* Appends a link in one of the equivalent spellings of its URL. */
void sim_web_put_link(sim_place from, unsigned n, crawl_buf *out);

/* Returns the number of the request from which on the host answers with a wall for a while; 0: never. */
uint32_t sim_web_walls_from(uint32_t host);
/* Returns true if a page that is visited again has vanished by now. */
bool sim_web_is_gone(sim_place place);
/* Returns the time between two changes of a page; INT64_MAX: it never changes. */
int64_t sim_web_period_us(sim_place place);

/* Returns true if a sitemap, or the place for one, is at this path. */
bool sim_maps_is_one(uint32_t host, crawl_slice path);
void sim_maps_answer(uint32_t host, crawl_slice path, sim_answer *out);
/* Takes note of a sitemap's answer: makes due the pages that it says have changed since they were asked for. */
void sim_maps_came(uint32_t host, crawl_slice path);
/* Appends the Sitemap line of robots.txt. */
void sim_maps_put_line(uint32_t host, crawl_buf *out);

void sim_answers_wall(sim_answer *out);
/* first: the first request for it. */
void sim_answers_robots(uint32_t host, bool first, sim_answer *out);
void sim_answers_page(sim_place place, bool first, sim_answer *out);
/* Returns the seconds of the Retry-After of a page that has one. */
uint32_t sim_answers_wait_s(sim_place place);

/* Notes that a page came whole, so that the pages it links to may be asked for. */
void sim_waits_came(sim_place place);
/* Checks that the host, which is about to be asked for a page, could not have been asked much earlier. */
void sim_waits_check(uint32_t number, const sim_host *host);

/* Checks any request to a host, with these cookies; sim_rules_page checks requests for pages besides. */
void sim_rules_host(uint32_t number, const sim_host *host, uint32_t address, crawl_slice cookies);
void sim_rules_page(sim_place place, const sim_host *host);
