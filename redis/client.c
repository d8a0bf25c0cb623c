/* See <crawl/sys/redis.h>. Serves one server, or the nodes of a Redis Cluster; the greeting of the first connection
 * tells which. In a cluster, a table holds the node of each slot, and a request goes to the node of its key. If a node
 * refuses it, because the key has moved or is being moved, it goes to another node or waits, and the table is read
 * again. A refused request was not carried out.
 *
 *   C1  pending and bytes count the requests of callers that have not ended.
 *   C2  nodes[0] is the one that the URL names. A node without slots is freed from the timer, where none of its own
 *       calls is under way. */
#include "redis/client.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/sized.h"
#include "redis/node.h"
#include "redis/owners.h"
#include "redis/redis_slots.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    NODES_MAX = 1000,      /* the size that the specification of Redis Cluster aims at */
    MOVES_MAX = 8,         /* redirections of one request in a row; more come while slots move */
    AGAIN_MS = 200,        /* pause before refused requests are sent again, and the slots are read */
    PATIENCE_US = 1000000, /* then the refusal is passed to the caller */
};

struct crawl_redis {
    crawl_redis_options options;
    cw_redis_node **nodes;
    size_t node_count, node_room;
    cw_redis_owners owners;
    bool is_watched;
    cw_redis_node *asked; /* the node that owes its slots; NULL: none */
    struct event *timer;
    cw_redis_requests parked;
    size_t pending, bytes;
    uint64_t losses;
    bool is_full; /* a caller got CRAWL_FULL */
    bool is_ended;
    bool wants_slots; /* the table is incomplete or wrong */
    bool is_ok;       /* the last state reported */
};

/* ---- requests under way ---- */

static bool client_has_room(const crawl_redis *redis, size_t part)
{
    return redis->pending < CRAWL_REDIS_REQUESTS_MAX / part && redis->bytes < CRAWL_REDIS_BYTES_MAX / part;
}

static void on_rest(void *user)
{
    crawl_redis *redis = user;
    if (!redis->is_full || redis->is_ended || !client_has_room(redis, 2))
        return;
    redis->is_full = false;
    if (redis->options.on_room)
        redis->options.on_room(redis->options.user);
}

static void end_request(crawl_redis *redis, cw_redis_request *r, crawl_redis_fault fault, const char *words,
                        const crawl_redis_reply *reply)
{
    redis->pending -= !r->is_own;
    redis->bytes -= r->is_own ? 0 : r->size;
    cw_redis_request_end(r, fault, words, reply);
}

static void client_set_timer(crawl_redis *redis)
{
    const struct timeval after = {.tv_usec = AGAIN_MS * 1000};
    if (!evtimer_pending(redis->timer, NULL))
        evtimer_add(redis->timer, &after);
}

static void tell_state(crawl_redis *redis, crawl_redis_fault fault, const char *words)
{
    redis->is_ok = fault == CRAWL_REDIS_OK;
    if (redis->options.on_state)
        redis->options.on_state(redis->options.user, fault, words);
}

/* ---- nodes ---- */

static bool has_slots(const crawl_redis *redis, const cw_redis_node *node)
{
    return cw_redis_owners_first(&redis->owners, node) != CW_REDIS_NO_SLOT;
}

/* Returns a node that is up, or the first. */
static cw_redis_node *any_node(const crawl_redis *redis)
{
    for (size_t i = 0; i < redis->node_count; i++)
        if (cw_redis_node_is_up(redis->nodes[i]))
            return redis->nodes[i];
    return redis->nodes[0];
}

static void client_answer(void *user, cw_redis_node *node, cw_redis_request *r, const crawl_redis_answer *said);
static void client_told(void *user, cw_redis_node *node, crawl_redis_fault fault, const char *words);

static void on_return(void *user, cw_redis_node *node);

/* host NULL: the URL's. */
static crawl_err add_node(crawl_redis *redis, const char *host, unsigned port, crawl_error *error)
{
    const cw_redis_node_calls calls = {
        .on_answer = client_answer, .on_state = client_told, .on_return = on_return, .on_rest = on_rest, .user = redis};
    if (CW_ARRAY_RESERVE(redis->nodes, redis->node_room, redis->node_count + 1, 4))
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = cw_redis_node_create(&redis->options, host, port, &calls, &redis->nodes[redis->node_count], error);
    redis->node_count += !err;
    if (!err && redis->is_watched)
        cw_redis_node_watch(redis->nodes[redis->node_count - 1]);
    return err;
}

/* Returns the node at a place, and creates it if it is new. said_by: the node that named the place. NULL: it cannot be
 * added. */
