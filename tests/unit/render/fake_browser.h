/* A fake browser: it reads commands like the real one, and answers them by a script. Its default answers render a page
 * of one frame. */
#include "render/render_page.h"

#include <criterion/criterion.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* The answer to a command. In say, "$I" is the number of the command, "$V" that of Page.navigate, and each "|" ends a
 * message; "" says nothing, and "!" closes the pipe. */
typedef struct fake_rule {
    const char *method;
    const char *has; /* text in its parameters; NULL: any */
    const char *say;
    int times; /* how often it applies; 0: always */
} fake_rule;

#define PAUSED_BEGIN "{\"method\":\"Fetch.requestPaused\",\"params\":{\"frameId\":\"T1\",\"requestId\":\""
#define PAUSED_URL "\",\"request\":{\"url\":\"http://a.example/"
#define DOCUMENT_PAUSED                                              \
    PAUSED_BEGIN "R0\",\"resourceType\":\"Document" PAUSED_URL "\"," \
                 "\"method\":\"GET\",\"headers\":{}}}}|"
/* A request of the page: its name and its path, its type, its method, members of its headers. */
#define PAUSED(name, type, method, headers)                                                         \
    PAUSED_BEGIN name "\",\"resourceType\":\"" type PAUSED_URL name "\",\"method\":\"" method "\"," \
                      "\"headers\":{" headers "}}}}|"
#define EXPIRED "{\"method\":\"Emulation.virtualTimeBudgetExpired\",\"params\":{},\"sessionId\":\"S1\"}|"
#define NAVIGATED(frame, url)                                                                               \
    "{\"method\":\"Page.frameNavigated\",\"sessionId\":\"S1\",\"params\":{\"frame\":{\"id\":\"" frame "\"," \
    "\"url\":\"" url "\"}}}|"
#define GRANTED "{\"id\":$I,\"result\":{\"virtualTimeTicksBase\":1000}}|"

static const fake_rule fake_defaults[] = {
    {"Target.createBrowserContext", NULL, "{\"id\":$I,\"result\":{\"browserContextId\":\"C1\"}}|", 0},
    {"Target.createTarget", NULL, "{\"id\":$I,\"result\":{\"targetId\":\"T1\"}}|", 0},
    {"Target.attachToTarget", NULL, "{\"id\":$I,\"result\":{\"sessionId\":\"S1\"}}|", 0},
    {"Page.navigate", NULL, DOCUMENT_PAUSED, 0},
    {"Fetch.fulfillRequest", "\"R0\"", "{\"id\":$I,\"result\":{}}|{\"id\":$V,\"result\":{\"frameId\":\"T1\"}}|", 0},
    {"Emulation.setVirtualTimePolicy", "budget", GRANTED EXPIRED, 0},
    {"HeadlessExperimental.beginFrame", NULL, "{\"id\":$I,\"result\":{\"hasDamage\":false}}|", 0},
    {"Page.getFrameTree", NULL, "{\"id\":$I,\"result\":{\"frameTree\":{\"frame\":{\"id\":\"T1\"}}}}|", 0},
    {"Page.createIsolatedWorld", NULL, "{\"id\":$I,\"result\":{\"executionContextId\":5}}|", 0},
    {"Runtime.evaluate", "returnByValue",
     "{\"id\":$I,\"result\":{\"result\":{\"value\":[\"http://a.example/\",\"http://a.example/b/\"]}}}|", 0},
    {"Runtime.evaluate", "\"document\"", "{\"id\":$I,\"result\":{\"result\":{\"objectId\":\"O\"}}}|", 0},
    {"DOM.getOuterHTML", NULL, "{\"id\":$I,\"result\":{\"outerHTML\":\"<p>\\u00e9\\n</p>\"}}|", 0},
    {"", NULL, "{\"id\":$I,\"result\":{}}|", 0},
};

typedef struct fake_browser {
    struct bufferevent *events;
    fake_rule rules[8];
    crawl_buf log; /* "METHOD PARAMS\n" of each command */
    long long navigate;
    size_t piece; /* bytes written at once; 0: all */
} fake_browser;

static void fake_write(fake_browser *fake, const char *text)
{
    struct evbuffer *out = bufferevent_get_output(fake->events);
    for (; *text; text++)
        evbuffer_add(out, *text == '|' ? "" : text, 1);
}

static void fake_say(fake_browser *fake, const char *say, long long id)
{
    char text[4096] = "";
    size_t size = 0;
    if (strcmp(say, "!") == 0) {
        bufferevent_free(fake->events);
        fake->events = NULL;
        return;
    }
    for (; *say; say++) {
        if (*say == '$' && (say[1] == 'I' || say[1] == 'V'))
            size += (size_t)snprintf(text + size, sizeof text - size, "%lld", *++say == 'I' ? id : fake->navigate);
        else
            text[size++] = *say;
    }
    text[size] = '\0';
    fake_write(fake, text);
}

static bool fake_rule_holds(const fake_rule *rule, const char *method, const char *params)
{
    return rule->method && (!*rule->method || strcmp(rule->method, method) == 0) && rule->times >= 0 &&
           (!rule->has || strstr(params, rule->has));
}

static void fake_take(fake_browser *fake, const char *message)
{
    json_t *command = json_loads(message, 0, NULL);
    cr_assert(command, "no JSON: %s", message);
    const char *method = json_string_value(json_object_get(command, "method"));
    char *params = json_dumps(json_object_get(command, "params"), JSON_COMPACT);
    long long id = json_integer_value(json_object_get(command, "id"));
    if (strcmp(method, "Page.navigate") == 0)
        fake->navigate = id;
    crawl_buf_printf(&fake->log, "%s %s\n", method, params ? params : "");
    const fake_rule *rule = NULL;
    for (size_t i = 0; i < 8 && !rule; i++)
        if (fake_rule_holds(&fake->rules[i], method, params ? params : "")) {
            rule = &fake->rules[i];
            if (fake->rules[i].times && --fake->rules[i].times == 0)
                fake->rules[i].times = -1;
        }
    for (size_t i = 0; !rule; i++)
        if (fake_rule_holds(&fake_defaults[i], method, params ? params : ""))
            rule = &fake_defaults[i];
    fake_say(fake, rule->say, id);
    free(params);
    json_decref(command);
}

static void fake_read(struct bufferevent *events, void *user)
{
    fake_browser *fake = user;
    struct evbuffer *input = bufferevent_get_input(events);
    for (struct evbuffer_ptr end; fake->events;) {
        end = evbuffer_search(input, "", 1, NULL);
        if (end.pos < 0)
            return;
        char *message = calloc(1, (size_t)end.pos + 1);
        evbuffer_remove(input, message, (size_t)end.pos + 1);
        fake_take(fake, message);
        free(message);
    }
}

/* Returns the descriptor of its other end. */
static int fake_open(fake_browser *fake, struct event_base *base)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    fake->events = bufferevent_socket_new(base, ends[1], BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(fake->events, fake_read, NULL, NULL, fake);
    bufferevent_enable(fake->events, EV_READ | EV_WRITE);
    if (fake->piece)
        bufferevent_set_max_single_write(fake->events, fake->piece);
    return ends[0];
}

static void fake_close(fake_browser *fake)
{
    if (fake->events)
        bufferevent_free(fake->events);
    crawl_buf_free(&fake->log);
}

/* Returns how often a command was sent whose line in the log begins so. */
static unsigned fake_count(const fake_browser *fake, const char *line)
{
    unsigned count = 0;
    for (const char *at = fake->log.data; at && (at = strstr(at, line)); at += strlen(line))
        count += at == fake->log.data || at[-1] == '\n';
    return count;
}
