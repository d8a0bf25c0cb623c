/* Cookies of joint frontiers, several in one process, with a real redis-server: known before a host is leased, passed
 * on while it is held, in Redis before a lease ends, and ignored if the host was lost. */
#include "tests/unit/shared/joint_help.h"

#include "shared/store/jars.h"

enum { WAIT_MS = 20000 };

/* A frontier, with the last news of the cookies of shop.test: "a=1 b!", or "-" if they are not needed any more. */
typedef struct side {
    crawl_frontier *frontier;
    pthread_mutex_t lock;
    char told[100];
} side;

static side a, b;

/* For "http://www.shop.test" the site is the last two labels. */
static crawl_err cookie_host(void *, crawl_slice origin, char host[CRAWL_SHARED_HOST_MAX + 1], crawl_slice *site)
{
    size_t size = origin.size - strlen("http://");
    memcpy(host, origin.data + strlen("http://"), size);
    host[size] = '\0';
    char *at = memrchr(host, '.', size);
    at = memrchr(host, '.', (size_t)(at - host));
    *site = crawl_slice_from(at ? at + 1 : host);
    return CRAWL_OK;
}

static void on_cookies(void *user, crawl_slice host, const crawl_shared_cookie *cookies, size_t count, int64_t as_of_ms)
{
    side *told = user;
    size_t used = 0;
    if (!crawl_slice_equal(host, crawl_slice_from("shop.test")))
        return;
    pthread_mutex_lock(&told->lock);
    snprintf(told->told, sizeof told->told, "%s", as_of_ms == INT64_MAX ? "-" : "");
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(told->told + used, sizeof told->told - used, "%s%.*s%s%.*s", i ? " " : "",
                                 (int)cookies[i].id.size, cookies[i].id.data,
                                 cookies[i].flags & CRAWL_SHARED_COOKIE_DELETED ? "!" : "=", (int)cookies[i].value.size,
                                 cookies[i].value.data);
    pthread_mutex_unlock(&told->lock);
}

static bool was_told(side *of, const char *what)
{
    pthread_mutex_lock(&of->lock);
    bool was = strcmp(of->told, what) == 0;
    pthread_mutex_unlock(&of->lock);
    return was;
}

static void wait_until_told(side *of, const char *what)
{
    for (int64_t end = now() + WAIT_MS; now() < end && !was_told(of, what);)
        wait_a_moment();
    cr_assert(was_told(of, what), "%s, not %s", of->told, what);
}

static void join_as_side(side *of, int64_t lease_ms)
{
    pthread_mutex_init(&of->lock, NULL);
    scene.options.confirm_start = false;
    scene.shared.lease_ms = lease_ms;
    scene.shared.cookie_host = cookie_host;
    scene.shared.on_cookies = on_cookies;
    scene.shared.max_cookies = 1u << 28;
    scene.shared.user = of;
    of->frontier = join();
}

static void leave(side *of)
{
    crawl_error error = {0};
    if (of->frontier)
        cr_expect_eq(crawl_frontier_close(of->frontier, &error), CRAWL_OK, "%s", error.message);
    of->frontier = NULL;
}

static void fini(void)
{
    leave(&a);
    leave(&b);
    (void)expect_sound_store();
    close_scene();
}

TestSuite(shared_cookies, .init = open_scene, .fini = fini);

/* Waits for a lease. Returns its id. */
static uint64_t pop(side *of)
{
    crawl_lease lease;
    wait_for(of->frontier, CRAWL_OK, &lease);
    return lease.id;
}

static void end(side *of, uint64_t lease)
{
    cr_assert_eq(crawl_frontier_done(of->frontier, lease, CRAWL_DONE_FINISHED, 0, now()), CRAWL_OK);
}

/* Sets a cookie of shop.test; without a value it is deleted. */
static crawl_err set_as(side *of, const char *origin, int64_t asked_us, const char *id, const char *value, bool known)
{
    crawl_shared_cookie cookie = {.site = crawl_slice_from("shop.test"),
                                  .host = crawl_slice_from("shop.test"),
                                  .id = crawl_slice_from(id),
                                  .value = crawl_slice_from(value),
                                  .flags = *value ? 0 : CRAWL_SHARED_COOKIE_DELETED};
    crawl_err err = crawl_frontier_shared_cookie(of->frontier, crawl_slice_from(origin), asked_us, &cookie, known);
    cr_expect(err || cookie.set_ms > 1600000000000, "it has the server's time");
    return err;
}

static crawl_err set(side *of, const char *origin, const char *id, const char *value)
{
    return set_as(of, origin, 0, id, value, false);
}

