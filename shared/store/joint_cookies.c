#include "shared/store/joint_cookies.h"

#include "base/clock.h"
#include "shared/store/jars.h"

#include <stdlib.h>

enum {
    READ_US = 500 * 1000,
    TELL_US = 100 * 1000,
    AGAIN_US = 100 * 1000,
    ROOM_MIN = 65536,
    HOSTS_MAX = CRAWL_SHARED_HOST_MAX / 2 + 1
};

crawl_err cw_joint_cookies_open(cw_joint *joint)
{
    if (!joint->options.cookie_host)
        return CRAWL_OK;
    joint->jars = calloc(1, sizeof *joint->jars);
    if (joint->jars)
        joint->jars->map = cw_map_create((uintptr_t)joint);
    return joint->jars && joint->jars->map ? CRAWL_OK : CRAWL_ENOMEM;
}

static void free_jar(cw_joint_jar *jar)
{
    cw_joint_cookies_free_list(jar->changes);
    free(jar);
}

void cw_joint_cookies_free(cw_joint *joint)
{
    size_t cursor = 0;
    if (!joint->jars)
        return;
    for (cw_joint_jar *jar; joint->jars->map && (jar = cw_map_next(joint->jars->map, &cursor));)
        free_jar(jar);
    cw_map_free(joint->jars->map);
    free(joint->jars);
    joint->jars = NULL;
}

/* ---- passing on ---- */

static void tell_jar(cw_joint *joint, const cw_shared_jar *said, int64_t now_ms)
{
    size_t count = 0;
    crawl_shared_cookie *cookies = NULL;
    cw_joint_cookie *copies = NULL;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_jar *jar = cw_map_get(joint->jars->map, said->host);
    bool is_wanted = jar && jar->holds;
    crawl_err err = is_wanted ? cw_joint_jar_merge(jar, said, &cookies, &count, &copies) : CRAWL_OK;
    pthread_mutex_unlock(&joint->frontier->lock);
    if (err)
        cw_joint_fail(joint, err, "no memory for cookies");
    if (!is_wanted || err)
        return;
    jar->version = said->version;
    if (joint->options.on_cookies)
        joint->options.on_cookies(joint->options.user, said->host, cookies, count, now_ms);
    free(cookies);
    cw_joint_cookies_free_list(copies);
}

static void tell_jars(cw_joint *joint, const cw_shared_jars *said)
{
    for (size_t i = 0; i < said->count; i++)
        tell_jar(joint, &said->jars[i], said->now_ms);
}

/* ---- reading ---- */

static uint64_t room_of(const cw_joint *joint)
{
    uint64_t room = joint->options.max_cookies / CW_SHARED_PARTITIONS;
    return room > ROOM_MIN ? room : ROOM_MIN;
}

static int64_t renews_after_us(const cw_joint *joint)
{
    return joint->options.lease_ms * 1000 / 3;
}

static void read_all_soon(cw_joint *joint)
{
    joint->jars->renewed_us = cw_clock_us(CLOCK_BOOTTIME) - renews_after_us(joint) + AGAIN_US;
}

static void joint_cookies_on_read(void *user, const cw_shared_jars *said)
{
    cw_joint *joint = user;
    if (!said->fault) {
        tell_jars(joint, said);
        return;
    }
    read_all_soon(joint);
    cw_joint_fault(joint, said->fault, said->words);
}

static int compare_jars(const void *left, const void *right)
{
    const cw_joint_jar *a = *(cw_joint_jar *const *)left;
    const cw_joint_jar *b = *(cw_joint_jar *const *)right;
    return (a->partition > b->partition) - (a->partition < b->partition);
}

/* Reads the jars of one partition at the front of the list. Returns their number. */
static size_t read_some(cw_joint *joint, cw_joint_jar *const *jars, size_t count)
{
    cw_shared_jar known[CW_SHARED_COOKIE_HOSTS_MAX];
    size_t size = 0;
    for (; size < count && size < CW_SHARED_COOKIE_HOSTS_MAX && jars[size]->partition == jars[0]->partition; size++)
        known[size] = (cw_shared_jar){.host = cw_joint_jar_host(jars[size]), .version = jars[size]->version};
    if (cw_shared_tell_cookies(joint->shared, cw_joint_jar_site(jars[0]), 0, known, size, NULL, 0,
                               joint_cookies_on_read, joint))
        read_all_soon(joint);
    return size;
}

