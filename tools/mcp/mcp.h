/* The server of `crawl mcp`, and a call of one of its tools.
 *
 * A call with work to do is a job: it runs `crawl`, or another tool of ours, as a child in its own process group, so
 * that a page that breaks a parser breaks one call, and a signal can stop a call. A second job for the same host waits
 * until the first has ended, and for the host's pause. Single-threaded. The process ends when out of memory. */
#pragma once

#include "tools/common/refused_memory.h"

#include <crawl/config.h>
#include <jansson.h>
#include <sys/types.h>

/* Limits of fetching: per call, and for all calls of a process. */
typedef struct cw_mcp_limits {
    int64_t pages;
    int64_t bytes; /* of decoded bodies */
    int64_t ms;    /* running time of crawls */
} cw_mcp_limits;

/* The receiver of an answer. */
typedef struct cw_mcp_caller {
    json_t *id;
    json_t *token; /* of progress; NULL: not wanted */
    bool modern;   /* uses the revision without a handshake */
} cw_mcp_caller;

/* A fetched page, to be read in parts. */
typedef struct cw_mcp_page {
    char *key; /* NULL: unused */
    json_t *facts;
    crawl_buf text;
    bool failed;
} cw_mcp_page;

typedef struct cw_mcp_job cw_mcp_job;

enum { CW_MCP_PAGES = 8 };

typedef struct cw_mcp_server {
    crawl_buf program;      /* path of crawl */
    const char *config;     /* configuration file for every crawl */
    crawl_config *settings; /* contents of config */
    const char *user_agent; /* NULL: the configuration's */
    bool allow_private;
    char *root;    /* absolute, without links; each crawl is a folder below it */
    char *scratch; /* likewise; removed at exit */
    cw_mcp_limits call;
    cw_mcp_limits left; /* of the process */
    json_t *tools;      /* as in tools/list */
    bool is_legacy;     /* there was a handshake */
    json_t *states;     /* folders that keep robots.txt for fetches, by origin */
    json_t *holds;      /* when hosts that asked to wait may be asked again: ms since 1970, by origin */
    cw_mcp_job *jobs;   /* oldest first */
    unsigned made;      /* jobs so far */
    cw_mcp_page pages[CW_MCP_PAGES];
    unsigned next_page;
} cw_mcp_server;

typedef enum cw_mcp_stage { CW_MCP_WAITS, CW_MCP_RUNS, CW_MCP_COOLS } cw_mcp_stage;

struct cw_mcp_job {
    cw_mcp_job *next;
    cw_mcp_server *server;
    cw_mcp_caller caller;
    json_t *arguments;
    bool is_silent;   /* cancelled: no answer */
    bool is_started;  /* has a command to run; otherwise it was answered */
    bool drops_state; /* at its end; see state */
    bool is_ending;   /* its child was asked to end */
    cw_mcp_stage stage;
    json_t *hosts;                              /* hosts that it may ask */
    json_t *command;                            /* the child's command line */
    void (*ended)(cw_mcp_job *job, int status); /* status: of the child; -1: ended by a signal */
    crawl_buf folder;                           /* of this job, below scratch */
    crawl_buf place;                            /* for its records, links and requests: folder, or a crawl's folder */
    crawl_buf handle;                           /* of the crawl; empty: none */
    crawl_buf state;                            /* that keeps robots.txt for fetches; empty: none */
    cw_mcp_limits wanted;                       /* of its crawl; 0 pages: it crawls nothing */
    cw_mcp_limits granted;                      /* of that, since its start */
    uint64_t pages_before, bytes_before;        /* in the records at its start */
    pid_t child;
    int64_t began_ms, deadline_ms, told_ms; /* monotonic */
    int64_t ready_ms;                       /* when its hosts may be asked again */
    int64_t read;                           /* bytes of records counted so far */
    uint64_t pages;                         /* in those bytes, without those before its start */
};

/* Returns value. Ends the process if value is NULL and errno is ENOMEM: the call that made it was out of memory. */
void *cw_mcp_try(void *value);

/* Reads messages from standard input and answers on standard output, until the end of input or a signal. Returns the
 * exit status. */
int cw_mcp_serve(cw_mcp_server *server);

/* Checks arguments against a schema, without those that are null; it supports the part of JSON Schema that tools.json
 * uses. Returns false if they do not match; wrong says why, in words. */
bool cw_mcp_arguments_check(const json_t *schema, json_t *arguments, char wrong[256]);

/* Return the values of checked arguments; fallback if absent. */
json_int_t cw_mcp_number(const cw_mcp_job *job, const char *name, json_int_t fallback);
bool cw_mcp_flag(const cw_mcp_job *job, const char *name);
const char *cw_mcp_word(const cw_mcp_job *job, const char *name, const char *fallback);

/* The text of tools.json. */
extern const char cw_mcp_tools[];

/* The tools: each function answers a job or gives it a command. */
void cw_mcp_call_fetch(cw_mcp_job *job);
void cw_mcp_call_robots(cw_mcp_job *job);
void cw_mcp_call_crawl(cw_mcp_job *job);
void cw_mcp_call_list(cw_mcp_job *job);
void cw_mcp_call_report(cw_mcp_job *job);
void cw_mcp_call_query(cw_mcp_job *job);
void cw_mcp_call_explain(cw_mcp_job *job);
