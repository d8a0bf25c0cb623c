/* Notes of a frontier in memory behave like those of a durable one, while the frontier exists. */
#include "tests/unit/frontier/help.h"

static void expect(crawl_frontier *f, const char *origin, const char *text)
{
    crawl_buf note = {0};
    crawl_err err = crawl_frontier_note_get(f, crawl_slice_from(origin), &note);
    cr_assert_eq(err, text ? CRAWL_OK : CRAWL_ABSENT, "%s: %s", origin, crawl_strerror(err));
    cr_assert(!text || crawl_slice_equal(crawl_buf_slice(&note), crawl_slice_from(text)), "%s: %s", origin, note.data);
    crawl_buf_free(&note);
    check(f);
}

static void set(crawl_frontier *f, const char *origin, const char *text)
{
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from(origin), crawl_slice_from(text)), CRAWL_OK);
}

Test(notes, are_kept_replaced_and_taken_away)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    expect(f, "http://a", NULL);
    set(f, "http://a", "one");
    set(f, "http://b", "two");
    set(f, "", "all");
    expect(f, "http://a", "one");
    set(f, "http://a", "another");
    expect(f, "http://a", "another");
    expect(f, "http://b", "two");
    expect(f, "", "all");
    set(f, "http://b", "");
    expect(f, "http://b", NULL);
    set(f, "http://b", "");
    cr_assert_eq(stats_of(f, 0).hosts, 0, "a note makes no host known");
    crawl_frontier_free(f);
}

Test(notes, of_what_is_no_origin_or_too_long_are_refused)
{
    crawl_frontier_options options = test_options();
    crawl_buf note = {0};
    crawl_frontier *f = create(&options);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("a"), crawl_slice_from("x")), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("http://a/"), crawl_slice_from("x")), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_note_get(f, crawl_slice_from("http://a/"), &note), CRAWL_EINVAL);
    cr_assert_eq(crawl_frontier_note_set(f, crawl_slice_from("http://a"), crawl_slice_of("", CRAWL_NOTE_MAX + 1)),
                 CRAWL_EINVAL);
    crawl_frontier_free(f);
}

typedef struct found {
    unsigned count;
    char names[100];
    char notes[100];
    unsigned most;
} found;

static bool take(crawl_slice name, crawl_slice note, void *user)
{
    found *f = user;
    strncat(f->names, name.data, name.size);
    strncat(f->notes, note.data, note.size);
    return ++f->count < f->most;
}

Test(notes, of_a_name_of_ones_own_are_found_by_its_beginning)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    found all = {.most = 9}, own = {.most = 9}, one = {.most = 1}, none = {.most = 9};
    set(f, "", "w");
    set(f, "http://a", "x");
    set(f, "#own a/b?c", "y");
    set(f, "#other", "z");
    expect(f, "#own a/b?c", "y");
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("#ow"), take, &own), CRAWL_OK);
    cr_assert_str_eq(own.names, "#own a/b?c");
    cr_assert_str_eq(own.notes, "y");
    cr_assert_eq(crawl_frontier_notes(f, (crawl_slice){0}, take, &all), CRAWL_OK);
    cr_assert_eq(all.count, 4);
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("#"), take, &one), CRAWL_OK);
    cr_assert_eq(one.count, 1, "false ends it");
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("o"), take, &none), CRAWL_OK);
    cr_assert_eq(none.count, 0);
    crawl_frontier_free(f);
}

static bool count_one(crawl_slice, crawl_slice, void *user)
{
    ++*(int *)user;
    return true;
}

/* A frontier in memory does not keep names in order; a durable one does. */
Test(notes, are_walked_over_in_steps)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    const crawl_slice prefix = crawl_slice_from("#b");
    found first = {.most = 2}, rest = {.most = 9}, none = {.most = 9};
    set(f, "#a", "1");
    set(f, "#b", "2");
    set(f, "#b1", "3");
    set(f, "#b1x", "4");
    set(f, "#b2", "5");
    set(f, "#c", "6");
#ifdef DURABLE
    cr_assert_eq(crawl_frontier_notes_after(f, prefix, (crawl_slice){0}, take, &first), CRAWL_OK);
    cr_assert_str_eq(first.names, "#b#b1");
    set(f, "#b1", ""); /* the name at which the step ended was removed */
    cr_assert_eq(crawl_frontier_notes_after(f, prefix, crawl_slice_from("#b1"), take, &rest), CRAWL_OK);
    cr_assert_str_eq(rest.names, "#b1x#b2");
    cr_assert_eq(crawl_frontier_notes_after(f, prefix, crawl_slice_from("#b2"), take, &none), CRAWL_OK);
    cr_assert_eq(none.count, 0);
#else
    (void)rest;
    (void)none;
    cr_assert_eq(crawl_frontier_notes_after(f, prefix, crawl_slice_from("#b1"), take, &first), CRAWL_ESTATE);
#endif
    crawl_frontier_free(f);
}

Test(notes, many_are_set_at_once_and_of_one_name_the_last_counts)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    crawl_note notes[64];
    char names[64][8];
    int count = 0;
    set(f, "#b", "before");
    for (int i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], "#a%02d", i * 37 % 60);
        notes[i] = (crawl_note){crawl_slice_from(names[i]), crawl_slice_from("x")};
    }
    notes[60] = (crawl_note){crawl_slice_from("#c"), crawl_slice_from("1")};
    notes[61] = (crawl_note){crawl_slice_from("#a59"), crawl_slice_from("")};
    notes[62] = (crawl_note){crawl_slice_from("#c"), crawl_slice_from("2")};
    notes[63] = (crawl_note){crawl_slice_from("#b"), crawl_slice_from("")};
    cr_assert_eq(crawl_frontier_notes_set(f, notes, 64), CRAWL_OK);
    cr_assert_eq(crawl_frontier_notes_set(f, NULL, 0), CRAWL_OK);
    cr_assert_eq(crawl_frontier_notes(f, crawl_slice_from("#a"), count_one, &count), CRAWL_OK);
    cr_expect_eq(count, 59);
    expect(f, "#c", "2");
    expect(f, "#b", NULL);
    crawl_frontier_free(f);
}

Test(notes, one_that_is_refused_keeps_all_out)
{
    crawl_frontier_options options = test_options();
    crawl_frontier *f = create(&options);
    const crawl_note notes[] = {{crawl_slice_from("#a"), crawl_slice_from("x")},
                                {crawl_slice_from("no name"), crawl_slice_from("x")}};
    cr_assert_eq(crawl_frontier_notes_set(f, notes, 2), CRAWL_EINVAL);
    expect(f, "#a", NULL);
    crawl_frontier_free(f);
}
