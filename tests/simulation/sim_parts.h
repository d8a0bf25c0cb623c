/* Shared by the parts of the simulated internet: sim_web.c knows what there is, sim_answers.c makes answers of it, and
 * sim_rules.c judges requests. */
#pragma once

#include "tests/simulation/sim_web.h"

/* Streams of numbers of the world. */
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
/* Its robots.txt fails each time. */
bool sim_web_is_closed(uint32_t host);
/* The Crawl-delay in milliseconds; 0: none is asked for. */
uint32_t sim_web_delay_ms(uint32_t host);
/* Seconds for which a host's cookies are good; 0: for the session. */
uint32_t sim_web_cookie_s(uint32_t host);
/* Appends a link in one of the spellings that mean the same URL. */
void sim_web_put_link(sim_place from, unsigned n, crawl_buf *out);

/* The number of the request from which on the host answers with a wall for a while; 0: with none. */
uint32_t sim_web_walls_from(uint32_t host);
/* Has a page that is visited again vanished by now? */
bool sim_web_is_gone(sim_place place);
/* The time between two changes of a page; INT64_MAX: it does not change. */
int64_t sim_web_period_us(sim_place place);

/* Is there a sitemap, or the place for one, at this path? */
bool sim_maps_is_one(uint32_t host, crawl_slice path);
void sim_maps_answer(uint32_t host, crawl_slice path, sim_answer *out);
/* Its answer came: makes pages due that it says have changed since they were asked for. */
void sim_maps_came(uint32_t host, crawl_slice path);
/* Appends the line of robots.txt. */
void sim_maps_put_line(uint32_t host, crawl_buf *out);

void sim_answers_wall(sim_answer *out);
/* first: of its requests. */
void sim_answers_robots(uint32_t host, bool first, sim_answer *out);
void sim_answers_page(sim_place place, bool first, sim_answer *out);
/* Seconds of the Retry-After of a page that has one. */
uint32_t sim_answers_wait_s(sim_place place);

/* A page came whole, so those that it leads to may be asked for. */
void sim_waits_came(sim_place place);
/* The host is about to be asked for a page: might it have been before? */
void sim_waits_check(uint32_t number, const sim_host *host);

/* Of any request to a host, with these cookies; and of one for a page besides. */
void sim_rules_host(uint32_t number, const sim_host *host, uint32_t address, crawl_slice cookies);
void sim_rules_page(sim_place place, const sim_host *host);
