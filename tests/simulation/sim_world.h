/* Shared by the lives of a simulated run: the clock, the dice, the hosts as they stand. It lies in memory
 * that processes share, so a kill takes nothing of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Where a run has a limit of pages: lives until nothing is left. */
enum { SIM_LIVES_MAX = 1000 };
enum { SIM_HOSTS_MAX = 256, SIM_PAGES_MAX = 64, SIM_FAULT_SIZE = 512 };
/* Beyond so many, what is known of hosts does not fit into memory. */
enum { SIM_HOSTS_FEW = 100 };
/* Of crawls that end at a depth; those with one beyond have none. */
enum { SIM_DEPTH_MAX = 63 };
/* Processes of one crawl, and how long they have a host unless they renew that. */
enum { SIM_MEMBERS_MAX = 4, SIM_LEASE_MS = 3000 };
/* More redirects in a row than a world has. */
enum { SIM_REDIRECTS_ALL = 10 };

/* A page as the crawl has dealt with it. */
typedef struct sim_page {
    int64_t known_us;    /* when the first page that leads to it came; 0: none has */
    uint32_t asked;      /* requests that left, but for those that were cancelled */
    uint32_t cancelled;  /* requests that left, and were */
    uint32_t unnamed;    /* that did not leave, since the name of the host was not to be had */
    int64_t asked_us;    /* the last time */
    int status;          /* of the last answer that came whole */
    uint32_t answered;   /* answers that came whole */
    int64_t answered_us; /* the last of them */
    bool is_kept;        /* that one, in a life before */
    uint32_t life;       /* in which it was asked last, from 1 */
    bool in_flight;      /* of this life */
    int64_t due_us;      /* since when a sitemap tells of a change since the last visit; 0: none does */
    int64_t first_us;    /* where freshness is measured: the first visit, */
    int64_t fresh_us;    /* and how long its copy was current, up to the last */
} sim_page;

typedef struct sim_host {
    int64_t asked_us;   /* when the last request left; INT64_MIN: none has */
    int64_t held_us;    /* the end of a Retry-After that was sent, */
    int64_t told_us;    /* and when */
    uint32_t in_flight; /* of this life */
    uint32_t asked_by;  /* the process of several that asked it last */
    uint32_t robots_asked;
    uint32_t connected;    /* connections that were begun */
    uint32_t failures;     /* in a row */
    bool has_failed;       /* once */
    int64_t ended_us;      /* when the last request was over */
    int64_t longest_us;    /* that one took */
    bool gave_up;          /* the crawl may have, after so many */
    int64_t robots_us;     /* when robots.txt was answered; INT64_MIN: it was not */
    bool is_unsure;        /* whether that is still known, since the end of a life may have taken it */
    int64_t wall_us;       /* until when it answers with a wall; 0: it has not begun to */
    uint32_t walls;        /* in a row, of requests that left after the one before */
    int64_t walled_us;     /* the last of them */
    uint32_t given;        /* cookies, by answers that may not have come */
    uint32_t cookie;       /* the number of the last that came; 0: none has */
    int64_t cookie_us;     /* when */
    bool cookie_is_unsure; /* whether it is still there, likewise */
    sim_page pages[SIM_PAGES_MAX];
} sim_host;

/* Where hosts are, each of them or several. */
typedef struct sim_address {
    int64_t asked_us;   /* when the last request left for it; INT64_MIN: none has */
    uint32_t in_flight; /* of this life */
} sim_address;

/* One of several processes that share the crawl. */
typedef struct sim_member {
    int pid;         /* 0: it has not begun */
    int64_t next_us; /* when it goes on; INT64_MAX: never */
    int64_t began_us;
    uint32_t connection; /* to Redis, as many as it had broken before; */
    int64_t settled_us;  /* when it goes by what Redis has since */
    uint32_t turn;       /* rises when it may */
    bool rests;          /* it has nothing to do */
    bool has_ended;
    uint32_t losses;                    /* times that others may have got its hosts */
    uint32_t flights[SIM_HOSTS_MAX];    /* requests under way, of hosts that it has */
    uint32_t flights_at[SIM_HOSTS_MAX]; /* the same by address */
} sim_member;

/* How the disk misbehaves in a run, in lives that the dice choose. */
typedef enum sim_disk {
    SIM_DISK_GOOD,
    SIM_DISK_FULL,
    SIM_DISK_FAILS,   /* to bring something there */
    SIM_DISK_FORGETS, /* what was not brought there: the power fails */
    SIM_DISK_SLOW     /* to take what is written, now and then, in all lives */
} sim_disk;

/* What becomes of Redis for some seconds, again and again. */
typedef enum sim_outage {
    SIM_REDIS_STAYS,
    SIM_REDIS_AWAY,    /* it cannot be reached */
    SIM_REDIS_REFUSES, /* to write */
    SIM_REDIS_FORGETS  /* these seconds: it comes back with what it had before them */
} sim_outage;

