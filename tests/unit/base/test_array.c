/* Arrays that grow by doubling, or to exactly the requested size. */
#include "base/array.h"

#include <criterion/criterion.h>
#include <stdlib.h>

typedef struct element {
    uint32_t number;
    char name[20];
} element;

Test(array, grows_by_doubling_and_keeps_its_elements)
{
    element *all = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 1000; count++) {
        size_t before = capacity;
        cr_assert(!CW_ARRAY_RESERVE(all, capacity, count + 1, 3));
        cr_expect_eq(capacity, count < 3 ? 3 : count < before ? before : 2 * before);
        all[count] = (element){.number = (uint32_t)count};
    }
    for (size_t i = 0; i < 1000; i++)
        cr_expect_eq(all[i].number, i);
    free(all);
}

Test(array, makes_room_for_many_at_once)
{
    element *all = NULL;
    size_t capacity = 0;
    cr_assert(!CW_ARRAY_RESERVE(all, capacity, 100, 16));
    cr_expect_eq(capacity, 128);
    element *same = all;
    cr_assert(!CW_ARRAY_RESERVE(all, capacity, 128, 16));
    cr_expect(all == same && capacity == 128);
    free(all);
}

Test(array, has_exactly_the_size_that_is_asked_for)
{
    element *all = NULL;
    cr_assert(!CW_ARRAY_RESIZE(all, 1));
    all[0].number = 7;
    cr_assert(!CW_ARRAY_RESIZE(all, 2));
    cr_expect_eq(all[0].number, 7);
    all[1].number = 8;
    free(all);
    all = NULL;
    cr_expect(!CW_ARRAY_RESIZE(all, 0), "an empty one is no lack of memory");
    free(all);
}

Test(array, that_no_memory_can_hold_stays_as_it_was)
{
    element *all = NULL;
    size_t capacity = 0;
    cr_assert(!CW_ARRAY_RESERVE(all, capacity, 1, 4));
    all[0].number = 7;
    const element *same = all;
    const size_t too_many[] = {PTRDIFF_MAX / sizeof(element) + 1, SIZE_MAX / sizeof(element) + 1, SIZE_MAX / 2 + 1,
                               SIZE_MAX};
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        cr_expect_eq(CW_ARRAY_RESIZE(all, too_many[i]), CRAWL_ENOMEM);
        cr_expect_eq(CW_ARRAY_RESERVE(all, capacity, too_many[i], 4), CRAWL_ENOMEM);
        cr_expect(all == same && capacity == 4 && all[0].number == 7);
    }
    free(all);
}
