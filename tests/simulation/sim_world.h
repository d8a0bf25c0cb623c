/* The state shared by the lives of a simulated run: the clock, the dice, and the hosts. It lies in memory shared by
 * processes, so a kill loses none of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum of lives of a run with a limit of pages, which goes on until nothing is left. */
enum { SIM_LIVES_MAX = 1000 };
enum { SIM_HOSTS_MAX = 1 << 20, SIM_PAGES_MAX = 64, SIM_FAULT_SIZE = 512 };
/* Maximum of hosts of a drawn world, and of a crawl that processes share; only --hosts makes more. */
enum { SIM_HOSTS_DRAWN = 256, SIM_HOSTS_SHARED = 32 };
/* Worlds with more hosts do not fit into the memory for facts about hosts. */
enum { SIM_HOSTS_FEW = 100 };
/* With more hosts, page 0 of each host leads to those of SIM_CHILDREN others, so that all hosts are found. */
enum { SIM_HOSTS_MANY = 1024, SIM_CHILDREN = 4 };
/* Maximum depth of crawls with a depth limit; a greater depth means no limit. */
enum { SIM_DEPTH_MAX = 63 };
/* Maximum of processes of one crawl, and the time for which they have a host unless they renew it. */
enum { SIM_MEMBERS_MAX = 4, SIM_LEASE_MS = 3000 };
/* More redirects in a row than any world has. */
enum { SIM_REDIRECTS_ALL = 10 };

/* The state of a page in the crawl. */
typedef struct sim_page {
    int64_t known_us;    /* when the first page with a link to it came; 0: not yet */
    uint32_t asked;      /* requests that left, without the cancelled ones */
    uint32_t cancelled;  /* requests that left and were cancelled */
    uint32_t unnamed;    /* requests that did not leave because the host's name could not be resolved */
    int64_t asked_us;    /* the last time */
    int status;          /* of the last complete answer */
    uint32_t answered;   /* complete answers */
    int64_t answered_us; /* when the last of them came */
    bool is_kept;        /* the last answer came in an earlier life and must be kept */
    uint32_t life;       /* life of the last request, from 1 */
    bool in_flight;      /* in this life */
    int64_t due_us;      /* when a sitemap announced a change after the last visit; 0: none did */
    int64_t first_us;    /* if freshness is measured: the first visit */
    int64_t fresh_us;    /* likewise: how long its copy was current, up to the last visit */
    uint32_t changes;    /* likewise: how often it had changed at the last visit */
    double change_us;    /* likewise: the first change after that */
} sim_page;

typedef struct sim_host {
    int64_t asked_us;   /* when the last request left; INT64_MIN: never */
    int64_t held_us;    /* the end of the last Retry-After */
    int64_t told_us;    /* when that Retry-After was sent */
    uint32_t in_flight; /* in this life */
    uint32_t asked_by;  /* the process that asked it last, if there are several */
    uint32_t robots_asked;
    uint32_t connected;    /* connections begun */
    uint32_t failures;     /* in a row */
    bool has_failed;       /* at least once */
    int64_t opened_us;     /* when a request ended before which no other might leave */
    int64_t longest_us;    /* duration of the longest request */
    bool gave_up;          /* the crawl may have given up after so many failures */
    int64_t robots_us;     /* when robots.txt was answered; INT64_MIN: not yet */
    bool is_unsure;        /* the end of a life may have lost robots.txt */
    int64_t wall_us;       /* the end of its wall; 0: not begun */
    uint32_t walls;        /* in a row, counting requests that left after the wall before */
    int64_t walled_us;     /* when the last of them came, */
    int64_t wall_told_us;  /* and when the crawl was told */
    int64_t unwalled_us;   /* when the last answer that is no wall came */
    uint32_t given;        /* cookies set by answers, some of which may not have arrived */
    uint32_t cookie;       /* number of the last cookie that arrived; 0: none */
    int64_t cookie_us;     /* when it arrived */
    bool cookie_is_unsure; /* the end of a life may have lost the cookie */
    sim_page *pages;       /* sim_web_pages of them, in the array of the world */
} sim_host;

/* An address, of one or more hosts. */
typedef struct sim_address {
    int64_t asked_us;   /* when the last request to it left; INT64_MIN: never */
    uint32_t in_flight; /* in this life */
} sim_address;

/* One of several processes that share the crawl. */
typedef struct sim_member {
    int pid;             /* 0: not begun */
    int64_t next_us;     /* when it goes on; INT64_MAX: never */
    int64_t began_us;    /* without the time that it was stopped before its first request */
    bool has_asked;      /* for something, in this life */
    uint32_t connection; /* number of broken connections when it connected to Redis */
    int64_t settled_us;  /* from when on it knows what Redis says since then */
    uint32_t turn;       /* incremented when it may run */
    bool rests;          /* it has nothing to do */
    bool has_ended;
    uint32_t losses;                       /* how often others may have got its hosts */
    uint32_t flights[SIM_HOSTS_SHARED];    /* requests under way by host, of hosts that it has */
    uint32_t flights_at[SIM_HOSTS_SHARED]; /* the same by address */
} sim_member;

/* How the disk misbehaves in a run, in lives that the dice choose. */
typedef enum sim_disk {
    SIM_DISK_GOOD,
    SIM_DISK_FULL,
    SIM_DISK_FAILS,   /* syncs fail */
    SIM_DISK_FORGETS, /* power cuts lose data that was not synced */
    SIM_DISK_SLOW     /* writes are slow now and then, in all lives */
} sim_disk;

