/* An HTTP server for tests, on the event loop of the test itself: it answers each path with exactly the bytes of a
 * table, so that nothing depends on time or on another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct event_base;

typedef enum script_end {
    SCRIPT_KEEP,  /* the connection waits for another request */
    SCRIPT_CLOSE, /* FIN after the bytes */
    SCRIPT_RESET, /* RST after the bytes were acknowledged or, with none, at once */
    SCRIPT_HOLD   /* nothing more, for ever */
} script_end;

typedef struct script_answer {
    const char *path;  /* the request target, exactly; NULL: any; "": said to who connects, before any request */
    const char *bytes; /* status line, header, body */
    size_t size;       /* of bytes; 0: up to its NUL */
    script_end end;
    bool once; /* on each connection; a further request there finds it closed */
} script_answer;

typedef struct script_server script_server;

/* answers ends with a row without bytes; the first row that fits answers. On 127.0.0.1, any free port. NULL: cannot. */
script_server *script_server_start(struct event_base *base, const script_answer *answers);
void script_server_stop(script_server *server);

/* Serves on base while run(user) has a thread of its own, until it has returned. false: there is no thread. */
bool script_server_while(struct event_base *base, void *(*run)(void *user), void *user);

/* Likewise from start to stop, on a base of its own. *port is set before run begins. false: nothing was run. */
bool script_server_serve(const script_answer *answers, unsigned *port, void *(*run)(void *user), void *user);

unsigned script_server_port(const script_server *server);
unsigned script_server_accepts(const script_server *server);
unsigned script_server_open(const script_server *server); /* connections now */
unsigned script_server_requests(const script_server *server);

/* The bytes of the request read last, body included. */
const char *script_server_last(const script_server *server);