/* The page that sets the cookie ends, and the next process with a host of the site knows the cookie before it has a
 * lease. */
Test(shared_cookies, are_known_before_the_host_is_leased)
{
    join_as_side(&a, 30000);
    push(a.frontier, "http://login.shop.test/", false);
    uint64_t lease = pop(&a);
    cr_expect_eq(set(&a, "http://login.shop.test", "a", "1"), CRAWL_OK);
    end(&a, lease);
    leave(&a);
    join_as_side(&b, 30000);
    push(b.frontier, "http://www.shop.test/", false);
    lease = pop(&b);
    cr_expect(was_told(&b, "a=1"), "%s", b.told);
    end(&b, lease);
    wait_until_told(&b, "-");
}

Test(shared_cookies, are_told_to_who_has_a_host_of_the_site)
{
    join_as_side(&a, 30000);
    join_as_side(&b, 30000);
    push(a.frontier, "http://login.shop.test/", false);
    uint64_t login = pop(&a);
    push(b.frontier, "http://www.shop.test/", false);
    uint64_t www = pop(&b);
    cr_expect_eq(set(&a, "http://login.shop.test", "a", "1"), CRAWL_OK);
    wait_until_told(&b, "a=1");
    cr_expect_eq(set(&b, "http://www.shop.test", "a", "2"), CRAWL_OK);
    wait_until_told(&a, "a=2");
    cr_expect_eq(set(&a, "http://login.shop.test", "a", ""), CRAWL_OK);
    wait_until_told(&b, "a!");
    cr_expect_eq(set(&b, "http://www.shop.test", "b", "3"), CRAWL_OK);
    wait_until_told(&a, "a! b=3");
    end(&a, login);
    end(&b, www);
}

Test(shared_cookies, count_for_nothing_where_the_host_is_not_had)
{
    join_as_side(&a, 30000);
    cr_expect_eq(set(&a, "http://login.shop.test", "a", "1"), CRAWL_REFUSED);
    push(a.frontier, "http://login.shop.test/", false);
    int64_t before_us = cw_clock_us(CLOCK_BOOTTIME);
    uint64_t lease = pop(&a);
    cr_expect_eq(set_as(&a, "http://login.shop.test", before_us, "a", "1", false), CRAWL_REFUSED,
                 "its request left in an earlier session");
    cr_expect_eq(set_as(&a, "http://login.shop.test", cw_clock_us(CLOCK_BOOTTIME), "a", "2", false), CRAWL_OK);
    cr_expect_eq(set(&a, "", "b", "3"), CRAWL_OK, "nobody's answer");
    wait_until_told(&a, "a=2 b=3");
    end(&a, lease);
    crawl_shared_cookie bad = {.host = crawl_slice_from("shop.test"), .site = crawl_slice_from("shop.test")};
    cr_expect_eq(crawl_frontier_shared_cookie(a.frontier, (crawl_slice){0}, 0, &bad, false), CRAWL_EINVAL);
}

/* Redis stalls, so that the lease expires: cookies that responses set from then on are refused. */
Test(shared_cookies, count_for_nothing_when_the_time_is_over)
{
    join_as_side(&a, SHORT_LEASE_MS);
    push(a.frontier, "http://login.shop.test/", false);
    uint64_t lease = pop(&a);
    kill(scene.server.process, SIGSTOP);
    crawl_err err = CRAWL_OK;
    for (int64_t until = now() + WAIT_MS; now() < until && err != CRAWL_REFUSED;) {
        err = set(&a, "http://login.shop.test", "a", "1");
        wait_a_moment();
    }
    kill(scene.server.process, SIGCONT);
    cr_expect_eq(err, CRAWL_REFUSED);
    end(&a, lease);
}

/* ---- without a server ---- */

typedef struct alone {
    crawl_frontier frontier;
    cw_joint_jars jars;
    cw_joint joint;
    cw_joint_jar *jar; /* of shop.test */
} alone;

static void open_alone(alone *of)
{
    crawl_slice host = crawl_slice_from("shop.test");
    *of = (alone){.frontier = {.lock = PTHREAD_MUTEX_INITIALIZER}, .jars = {.map = cw_map_create(1)}};
    of->joint = (cw_joint){.frontier = &of->frontier, .jars = &of->jars, .order.epoch = 6};
    of->jar = cw_joint_jar_get(&of->joint, host, host);
    cr_assert_not_null(of->jar);
}