/* Returns the jars of hosts that this process has, in partitions with changes. NULL: none. */
static cw_joint_jar **stale_jars(cw_joint *joint, size_t *count)
{
    const cw_joint_jars *jars = joint->jars;
    size_t cursor = 0;
    *count = 0;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_jar **found = calloc(cw_map_count(jars->map) + 1, sizeof(cw_joint_jar *));
    for (cw_joint_jar *jar; found && (jar = cw_map_next(jars->map, &cursor));)
        if (jar->holds && jars->is_stale[jar->partition])
            found[(*count)++] = jar;
    pthread_mutex_unlock(&joint->frontier->lock);
    return found;
}

static void read_stale(cw_joint *joint)
{
    size_t count;
    if (!memchr(joint->jars->is_stale, true, sizeof joint->jars->is_stale))
        return;
    cw_joint_jar **jars = stale_jars(joint, &count);
    if (!jars)
        return;
    memset(joint->jars->is_stale, 0, sizeof joint->jars->is_stale);
    if (count)
        qsort(jars, count, sizeof(cw_joint_jar *), compare_jars);
    for (size_t sent = 0; sent < count;)
        sent += read_some(joint, jars + sent, count - sent);
    free(jars);
}

/* ---- beginning and ending holds ---- */

/* Changes the number of holds that need the jars of the hold's host. */
static crawl_err count_hold(cw_joint_hold *hold, bool is_one_more)
{
    char room[CRAWL_SHARED_HOST_MAX + 1];
    crawl_slice site;
    cw_joint *joint = hold->joint;
    crawl_slice origin = cw_frontier_host_origin(hold->host);
    if (joint->options.cookie_host(joint->options.user, origin, room, &site))
        return CRAWL_EPARSE;
    crawl_slice host = crawl_slice_from(room);
    do {
        cw_joint_jar *jar = cw_joint_jar_get(joint, host, site);
        if (!jar)
            return CRAWL_ENOMEM;
        jar->holds += is_one_more ? 1 : (size_t)-1;
    } while (cw_joint_jar_next(&host, site));
    joint->jars->has_unused = true;
    return CRAWL_OK;
}

void cw_joint_cookies_begin(cw_joint_hold *hold)
{
    if (!hold->joint->jars)
        return;
    int64_t now = cw_frontier_enter(hold->joint->frontier, INT64_MIN);
    crawl_err err = count_hold(hold, true);
    hold->has_jars = !err;
    if (err == CRAWL_ENOMEM)
        cw_joint_fail(hold->joint, err, "no memory for cookies");
    if (err) { /* an origin that cannot have cookies does not wait */
        hold->awaits_cookies = false;
        cw_joint_hold_place(hold, now);
    }
    cw_frontier_leave(hold->joint->frontier);
}

void cw_joint_cookies_leave(cw_joint_hold *hold)
{
    if (hold->joint->jars && hold->has_jars)
        (void)count_hold(hold, false); /* the jars exist */
    hold->has_jars = false;
}

