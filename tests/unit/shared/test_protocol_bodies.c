/* Tests that one of the pages with the same body is the first, whichever worker asks, and that all others are told. */
#include "tests/unit/shared/protocol_help.h"

TestSuite(shared_bodies, .init = open_pair, .fini = close_sound_pair);

typedef struct told {
    struct event_base *base;
    unsigned owed;
    char first[64];
} told;

static void on_told(void *user, crawl_redis_fault fault, const char *words, crawl_slice first)
{
    told *t = user;
    cr_assert_eq(fault, CRAWL_REDIS_OK, "%s", words);
    snprintf(t->first, sizeof t->first, "%.*s", (int)first.size, first.data);
    if (--t->owed == 0)
        event_base_loopbreak(t->base);
}

static void ask(worker *w, const char *body, crawl_slice url, uint64_t most, told *t)
{
    uint8_t digest[CW_SHARED_PRINT];
    print_of(body, digest);
    t->base = w->base;
    t->owed++;
    cr_assert_eq(cw_shared_ask_body(w->shared, digest, url, most, on_told, t), CRAWL_OK);
}

/* Returns the URL at which the body came before; "": none. */
static const char *first_of(worker *w, const char *body, const char *url, uint64_t most)
{
    static told t;
    t = (told){0};
    ask(w, body, crawl_slice_from(url), most, &t);
    event_base_dispatch(w->base);
    return t.first;
}

enum { MANY = 1000000 };

Test(shared_bodies, one_page_is_the_first)
{
    told said[2] = {{0}};
    cr_expect_str_eq(first_of(&pair.a, "body", "http://a/1", MANY), "");
    cr_expect_str_eq(first_of(&pair.a, "body", "http://a/1", MANY), "", "it asks again");
    cr_expect_str_eq(first_of(&pair.a, "body", "http://a/2", MANY), "http://a/1");
    cr_expect_str_eq(first_of(&pair.b, "body", "http://b/1", MANY), "http://a/1");
    cr_expect_str_eq(first_of(&pair.b, "another", "http://b/1", MANY), "");
    cr_expect_str_eq(first_of(&pair.a, "another", "http://a/1", MANY), "http://b/1");
    ask(&pair.a, "third", crawl_slice_from("http://a/3"), MANY, &said[0]); /* both at once */
    ask(&pair.b, "third", crawl_slice_from("http://b/3"), MANY, &said[1]);
    while (said[0].owed || said[1].owed) /* either answer ends a turn of the loop, whichever comes first */
        event_base_dispatch(pair.base);
    cr_expect_eq(!*said[0].first + !*said[1].first, 1, "%s, %s", said[0].first, said[1].first);
}

/* A body for which there is no room, or whose URL is too long, has no first page. */
Test(shared_bodies, so_many_are_kept_and_no_more)
{
    enum { BODIES = 3000, MOST = 1000 };
    static char far[CW_SHARED_BODY_URL_MAX + 1];
    told t = {0};
    unsigned kept = 0;
    for (unsigned i = 0; i < BODIES; i++) {
        char body[20];
        snprintf(body, sizeof body, "body %u", i);
        ask(&pair.a, body, crawl_slice_from("http://a/"), MOST, &t);
    }
    event_base_dispatch(pair.base);
    for (unsigned i = 0; i < BODIES; i++) {
        char body[20];
        snprintf(body, sizeof body, "body %u", i);
        const char *first = first_of(&pair.a, body, "http://b/", 0);
        kept += *first != '\0';
        cr_assert(!*first || strcmp(first, "http://a/") == 0);
    }
    cr_expect(kept > MOST / 2 && kept <= MOST + CW_SHARED_PARTITIONS, "%u", kept);
    memset(far, 'x', sizeof far);
    t = (told){0};
    ask(&pair.a, "far", crawl_slice_of(far, sizeof far), MANY, &t);
    event_base_dispatch(pair.base);
    cr_expect_str_eq(first_of(&pair.a, "far", "http://c/", MANY), "");
    cr_expect_str_eq(first_of(&pair.a, "far", "http://d/", MANY), "http://c/");
}