static void close_alone(alone *of)
{
    cw_joint_cookies_free_list(of->jar->changes);
    cw_map_free_values(of->jars.map);
}

static crawl_shared_cookie cookie(const char *id, const char *value, int64_t set_ms)
{
    crawl_slice host = crawl_slice_from("shop.test");
    return (crawl_shared_cookie){.site = host,
                                 .host = host,
                                 .id = crawl_slice_from(id),
                                 .value = crawl_slice_from(value),
                                 .set_ms = set_ms,
                                 .flags = *value ? 0 : CRAWL_SHARED_COOKIE_DELETED};
}

/* For Redis, a page is done when the cookies that it has set are stored, even one that was set anew meanwhile. */
Test(shared_cookies_alone, are_there_before_the_end_of_their_page_is)
{
    alone of;
    open_alone(&of);
    const crawl_shared_cookie one = cookie("a", "1", 1);
    cw_joint_pushed(&of.joint, 5);
    cr_expect_eq(of.joint.order.acknowledged, 5);
    cr_assert_eq(cw_joint_jar_change(of.jar, &one), CRAWL_OK);
    of.joint.order.epoch = 8;
    cr_assert_eq(cw_joint_jar_change(of.jar, &one), CRAWL_OK);
    cw_joint_pushed(&of.joint, 7);
    cr_expect_eq(of.joint.order.acknowledged, 5);
    of.jar->changes->is_out = true;
    cw_joint_jar_told(of.jar, false);
    cw_joint_pushed(&of.joint, 7);
    cr_expect_eq(of.joint.order.acknowledged, 5, "it was not told");
    of.jar->changes->is_out = true;
    cw_joint_jar_told(of.jar, true);
    cw_joint_pushed(&of.joint, 7);
    cr_expect_eq(of.joint.order.acknowledged, 7);
    cr_expect_eq(of.jars.bytes, 0);
    close_alone(&of);
}

/* Merges this one cookie of the host from Redis, and expects the result: "a=1 b!". */
static void expect_merged(alone *of, const crawl_shared_cookie *said, const char *what)
{
    const cw_shared_jar jar = {.host = said->host, .version = 1, .cookies = said, .count = 1};
    crawl_shared_cookie *cookies;
    cw_joint_cookie *copies;
    crawl_buf text = {0};
    size_t count;
    cr_assert_eq(cw_joint_jar_merge(of->jar, &jar, &cookies, &count, &copies), CRAWL_OK);
    for (size_t i = 0; i < count; i++)
        crawl_buf_printf(&text, "%s%.*s%s%.*s", i ? " " : "", (int)cookies[i].id.size, cookies[i].id.data,
                         cookies[i].flags & CRAWL_SHARED_COOKIE_DELETED ? "!" : "=", (int)cookies[i].value.size,
                         cookies[i].value.size ? cookies[i].value.data : "");
    cr_expect_str_eq(text.data, what);
    crawl_buf_free(&text);
    free(cookies);
    cw_joint_cookies_free_list(copies);
}

Test(shared_cookies_alone, what_is_to_be_told_goes_before_what_is_older)
{
    alone of;
    open_alone(&of);
    crawl_shared_cookie theirs = cookie("a", "theirs", 10);
    const crawl_shared_cookie ours[] = {cookie("a", "ours", 10), cookie("b", "", 10)};
    cr_assert_eq(cw_joint_jar_change(of.jar, &ours[0]), CRAWL_OK);
    cr_assert_eq(cw_joint_jar_change(of.jar, &ours[1]), CRAWL_OK);
    expect_merged(&of, &theirs, "a=ours b!");
    theirs.set_ms = 11;
    expect_merged(&of, &theirs, "a=theirs b!");
    close_alone(&of);
}

/* A server deletes an absent cookie with each response, which is not reported; but another process had received it
 * before. */
Test(shared_cookies_alone, what_was_deleted_before_it_was_known_is_deleted)
{
    alone of;
    open_alone(&of);
    const crawl_shared_cookie gone = cookie("a", "", 10);
    crawl_shared_cookie theirs = cookie("a", "1", 10);
    cw_joint_jar_gone(of.jar, &gone);
    cw_joint_jar_gone(of.jar, &gone);
    cr_expect_null(of.jar->changes);
    expect_merged(&of, &theirs, "a=1");
    cr_expect_null(of.jar->changes, "it was set then or later");
    theirs.set_ms = 9;
    expect_merged(&of, &theirs, "a!");
    cr_assert_not_null(of.jar->changes);
    cr_expect_eq(of.jar->changes->cookie.set_ms, 10);
    close_alone(&of);
}
