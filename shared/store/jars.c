#include "shared/store/jars.h"

#include "base/clock.h"
#include "shared/store/hold.h"
#include "shared/store/joint_clock.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

cw_joint_jar *cw_joint_jar_get(cw_joint *joint, crawl_slice host, crawl_slice site)
{
    cw_joint_jars *jars = joint->jars;
    cw_joint_jar *jar = cw_map_get(jars->map, host);
    if (jar)
        return jar;
    jar = cw_map_make(jars->map, host, sizeof *jar + 1, offsetof(cw_joint_jar, host));
    if (!jar)
        return NULL;
    jar->joint = joint;
    jar->partition = cw_shared_partition(site);
    jar->host_size = host.size;
    jar->site_size = site.size < host.size ? site.size : host.size;
    jars->has_unused = true;
    return jar;
}

/* ---- changes ---- */

static crawl_slice jars_put_text(char **at, crawl_slice text)
{
    crawl_slice copy = crawl_slice_of(*at, text.size);
    if (text.size)
        memcpy(*at, text.data, text.size);
    *at += text.size;
    return copy;
}

/* Copies a cookie. NULL: out of memory. */
static cw_joint_cookie *jars_copy_cookie(const crawl_shared_cookie *cookie)
{
    size_t size =
        sizeof(cw_joint_cookie) + cookie->site.size + cookie->host.size + cookie->id.size + cookie->value.size;
    cw_joint_cookie *copy = malloc(size);
    if (!copy)
        return NULL;
    char *at = copy->texts;
    *copy = (cw_joint_cookie){.cookie = *cookie, .size = size};
    copy->cookie.site = jars_put_text(&at, cookie->site);
    copy->cookie.host = jars_put_text(&at, cookie->host);
    copy->cookie.id = jars_put_text(&at, cookie->id);
    copy->cookie.value = jars_put_text(&at, cookie->value);
    return copy;
}

void cw_joint_cookies_free_list(cw_joint_cookie *list)
{
    while (list) {
        cw_joint_cookie *next = list->next;
        free(list);
        list = next;
    }
}

static void jars_put_to_do(cw_joint_jar *jar)
{
    cw_joint_jars *jars = jar->joint->jars;
    if (jar->is_to_do)
        return;
    jar->is_to_do = true;
    jar->next = jars->to_do;
    jars->to_do = jar;
}

/* Returns the place of an unsent change of the same cookie, or the end. */
static cw_joint_cookie **find_change(cw_joint_jar *jar, crawl_slice id)
{
    cw_joint_cookie **at = &jar->changes;
    while (*at && ((*at)->is_out || !crawl_slice_equal((*at)->cookie.id, id)))
        at = &(*at)->next;
    return at;
}

crawl_err cw_joint_jar_change(cw_joint_jar *jar, const crawl_shared_cookie *cookie)
{
    cw_joint_cookie *made = jars_copy_cookie(cookie);
    if (!made)
        return CRAWL_ENOMEM;
    cw_joint_cookie **at = find_change(jar, cookie->id);
    cw_joint_cookie *old = *at;
    made->epoch = old ? old->epoch : jar->joint->order.epoch;
    made->next = old ? old->next : NULL;
    *at = made;
    jar->joint->jars->bytes += made->size - (old ? old->size : 0);
    free(old);
    jars_put_to_do(jar);
    return CRAWL_OK;
}

static void take_off_to_do(cw_joint_jar *jar)
{
    cw_joint_jar **at = &jar->joint->jars->to_do;
    while (*at != jar)
        at = &(*at)->next;
    *at = jar->next;
    jar->is_to_do = false;
    jar->joint->jars->has_unused = true;
}

void cw_joint_jar_told(cw_joint_jar *jar, bool is_told)
{
    for (cw_joint_cookie **at = &jar->changes; *at;) {
        cw_joint_cookie *change = *at;
        if (!change->is_out || !is_told) {
            change->is_out = false;
            at = &change->next;
            continue;
        }
        *at = change->next;
        jar->joint->jars->bytes -= change->size;
        free(change);
    }
    if (!jar->changes)
        take_off_to_do(jar);
}

/* Returns the oldest epoch of a change that is not told; UINT64_MAX: none. */
static uint64_t jars_oldest_epoch(const cw_joint_jars *jars)
{
    uint64_t oldest = UINT64_MAX;
    for (const cw_joint_jar *jar = jars->to_do; jar; jar = jar->next)
        for (const cw_joint_cookie *change = jar->changes; change; change = change->next)
            oldest = change->epoch < oldest ? change->epoch : oldest;
    return oldest;
}

void cw_joint_acknowledge(cw_joint *joint)
{
    uint64_t owed = UINT64_MAX;
    cw_joint_order *order = &joint->order;
    pthread_mutex_lock(&joint->frontier->lock);
    if (joint->jars)
        owed = jars_oldest_epoch(joint->jars);
    pthread_mutex_unlock(&joint->frontier->lock);
    uint64_t number = order->pushed < owed - 1 ? order->pushed : owed - 1;
    if (number > order->acknowledged)
        order->acknowledged = number;
}

void cw_joint_pushed(cw_joint *joint, uint64_t number)
{
    joint->order.pushed = number;
    cw_joint_acknowledge(joint);
}