static cw_redis_node *node_at(crawl_redis *redis, const cw_redis_place *place, const cw_redis_node *said_by)
{
    char host[CW_REDIS_HOST_MAX + 1];
    if (place->host.size)
        snprintf(host, sizeof host, "%.*s", (int)place->host.size, place->host.data);
    else
        snprintf(host, sizeof host, "%s", *cw_redis_node_host(said_by) ? cw_redis_node_host(said_by) : "127.0.0.1");
    for (size_t i = 0; i < redis->node_count; i++)
        if (cw_redis_node_is_at(redis->nodes[i], crawl_slice_from(host), place->port))
            return redis->nodes[i];
    bool is_added = redis->node_count < NODES_MAX && add_node(redis, host, place->port, NULL) == CRAWL_OK;
    return is_added ? redis->nodes[redis->node_count - 1] : NULL;
}

/* ---- the way of a request ---- */

/* Returns true if the request was made for data that may have gone back since. */
static bool is_of_before(const crawl_redis *redis, const cw_redis_request *r)
{
    return redis->is_watched && r->slot != CW_REDIS_NO_SLOT &&
           r->returns != cw_redis_owners_returns(&redis->owners, r->slot);
}

/* Lets the request wait a moment. False: it has waited long enough. */
static bool park(crawl_redis *redis, cw_redis_request *r)
{
    int64_t now_us = cw_now_us();
    r->refused_us = r->refused_us ? r->refused_us : now_us;
    if (now_us - r->refused_us > PATIENCE_US || redis->is_ended)
        return false;
    r->moves = 0;
    cw_redis_requests_append(&redis->parked, r);
    redis->wants_slots = true;
    client_set_timer(redis);
    return true;
}

static void route(crawl_redis *redis, cw_redis_request *r)
{
    cw_redis_node *node = redis->owners.nodes ? any_node(redis) : redis->nodes[0];
    if (redis->owners.nodes && r->slot != CW_REDIS_NO_SLOT)
        node = redis->owners.nodes[r->slot];
    if (is_of_before(redis, r))
        end_request(redis, r, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT), NULL);
    else if (node)
        cw_redis_node_put(node, r);
    else if (!park(redis, r))
        end_request(redis, r, CRAWL_REDIS_CLUSTER, "no node has the slot of the key", NULL);
}

static void send_counted(crawl_redis *redis, cw_redis_request *r)
{
    r->returns = cw_redis_owners_returns(&redis->owners, r->slot);
    redis->pending++;
    redis->bytes += r->size;
    route(redis, r);
}

/* ---- the slots ---- */

static void on_return(void *user, cw_redis_node *node)
{
    crawl_redis *redis = user;
    cw_redis_owners_return(&redis->owners, node);
}

/* Reads the table from a reply. NULL: not a table, or out of memory. */
static cw_redis_node **read_slots(crawl_redis *redis, const crawl_redis_reply *reply)
{
    cw_redis_range range;
    crawl_err err = CRAWL_OK;
    cw_redis_node **owners = calloc(CW_REDIS_SLOTS, sizeof(cw_redis_node *));
    for (size_t i = 0; owners && !err; i++) {
        err = cw_redis_range_at(reply, i, &range);
        cw_redis_node *node = err ? NULL : node_at(redis, &range.place, redis->asked);
        for (unsigned slot = range.first; node && slot <= range.last; slot++)
            owners[slot] = node;
    }
    if (err == CRAWL_ABSENT)
        return owners;
    free(owners);
    return NULL;
}

/* Sends waiting commands to the present owners of their slots. */
static void route_waiting(crawl_redis *redis)
{
    for (size_t i = 0; i < redis->node_count; i++) {
        cw_redis_requests waiting = cw_redis_node_take_waiting(redis->nodes[i]);
        for (cw_redis_request *r = cw_redis_requests_take(&waiting); r; r = cw_redis_requests_take(&waiting)) {
            if (r->is_own)
                end_request(redis, r, CRAWL_REDIS_UNSENT, "", NULL);
            else
                route(redis, r);
        }
    }
}

static bool is_one_away(const crawl_redis *redis)
{
    for (size_t i = 0; i < redis->node_count; i++)
        if (cw_redis_node_is_away(redis->nodes[i]) && has_slots(redis, redis->nodes[i]))
            return true;
    return false;
}

/* Asks for the slots again while a node is away or a slot has no owner: others may have taken over. */
static void take_stock(crawl_redis *redis)
{
    char words[80];
    size_t unserved = cw_redis_owners_unserved(&redis->owners);
    bool is_away = is_one_away(redis);
    redis->wants_slots = unserved || is_away;
    if (redis->wants_slots)
        client_set_timer(redis);
    snprintf(words, sizeof words, "the cluster serves %zu of its %u slots", CW_REDIS_SLOTS - unserved, CW_REDIS_SLOTS);
    if (unserved)
        tell_state(redis, CRAWL_REDIS_CLUSTER, words);
    else if (!is_away && !redis->is_ok)
        tell_state(redis, CRAWL_REDIS_OK, "");
}