static void on_read_for_hold(void *user, const cw_shared_jars *said)
{
    cw_joint_hold *hold = user;
    cw_joint *joint = hold->joint;
    hold->owed--;
    hold->asks_cookies = false;
    if (said->fault) {
        hold->cookies_us = cw_clock_us(CLOCK_BOOTTIME) + AGAIN_US;
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    tell_jars(joint, said);
    int64_t now = cw_frontier_enter(joint->frontier, INT64_MIN);
    hold->awaits_cookies = false;
    cw_joint_hold_place(hold, now);
    cw_frontier_leave(joint->frontier);
}

static void ask_for_hold(cw_joint_hold *hold)
{
    char room[CRAWL_SHARED_HOST_MAX + 1];
    cw_shared_jar known[HOSTS_MAX];
    crawl_slice site;
    size_t count = 0;
    cw_joint *joint = hold->joint;
    if (joint->options.cookie_host(joint->options.user, cw_frontier_host_origin(hold->host), room, &site))
        return;
    crawl_slice host = crawl_slice_from(room);
    pthread_mutex_lock(&joint->frontier->lock);
    bool is_gone = hold->stage == CW_JOINT_GONE;
    do {
        const cw_joint_jar *jar = cw_map_get(joint->jars->map, host);
        known[count++] = (cw_shared_jar){.host = host, .version = jar ? jar->version : 0};
    } while (cw_joint_jar_next(&host, site));
    pthread_mutex_unlock(&joint->frontier->lock);
    if (is_gone)
        return;
    hold->owed++;
    hold->asks_cookies =
        cw_shared_tell_cookies(joint->shared, site, 0, known, count, NULL, 0, on_read_for_hold, hold) == CRAWL_OK;
    hold->owed -= !hold->asks_cookies;
}

void cw_joint_cookies_ask(cw_joint *joint)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    if (!joint->jars || !joint->is_up)
        return;
    for (size_t i = 0; i < joint->holds->count; i++) {
        cw_joint_hold *hold = joint->holds->list[i];
        bool waits = hold->awaits_cookies && !hold->asks_cookies;
        if (waits && now_us >= hold->cookies_us)
            ask_for_hold(hold);
    }
}

/* Takes out the jars that are not needed. */
static size_t take_unused(cw_joint *joint, cw_joint_jar ***found)
{
    size_t count = 0;
    size_t cursor = 0;
    cw_joint_jars *jars = joint->jars;
    *found = calloc(cw_map_count(jars->map) + 1, sizeof(cw_joint_jar *));
    for (cw_joint_jar *jar; *found && (jar = cw_map_next(jars->map, &cursor));)
        if (!jar->holds && !jar->is_to_do && !jar->is_out)
            (*found)[count++] = jar;
    for (size_t i = 0; i < count; i++)
        cw_map_remove(jars->map, cw_joint_jar_host((*found)[i]));
    jars->has_unused = !*found;
    return count;
}

static void forget_unused(cw_joint *joint)
{
    cw_joint_jar **found = NULL;
    pthread_mutex_lock(&joint->frontier->lock);
    size_t count = joint->jars->has_unused ? take_unused(joint, &found) : 0;
    pthread_mutex_unlock(&joint->frontier->lock);
    for (size_t i = 0; i < count; i++) {
        if (joint->options.on_cookies)
            joint->options.on_cookies(joint->options.user, cw_joint_jar_host(found[i]), NULL, 0, INT64_MAX);
        free_jar(found[i]);
    }
    free(found);
}

/* ---- telling ---- */

static void joint_cookies_on_told(void *user, const cw_shared_jars *said)
{
    cw_joint_jar *jar = user;
    cw_joint *joint = jar->joint;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_jar_told(jar, !said->fault);
    pthread_mutex_unlock(&joint->frontier->lock);
    jar->is_out = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    joint->jars->is_due[jar->partition] = true;
    tell_jars(joint, said);
    cw_joint_acknowledge(joint);
}

/* Under the lock. Gathers the changes to tell at once. They stay in the list until they were told. */
static size_t joint_cookies_gather(cw_joint_jar *jar, crawl_shared_cookie changes[CW_JOINT_COOKIES_AT_ONCE])
{
    size_t count = 0;
    for (cw_joint_cookie *change = jar->changes; change && count < CW_JOINT_COOKIES_AT_ONCE; change = change->next) {
        change->is_out = true;
        changes[count++] = change->cookie;
    }
    return count;
}

static void tell_changes_of(cw_joint_jar *jar)
{
    crawl_shared_cookie changes[CW_JOINT_COOKIES_AT_ONCE];
    cw_joint *joint = jar->joint;
    const cw_shared_jar known = {.host = cw_joint_jar_host(jar), .version = jar->version};
    pthread_mutex_lock(&joint->frontier->lock);
    size_t count = joint_cookies_gather(jar, changes);
    pthread_mutex_unlock(&joint->frontier->lock);
    jar->is_out = true;
    if (!cw_shared_tell_cookies(joint->shared, cw_joint_jar_site(jar), room_of(joint), &known, 1, changes, count,
                                joint_cookies_on_told, jar))
        return;
    jar->is_out = false;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_jar_told(jar, false);
    pthread_mutex_unlock(&joint->frontier->lock);
}