/* ---- cookies set here ---- */

static uint64_t jars_hash_of(crawl_slice id)
{
    return XXH3_64bits(id.data, id.size);
}

void cw_joint_jar_gone(cw_joint_jar *jar, const crawl_shared_cookie *cookie)
{
    uint64_t hash = jars_hash_of(cookie->id);
    unsigned place = jar->gone_next;
    for (unsigned i = 0; i < CW_JOINT_COOKIES_GONE; i++)
        if (jar->gone[i].set_ms && jar->gone[i].hash == hash)
            place = i;
    jar->gone[place].hash = hash;
    jar->gone[place].set_ms = cookie->set_ms;
    jar->gone_next = (jar->gone_next + (place == jar->gone_next)) % CW_JOINT_COOKIES_GONE;
}

/* Returns true if an answer may set cookies: this process has the host, and had it when the request left. Otherwise the
 * process was stopped meanwhile, or another one has had the host since, and the answer may be older than what that
 * process got. */
static bool jars_counts(const cw_joint *joint, crawl_slice origin, int64_t asked_us)
{
    const cw_joint_hold *hold = cw_joint_hold_of_origin(joint, origin);
    return hold && cw_clock_us(CLOCK_BOOTTIME) < hold->until_us && (!asked_us || asked_us >= hold->begun_us);
}

static int64_t jars_server_ms(const cw_joint *joint)
{
    return joint->clock->server_us ? (cw_clock_us(CLOCK_BOOTTIME) + joint->clock->server_us) / 1000 : cw_wall_ms();
}

crawl_err cw_joint_cookie_set(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                              crawl_shared_cookie *cookie, bool is_known)
{
    cw_joint *joint = cw_joint_of(frontier);
    if (origin.size && !jars_counts(joint, origin, asked_us))
        return CRAWL_REFUSED;
    if (!cookie->set_ms)
        cookie->set_ms = jars_server_ms(joint);
    if (is_known && !(cookie->flags & CRAWL_SHARED_COOKIE_DELETED))
        return CRAWL_OK;
    cw_joint_jar *jar = cw_joint_jar_get(joint, cookie->host, cookie->site);
    if (!jar)
        return CRAWL_ENOMEM;
    if (!is_known)
        return cw_joint_jar_change(jar, cookie);
    cw_joint_jar_gone(jar, cookie);
    return CRAWL_OK;
}

/* ---- reading ---- */

static size_t find_cookie(const crawl_shared_cookie *cookies, size_t count, crawl_slice id)
{
    size_t i = 0;
    while (i < count && !crawl_slice_equal(cookies[i].id, id))
        i++;
    return i;
}

/* Deletes a cookie in Redis that was deleted here after it was set elsewhere. */
static void delete_gone(cw_joint_jar *jar, crawl_shared_cookie *cookie)
{
    uint64_t hash = jars_hash_of(cookie->id);
    for (unsigned i = 0; i < CW_JOINT_COOKIES_GONE; i++) {
        bool is_gone = jar->gone[i].hash == hash && jar->gone[i].set_ms > cookie->set_ms;
        if (!is_gone || (cookie->flags & CRAWL_SHARED_COOKIE_DELETED))
            continue;
        cookie->flags = (cookie->flags & CRAWL_SHARED_COOKIE_HOST_ONLY) | CRAWL_SHARED_COOKIE_DELETED;
        cookie->value = (crawl_slice){0};
        cookie->set_ms = jar->gone[i].set_ms;
        (void)cw_joint_jar_change(jar, cookie); /* if memory runs out, Redis keeps the cookie */
    }
}

/* Adds the changes that are not told yet, except those that are older than the cookie in Redis. */
static crawl_err jars_add_changes(const cw_joint_jar *jar, crawl_shared_cookie *cookies, size_t *count,
                                  cw_joint_cookie **copies)
{
    for (const cw_joint_cookie *change = jar->changes; change; change = change->next) {
        size_t place = find_cookie(cookies, *count, change->cookie.id);
        if (place < *count && cookies[place].set_ms > change->cookie.set_ms)
            continue;
        cw_joint_cookie *copy = jars_copy_cookie(&change->cookie);
        if (!copy)
            return CRAWL_ENOMEM;
        copy->next = *copies;
        *copies = copy;
        cookies[place] = copy->cookie;
        *count += place == *count;
    }
    return CRAWL_OK;
}

crawl_err cw_joint_jar_merge(cw_joint_jar *jar, const cw_shared_jar *said, crawl_shared_cookie **cookies, size_t *count,
                             cw_joint_cookie **copies)
{
    size_t room = said->count + 1;
    *copies = NULL;
    for (const cw_joint_cookie *change = jar->changes; change; change = change->next)
        room++;
    room += CW_JOINT_COOKIES_GONE;
    *cookies = calloc(room, sizeof **cookies);
    if (!*cookies)
        return CRAWL_ENOMEM;
    for (*count = 0; *count < said->count; ++*count) {
        (*cookies)[*count] = said->cookies[*count];
        delete_gone(jar, &(*cookies)[*count]);
    }
    crawl_err err = jars_add_changes(jar, *cookies, count, copies);
    if (!err)
        return CRAWL_OK;
    free(*cookies);
    cw_joint_cookies_free_list(*copies);
    return err;
}
