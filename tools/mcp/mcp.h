/* The server of `crawl mcp`, and a call of one of its tools.
 *
 * A call that has work to do is a job: it runs `crawl`, or another tool of ours, as a child in a process group of its
 * own, so that a page that breaks a parser breaks one call, and a call is stopped by a signal. A second job that would
 * ask a host waits until the first has ended, and for the host's pause. Single-thread. Where memory fails the process
 * ends. */
#pragma once

#include "tools/common/refused_memory.h"

#include <crawl/config.h>
#include <jansson.h>
#include <sys/types.h>

/* How much may be fetched: by a call, and by all calls of a process. */
typedef struct cw_mcp_limits {
    int64_t pages;
    int64_t bytes; /* of bodies, decoded */
    int64_t ms;    /* that crawls run */
} cw_mcp_limits;

/* Whom an answer goes to. */
typedef struct cw_mcp_caller {
    json_t *id;
    json_t *token; /* of progress; NULL: none is wanted */
    bool modern;   /* speaks the revision without a handshake */
} cw_mcp_caller;

/* A page that was fetched, to be read in parts. */
typedef struct cw_mcp_page {
    char *key; /* NULL: none */
    json_t *facts;
    crawl_buf text;
    bool failed;
} cw_mcp_page;

typedef struct cw_mcp_job cw_mcp_job;

enum { CW_MCP_PAGES = 8 };

typedef struct cw_mcp_server {
    crawl_buf program;      /* the path of crawl */
    const char *config;     /* the file of a configuration for every crawl, and */
    crawl_config *settings; /* what it says */
    const char *user_agent; /* NULL: the configuration's */
    bool allow_private;
    char *root;    /* absolute, without links: each crawl is a folder below it */
    char *scratch; /* likewise, gone with the process */
    cw_mcp_limits call;
    cw_mcp_limits left; /* of the process */
    json_t *tools;      /* as tools/list gives them */
    bool is_legacy;     /* there was a handshake */
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
    bool is_silent;  /* cancelled: it gets no answer */
    bool is_started; /* it has a command to run; else it was answered */
    bool is_ending;  /* its child was asked to end */
    cw_mcp_stage stage;
    json_t *hosts;                              /* that it may ask */
    json_t *command;                            /* the words of the child's command line */
    void (*ended)(cw_mcp_job *job, int status); /* the child's exit status; -1: a signal ended it */
    crawl_buf folder;                           /* of this job, below scratch */
    crawl_buf place;                            /* where its records come, links and requests: folder, or a crawl's */
    crawl_buf handle;                           /* of the crawl; empty: none */
    cw_mcp_limits granted;
    uint64_t pages_before, bytes_before; /* in the records when it began */
    pid_t child;
    int64_t began_ms, deadline_ms, told_ms; /* of a clock that does not go back */
    int64_t ready_ms;                       /* when its hosts may be asked again */
    int64_t read;                           /* bytes of the records that were counted */
    uint64_t pages;                         /* in them */
};

/* The value of a call that has failed if it is NULL: without memory, errno = ENOMEM, the process ends. */
void *cw_mcp_try(void *value);

/* Reads messages from standard input and answers on standard output, until the input ends or a signal comes. Returns
 * the exit status. */
int cw_mcp_serve(cw_mcp_server *server);

/* False: wrong says, in words, what is not as the schema has it. Of JSON Schema it knows what tools.json uses. */
bool cw_mcp_arguments_check(const json_t *schema, json_t *arguments, char wrong[256]);

/* Values of arguments that were checked; fallback where there is none. */
json_int_t cw_mcp_number(const cw_mcp_job *job, const char *name, json_int_t fallback);
bool cw_mcp_flag(const cw_mcp_job *job, const char *name);
const char *cw_mcp_word(const cw_mcp_job *job, const char *name, const char *fallback);

/* The text of tools.json. */
extern const char cw_mcp_tools[];

/* The tools, each a function that answers a job or gives it a command. */
void cw_mcp_call_fetch(cw_mcp_job *job);
void cw_mcp_call_robots(cw_mcp_job *job);
void cw_mcp_call_crawl(cw_mcp_job *job);
void cw_mcp_call_list(cw_mcp_job *job);
void cw_mcp_call_report(cw_mcp_job *job);
void cw_mcp_call_query(cw_mcp_job *job);
void cw_mcp_call_explain(cw_mcp_job *job);