/* The course of a run: drawn from its seed by sim_plan_draw, and the same in each life. */
typedef struct sim_plan {
    uint32_t hosts;       /* in use, of SIM_HOSTS_MAX */
    uint32_t lives;       /* the last is not killed */
    uint32_t workers;     /* --workers */
    uint32_t per_host;    /* --per-host */
    uint32_t delay_ms;    /* --delay */
    uint32_t depth;       /* --depth */
    uint32_t retries;     /* --retries */
    uint32_t redirects;   /* --set=politeness.max_redirects */
    uint32_t max_seconds; /* --max-time; 0: none */
    sim_disk disk;
    bool adaptive;
    bool kept;          /* --state */
    bool cookies;       /* --cookies */
    bool sitemaps;      /* --sitemaps */
    bool walls;         /* some hosts answer with walls */
    bool names;         /* some fail, and lead elsewhere later */
    bool per_ip;        /* --per-ip */
    uint32_t addresses; /* of all hosts; 0: each has its own */
    uint32_t max_pages; /* --max-pages; 0: none */
    uint32_t revisit_s; /* --revisit with this interval, for max_seconds; 0: pages are visited once */
    uint32_t days;      /* the same, where freshness is measured */
    uint32_t processes; /* that share the crawl; 0: it is one process's */
    uint32_t kills;     /* of these, */
    bool stops, breaks; /* they stop for a while, and their connections to Redis break */
    sim_outage outage;
    uint32_t outages;  /* at most */
    bool is_strict;    /* one host, asked for one page at a time, where all goes well: the order is known */
    const char *order; /* --order; of the executable, so the same in each process */
    const char *seen;  /* --seen */
} sim_plan;

/* Bounds by which a run is made smaller; 0 and false: none. */
typedef struct sim_caps {
    uint32_t hosts, pages;
    uint32_t days;      /* a run that measures freshness for so long; 0: any other */
    uint32_t processes; /* a run of so many; 0: any other */
    bool no_kills, no_failures, one_worker;
} sim_caps;

typedef struct sim_world {
    uint64_t seed;
    uint64_t dice;                      /* state of the dice that are thrown as the run goes */
    int64_t now_us;                     /* since 1970 */
    int64_t first_us;                   /* when the run began */
    uint64_t naps;                      /* times that it passed, since nobody could go on */
    uint64_t steps;                     /* requests and their ends, in all lives */
    uint64_t chain;                     /* of all steps: two runs with the same are the same */
    uint64_t kill_at;                   /* the step that this life does not survive; 0: none */
    uint32_t life;                      /* from 1 */
    int64_t began_us;                   /* this life */
    int64_t ended_us;                   /* the one before */
    uint32_t repeats;                   /* attempts that kills may have made vain, of one page */
    uint32_t cuts;                      /* of the power */
    uint64_t disk_calls, disk_fails_at; /* in this life; 0: it does not fail */
    int64_t log_bytes;                  /* of messages, before this life */
    int64_t disk_failed_us;             /* since when it does; 0: it does not */
    bool lost_hold;                     /* the end of a life took one, of which the request log tells */
    bool was_short;                     /* that one had no more to ask for */
    bool gave_up;                       /* on a host, in some life */
    uint32_t requests;
    uint32_t asked;                /* pages, in this life */
    uint32_t recorded;             /* pages that had an answer, in the records of the lives before */
    uint32_t good;                 /* pages of this life that came with 200 */
    bool says;                     /* each step on standard error */
    uint32_t order[SIM_PAGES_MAX]; /* the pages of host 0 as they were asked for, the first of them */
    uint32_t order_count;
    char fault[SIM_FAULT_SIZE]; /* the first that was found; empty: none */
    sim_caps caps;
    sim_plan plan;
    sim_host hosts[SIM_HOSTS_MAX];
    sim_address addresses[SIM_HOSTS_MAX];
    sim_member members[SIM_MEMBERS_MAX];
    uint32_t rested;     /* rises when one of them rests or has ended */
    uint32_t kills_left; /* of them */
    uint32_t births;
    int64_t outage_us;     /* when an outage of Redis begins next, or the present one ends */
    bool is_out;           /* there is one, */
    uint32_t outages;      /* the last of so many */
    uint32_t disconnected; /* times that Redis has broken all connections */
} sim_world;

/* The world of this process. */
extern sim_world *sim_world_now;

/* A number for these words, the same for the same seed: what the world is made of. */
uint64_t sim_hash(uint64_t a, uint64_t b, uint64_t c);
/* A throw of the dice: 0 to sides - 1. */
uint32_t sim_throw(uint32_t sides);

/* Counts a step, says it where asked for, and ends the life whose last one it is. */
void sim_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Keeps the first fault of a run. */
void sim_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

void sim_plan_draw(sim_world *world);