/* How Redis fails for some seconds, again and again. */
typedef enum sim_outage {
    SIM_REDIS_STAYS,
    SIM_REDIS_AWAY,    /* unreachable */
    SIM_REDIS_REFUSES, /* refuses writes */
    SIM_REDIS_FORGETS  /* loses these seconds: it comes back with its earlier data */
} sim_outage;

/* The plan of a run, drawn from its seed by sim_world_begin, and the same in each life. */
typedef struct sim_plan {
    uint32_t hosts;       /* at most SIM_HOSTS_MAX */
    uint32_t lives;       /* the last is not killed */
    uint32_t workers;     /* --workers */
    uint32_t per_host;    /* --per-host */
    uint32_t connections; /* --connections; 0: the default */
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
    bool names;         /* some names fail for a time, and lead elsewhere later */
    bool per_ip;        /* --per-ip */
    uint32_t addresses; /* number of addresses of all hosts; 0: each host has its own */
    uint32_t max_pages; /* --max-pages; 0: none */
    uint32_t revisit_s; /* --revisit with this interval, for max_seconds; 0: no revisits */
    uint32_t days;      /* length of a run that measures freshness; 0: another kind of run */
    uint32_t processes; /* number of processes that share the crawl; 0: not shared */
    uint32_t kills;     /* of these processes */
    bool leaves;        /* half of all kills are signals that ask the process to end */
    bool stops, breaks; /* processes stop for a while; their connections to Redis break */
    sim_outage outage;
    uint32_t outages;  /* maximum */
    bool is_strict;    /* one host, asked for one page at a time, without failures: the order is known */
    const char *order; /* --order; a literal, so valid in each process */
    const char *seen;  /* --seen */
} sim_plan;

/* Limits that make a run smaller; 0 and false: none. */
typedef struct sim_caps {
    uint32_t hosts; /* if freshness is measured: the number of hosts */
    uint32_t pages;
    uint32_t days;      /* length of a run that measures freshness; 0: any other run */
    uint32_t processes; /* number of processes; 0: any other run */
    bool no_kills, no_failures, one_worker;
} sim_caps;

/* Exit status of a process that was asked to end, and left work. */
enum { SIM_STATUS_LEFT = 3 };

typedef struct sim_world {
    uint64_t seed;
    uint64_t dice;                      /* state of the dice thrown during the run */
    int64_t now_us;                     /* since 1970 */
    int64_t first_us;                   /* when the run began */
    uint64_t naps;                      /* how often time passed because no thread could go on */
    int64_t stepped_us;                 /* when the last step was */
    uint64_t steps;                     /* requests and their ends, in all lives */
    uint64_t chain;                     /* hash of all steps: equal in two equal runs */
    uint64_t kill_at;                   /* the step at which this life is killed; 0: none */
    uint64_t leave_at;                  /* the step at which it is asked to end; 0: none */
    int leaver;                         /* the process that was */
    int64_t left_us;                    /* when the last one of several had left */
    uint32_t life;                      /* from 1 */
    int64_t began_us;                   /* when this life began */
    int64_t ended_us;                   /* when the one before ended */
    uint32_t repeats;                   /* attempts of one page that kills may have made vain */
    uint32_t cuts;                      /* power cuts */
    uint64_t disk_calls, disk_fails_at; /* calls in this life, and the first that fails; 0: none does */
    int64_t log_bytes;                  /* size of the messages before this life */
    int64_t disk_failed_us;             /* when the disk first failed; 0: it has not */
    bool lost_hold;                     /* the end of a life lost a hold that is in the request log */
    bool was_short;                     /* the life before ran out of pages */
    bool gave_up;                       /* on a host, in some life */
    uint32_t requests;
    uint32_t asked;                /* pages, in this life */
    uint32_t recorded;             /* pages with an answer in the records of earlier lives */
    uint32_t good;                 /* pages of this life with status 200 */
    bool says;                     /* prints each step to standard error */
    uint32_t order[SIM_PAGES_MAX]; /* the first pages of host 0, in the order of their requests */
    uint32_t order_count;
    char fault[SIM_FAULT_SIZE]; /* the first fault found; empty: none */
    sim_caps caps;
    sim_plan plan;
    sim_host *hosts;        /* of the plan */
    sim_address *addresses; /* as many */
    sim_page *pages;        /* of all hosts */
    size_t page_count;
    size_t room; /* size of the memory that holds these arrays, which begins with the hosts */
    sim_member members[SIM_MEMBERS_MAX];
    uint32_t rested;     /* incremented when one of them rests or has ended */
    uint32_t kills_left; /* kills left for them */
    uint32_t births;
    int64_t outage_us;     /* when the next outage of Redis begins, or the present one ends */
    bool is_out;           /* an outage is under way */
    uint32_t outages;      /* outages so far */
    uint32_t disconnected; /* how often Redis has broken all connections */
} sim_world;

/* The world of this process. */
extern sim_world *sim_world_now;

/* Returns a number for these words, the same for the same seed. The world is built from these numbers. */
uint64_t sim_hash(uint64_t a, uint64_t b, uint64_t c);
/* Throws the dice: 0 to sides - 1. */
uint32_t sim_throw(uint32_t sides);

/* Counts a step, prints it if asked for, and ends the life if it is its last step. */
void sim_step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Keeps the first fault of a run. */
void sim_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Begins the world of this seed in place of the one before. Its memory remains shared with processes forked later. */
void sim_world_begin(uint64_t seed, const sim_caps *caps, bool says);
