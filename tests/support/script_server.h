/* An HTTP server for tests on the test's own event loop. It answers each path with exactly the bytes of a table, so
 * that nothing depends on time or on another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct event_base;

typedef enum script_end {
    SCRIPT_KEEP,  /* the connection waits for another request */
    SCRIPT_CLOSE, /* FIN after the bytes */
    SCRIPT_RESET, /* RST after the bytes were acknowledged, or at once if there are none */
    SCRIPT_HOLD   /* nothing more, for ever */
} script_end;

typedef struct script_answer {
    const char *path;  /* the exact request target; NULL: any; "": sent on connect, before any request */
    const char *bytes; /* status line, header, body */
    size_t size;       /* of bytes; 0: up to their NUL */
    script_end end;
    bool once; /* per connection; a further request finds it closed */
} script_answer;

typedef struct script_server script_server;

/* Listens on 127.0.0.1, on any free port. A row without bytes ends answers; the first row that matches a request is its
 * answer. NULL: it cannot listen. */
script_server *script_server_start(struct event_base *base, const script_answer *answers);
void script_server_stop(script_server *server);

/* Serves on base while run(user) runs in its own thread, until it returns. False: no thread. */
bool script_server_while(struct event_base *base, void *(*run)(void *user), void *user);

/* The same from start to stop, on its own base. *port is set before run begins. False: nothing was run. */
bool script_server_serve(const script_answer *answers, unsigned *port, void *(*run)(void *user), void *user);

unsigned script_server_port(const script_server *server);
unsigned script_server_accepts(const script_server *server);
unsigned script_server_open(const script_server *server); /* connections now */
unsigned script_server_requests(const script_server *server);

/* Returns the bytes of the last request, body included. */
const char *script_server_last(const script_server *server);