/* Takes the reply to CLUSTER SLOTS. A server outside a cluster replies with an error; a node that may not be asked
 * redirects by MOVED. */
static void on_slots(void *user, const crawl_redis_answer *said)
{
    crawl_redis *redis = user;
    cw_redis_node **owners = said->fault ? NULL : read_slots(redis, said->reply);
    redis->asked = NULL;
    if (redis->is_ended || said->fault == CRAWL_REDIS_UNKNOWN) {
        free(owners);
        return;
    }
    if (owners && cw_redis_owners_begin(&redis->owners, redis->nodes[0])) {
        cw_redis_owners_take(&redis->owners, owners);
        route_waiting(redis);
    }
    free(owners);
    take_stock(redis);
}

static void learn_from(crawl_redis *redis, cw_redis_node *node)
{
    const char *const texts[] = {"CLUSTER", "SLOTS", NULL};
    if (redis->asked || redis->is_ended)
        return;
    cw_redis_request *r = cw_redis_request_of_texts(texts, on_slots, redis);
    if (!r) {
        redis->wants_slots = true;
        client_set_timer(redis);
        return;
    }
    r->is_own = true;
    redis->asked = node;
    cw_redis_node_put_first(node, r);
}

static void client_learn(crawl_redis *redis)
{
    cw_redis_node *node = any_node(redis);
    if (cw_redis_node_is_up(node))
        learn_from(redis, node);
}

/* ---- answers of nodes ---- */

/* Sends the request to a node that takes it once, before it owns the slot. */
static bool ask_at(cw_redis_node *node, cw_redis_request *r)
{
    cw_redis_request *asking = cw_redis_request_of_texts((const char *const[]){"ASKING", NULL}, NULL, NULL);
    if (!asking)
        return false;
    asking->is_own = true;
    cw_redis_node_put(node, asking);
    cw_redis_node_put(node, r);
    return true;
}

/* Sends a refused request elsewhere, or lets it wait. A script may touch more keys than it names, and some of them may
 * have moved: it waits until the whole slot has moved. False: neither. */
static bool client_goes_on(crawl_redis *redis, const cw_redis_node *node, cw_redis_request *r, const char *words)
{
    unsigned slot;
    cw_redis_place place;
    crawl_slice error = crawl_slice_from(words);
    bool is_place = cw_redis_redirection(error, &slot, &place) == CRAWL_OK && r->moves++ < MOVES_MAX;
    cw_redis_node *to = is_place && !redis->is_ended ? node_at(redis, &place, node) : NULL;
    if (to && cw_starts_with(error, "ASK"))
        return (!r->is_script && ask_at(to, r)) || park(redis, r);
    if (!to || !cw_redis_owners_begin(&redis->owners, redis->nodes[0]))
        return park(redis, r);
    redis->wants_slots = redis->wants_slots || redis->owners.nodes[slot] != to;
    cw_redis_owners_move(&redis->owners, slot, to);
    if (is_of_before(redis, r))
        return false;
    cw_redis_node_put(to, r);
    if (redis->wants_slots)
        client_learn(redis);
    return true;
}

static void client_answer(void *user, cw_redis_node *node, cw_redis_request *r, const crawl_redis_answer *said)
{
    crawl_redis *redis = user;
    bool is_refused = !r->is_own && (said->fault == CRAWL_REDIS_CLUSTER || said->fault == CRAWL_REDIS_TRYAGAIN);
    if (!is_refused || !client_goes_on(redis, node, r, said->words))
        end_request(redis, r, said->fault, said->words, said->reply);
}

/* Takes the state of a node. The loss of a node without slots is not reported. */
static void client_told(void *user, cw_redis_node *node, crawl_redis_fault fault, const char *words)
{
    crawl_redis *redis = user;
    char where[400];
    if (!fault) {
        learn_from(redis, node);
        return;
    }
    redis->losses++;
    if (!redis->owners.nodes) {
        tell_state(redis, fault, words);
    } else if (has_slots(redis, node)) {
        snprintf(where, sizeof where, "%s:%u: %s", cw_redis_node_host(node), cw_redis_node_port(node), words);
        redis->wants_slots = true;
        client_set_timer(redis);
        for (size_t i = 0; i < redis->node_count; i++) /* one of them will tell the new owners */
            cw_redis_node_begin(redis->nodes[i]);
        tell_state(redis, fault, where);
    }
}