/* Returns the next jar to do that is not being told. */
static cw_joint_jar *next_to_do(cw_joint *joint, cw_joint_jar *after)
{
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_jar *jar = after ? after->next : joint->jars->to_do;
    while (jar && jar->is_out)
        jar = jar->next;
    pthread_mutex_unlock(&joint->frontier->lock);
    return jar;
}

static void tell_changes(cw_joint *joint)
{
    for (cw_joint_jar *jar = NULL; (jar = next_to_do(joint, jar));)
        tell_changes_of(jar);
}

/* ---- words ---- */

static void on_said(void *user, const crawl_redis_answer *said)
{
    cw_joint *joint = user;
    cw_joint_jars *jars = joint->jars;
    jars->is_telling = false;
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++) {
        jars->is_due[i] = jars->is_due[i] || (said->fault && jars->is_said[i]);
        jars->is_said[i] = false;
    }
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
}

static void say_words(cw_joint *joint, int64_t now_us)
{
    unsigned numbers[CW_SHARED_PARTITIONS];
    size_t count = 0;
    cw_joint_jars *jars = joint->jars;
    if (jars->is_telling || (now_us - jars->told_us < TELL_US && !atomic_load(&joint->thread.closing)))
        return;
    for (unsigned i = 0; i < CW_SHARED_PARTITIONS; i++) {
        jars->is_said[i] = jars->is_due[i];
        jars->is_due[i] = false;
        if (jars->is_said[i])
            numbers[count++] = i;
    }
    if (!count)
        return;
    const crawl_redis_answer unsent = {.fault = CRAWL_REDIS_UNSENT, .words = ""};
    jars->told_us = now_us;
    jars->is_telling = true;
    if (cw_shared_stir_cookies(joint->shared, numbers, count, on_said, joint))
        on_said(joint, &unsent);
}

static void joint_cookies_on_words(void *user, const crawl_redis_answer *said)
{
    enum { SIZE = CW_SHARED_STIR_SIZE };
    cw_joint *joint = user;
    cw_joint_jars *jars = joint->jars;
    jars->is_reading = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    crawl_slice text = said->reply->type == CRAWL_REDIS_TEXT ? said->reply->text : (crawl_slice){0};
    for (size_t i = 0; i < CW_SHARED_PARTITIONS; i++) {
        char now[SIZE] = {0};
        if ((i + 1) * SIZE <= text.size)
            memcpy(now, text.data + i * SIZE, SIZE);
        jars->is_stale[i] = jars->is_stale[i] || memcmp(now, jars->words + i * SIZE, SIZE) != 0;
        memcpy(jars->words + i * SIZE, now, SIZE);
    }
}

static void read_words(cw_joint *joint, int64_t now_us)
{
    cw_joint_jars *jars = joint->jars;
    if (now_us - jars->renewed_us >= renews_after_us(joint)) {
        jars->renewed_us = now_us;
        memset(jars->is_stale, true, sizeof jars->is_stale);
    }
    if (jars->is_reading || !joint->holds->count || now_us - jars->read_us < READ_US)
        return;
    jars->read_us = now_us;
    jars->is_reading = cw_shared_read_cookie_stirs(joint->shared, joint_cookies_on_words, joint) == CRAWL_OK;
}

/* ---- a turn ---- */

void cw_joint_cookies_turn(cw_joint *joint, int64_t now_us)
{
    if (!joint->jars || !joint->is_up)
        return;
    tell_changes(joint);
    say_words(joint, now_us);
    read_words(joint, now_us);
    read_stale(joint);
    cw_joint_cookies_ask(joint);
    forget_unused(joint);
}

bool cw_joint_cookies_are_told(cw_joint *joint)
{
    if (!joint->jars)
        return true;
    pthread_mutex_lock(&joint->frontier->lock);
    bool has_some = joint->jars->to_do != NULL;
    pthread_mutex_unlock(&joint->frontier->lock);
    return !has_some && !joint->jars->is_telling && !memchr(joint->jars->is_due, true, sizeof joint->jars->is_due);
}
