/* The gate and the connections of a worker: the share of new hosts, and that of slow ones. */
#include "tests/unit/engine/host/pacer_help.h"

TestSuite(pacer_share, .fini = teardown);

static void answer(const char *origin, int status, int64_t took_us)
{
    cw_host_pass pass;
    now_us += 1000 * 1000 * 1000;
    cr_assert_eq(cw_host_pacer_admit(pacer, host(origin), NULL, &pass), CW_ADMIT_GO);
    cr_assert_eq(cw_host_pacer_start(pacer, host(origin), IP, &pass), CRAWL_OK);
    now_us += took_us;
    end(host(origin), status, -1, &pass);
}

static bool has_share(const char *origin, uint32_t share, bool has_room)
{
    cw_host_pass pass;
    const cw_host_claim claim = {.share = share, .connections = 1, .has_room = has_room};
    (void)cw_host_pacer_admit(pacer, host(origin), &claim, &pass);
    cw_host_pacer_unasked(pacer, host(origin), &pass);
    return !pass.no_share;
}

Test(pacer_share, a_new_host_has_its_even_share_of_the_connections)
{
    create(false);
    cw_host_pass pass;
    cr_expect(has_share("http://a", 1, false));
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect_not(has_share("http://a", 1, true));
    cr_expect(has_share("http://a", 2, false));
    cw_host_pacer_unasked(pacer, A, &pass);
    cr_expect(has_share("http://a", 1, true));
    cw_host_pacer_unasked(pacer, A, &pass);
    cr_expect(has_share("http://a", 1, true), "counted once");
    answer("http://a", 200, MS);
    answer("http://a", 200, MS);
    now_us += 1000 * 1000 * 1000;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect(has_share("http://a", 1, false), "it has answered, and is not new any more");
    end(A, 200, -1, &pass);
}

Test(pacer_share, a_slow_host_has_its_share_of_what_slow_hosts_have)
{
    create(false);
    answer("http://a", 200, MS);
    answer("http://a", 200, 999 * MS);
    cr_expect(has_share("http://a", 1, false));
    answer("http://a", 200, 1000 * MS);
    cr_expect_not(has_share("http://a", 1, false));
    cr_expect(has_share("http://a", 1, true));
    answer("http://a", 200, MS);
    cr_expect(has_share("http://a", 1, false), "one answer in time");
    cw_host_pacer_slow(pacer, A);
    cr_expect_not(has_share("http://a", 1, false));
    cw_host_pass pass;
    now_us += 1000 * 1000 * 1000;
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_GO);
    cr_expect(pass.slow);
    crawl_response cancelled = {.size = sizeof cancelled, .error = CRAWL_FETCH_CANCELLED, .error_text = "", .ip = ""};
    cw_host_pacer_done(pacer, A, &cancelled, -1, &(cw_host_quota){0}, &pass);
    cr_expect_not(has_share("http://a", 1, false), "one that went back says nothing");
    cr_expect(has_share("http://a", 1, true));
}

Test(pacer_share, a_host_that_is_given_up_needs_no_share)
{
    create(false);
    cw_host_pass pass;
    for (int i = 0; i < 10; i++)
        answer("http://a", 0, 2000 * MS);
    cr_expect(has_share("http://a", 1, false));
    cr_expect_eq(cw_host_pacer_admit(pacer, A, NULL, &pass), CW_ADMIT_REFUSE);
}

Test(pacer_share, a_host_without_a_share_is_looked_at_less_and_less)
{
    create(false);
    cw_host_pass pass;
    const cw_host_claim none = {.share = 1, .connections = 64};
    int64_t waits[7];
    answer("http://a", 200, 2000 * MS);
    for (int i = 0; i < 7; i++) {
        cr_expect_eq(cw_host_pacer_admit(pacer, A, &none, &pass), CW_ADMIT_WAIT);
        cr_expect(pass.no_share);
        waits[i] = pass.wait_us / MS;
    }
    cr_expect_arr_eq(waits, ((int64_t[]){250, 500, 1000, 2000, 4000, 8000, 8000}), sizeof waits);
    cr_expect(has_share("http://a", 1, true));
    cr_expect_eq(cw_host_pacer_admit(pacer, A, &none, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 250 * MS);
}

Test(pacer_share, many_hosts_without_a_share_are_looked_at_in_turn)
{
    enum { HOSTS = 400, APART_MS = 50 };
    const cw_host_claim none = {.share = 1, .connections = 5};
    cw_host_pass pass;
    char origin[32];
    create(false);
    for (int i = 0; i < HOSTS; i++) {
        snprintf(origin, sizeof origin, "http://h%d", i);
        answer(origin, 200, 2000 * MS);
    }
    for (int i = 0; i < HOSTS; i++) {
        snprintf(origin, sizeof origin, "http://h%d", i);
        cr_expect_eq(cw_host_pacer_admit(pacer, host(origin), &none, &pass), CW_ADMIT_WAIT);
        cr_expect_eq(pass.wait_us, (i < 5 ? 250 : i * APART_MS) * MS);
    }
    now_us += HOSTS * APART_MS * MS;
    cr_expect_eq(cw_host_pacer_admit(pacer, host("http://h0"), &none, &pass), CW_ADMIT_WAIT);
    cr_expect_eq(pass.wait_us, 500 * MS, "nobody is before it any more");
}