static void client_let_go(crawl_redis *redis)
{
    size_t left = 1;
    for (size_t i = 1; i < redis->node_count; i++) {
        cw_redis_node *node = redis->nodes[i];
        if (node != redis->asked && cw_redis_node_is_idle(node) && !has_slots(redis, node))
            cw_redis_node_free(node);
        else
            redis->nodes[left++] = node;
    }
    redis->node_count = left;
}

static void client_on_timer(evutil_socket_t, short, void *user)
{
    crawl_redis *redis = user;
    cw_redis_requests parked = redis->parked;
    redis->parked = (cw_redis_requests){0};
    if (redis->wants_slots) {
        client_set_timer(redis);
        client_learn(redis);
    }
    for (cw_redis_request *r = cw_redis_requests_take(&parked); r; r = cw_redis_requests_take(&parked))
        route(redis, r);
    client_let_go(redis);
    on_rest(redis);
}

/* ---- sending ---- */

crawl_err cw_redis_send_past(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user)
{
    cw_redis_request *r = cw_redis_request_make(arguments, count, done, user);
    if (!r)
        return CRAWL_ENOMEM;
    send_counted(redis, r);
    return CRAWL_OK;
}

crawl_err cw_redis_send_each(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                             void *user, size_t *owed)
{
    size_t before = *owed;
    for (size_t i = 0; i < redis->node_count; i++) {
        int slot = cw_redis_owners_first(&redis->owners, redis->nodes[i]);
        cw_redis_request *r = slot < 0 ? NULL : cw_redis_request_make(arguments, count, done, user);
        if (slot >= 0 && !r)
            return CRAWL_ENOMEM;
        if (!r)
            continue;
        r->slot = slot;
        ++*owed;
        send_counted(redis, r);
    }
    if (*owed > before)
        return CRAWL_OK;
    crawl_err err = crawl_redis_send(redis, arguments, count, done, user);
    *owed += !err;
    return err;
}

crawl_err crawl_redis_send(crawl_redis *redis, const crawl_slice *arguments, size_t count, crawl_redis_done done,
                           void *user)
{
    redis->is_full = redis->is_full || !client_has_room(redis, 1);
    return redis->is_full ? CRAWL_FULL : cw_redis_send_past(redis, arguments, count, done, user);
}

void cw_redis_watch(crawl_redis *redis)
{
    redis->is_watched = true;
    cw_redis_node_watch(redis->nodes[0]);
}

uint64_t cw_redis_returns(const crawl_redis *redis, crawl_slice key)
{
    return cw_redis_owners_returns(&redis->owners, (int)cw_redis_slot_of_key(key));
}

bool cw_redis_lacks_log(const crawl_redis *redis)
{
    for (size_t i = 0; i < redis->node_count; i++)
        if (cw_redis_node_lacks_log(redis->nodes[i]))
            return true;
    return false;
}

uint64_t cw_redis_losses(const crawl_redis *redis)
{
    return redis->losses + redis->owners.moves;
}

bool cw_redis_is_cluster(const crawl_redis *redis)
{
    return redis->owners.nodes;
}

size_t crawl_redis_pending(const crawl_redis *redis)
{
    return redis->pending;
}

crawl_err crawl_redis_time(const crawl_redis *redis, int64_t now_us, int64_t *time_us, int64_t *bound_us)
{
    return cw_redis_node_time(any_node(redis), now_us, time_us, bound_us);
}

/* ---- opening and closing ---- */

crawl_err crawl_redis_open(const crawl_redis_options *options, crawl_redis **out, crawl_error *error)
{
    crawl_redis_options own;
    const crawl_redis_options *taken = cw_sized(&own, sizeof own, options);
    if (!taken)
        return cw_sized_refused(options, sizeof own, "crawl_redis_options", error);
    crawl_redis *redis = calloc(1, sizeof *redis);
    if (!redis)
        return cw_error(error, CRAWL_ENOMEM);
    redis->options = *taken;
    redis->timer = evtimer_new(taken->base, client_on_timer, redis);
    crawl_err err = redis->timer ? add_node(redis, NULL, 0, error) : cw_error(error, CRAWL_ENOMEM);
    if (err) {
        crawl_redis_free(redis);
        return err;
    }
    cw_redis_node_begin(redis->nodes[0]);
    *out = redis;
    return CRAWL_OK;
}

void crawl_redis_free(crawl_redis *redis)
{
    if (!redis)
        return;
    redis->is_full = redis->is_ended = true; /* take nothing more */
    for (size_t i = 0; i < redis->node_count; i++)
        cw_redis_node_free(redis->nodes[i]);
    for (cw_redis_request *r = cw_redis_requests_take(&redis->parked); r; r = cw_redis_requests_take(&redis->parked))
        end_request(redis, r, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT), NULL);
    if (redis->timer)
        event_free(redis->timer);
    free(redis->nodes);
    cw_redis_owners_free(&redis->owners);
    free(redis);
}
