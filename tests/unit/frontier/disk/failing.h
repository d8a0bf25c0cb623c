/* Makes one allocation fail, chosen by its number, in whichever thread. Defines no macro: the file that includes this
 * decides which allocations count. */
#pragma once

#include <crawl/base.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic unsigned long allocations;
static _Atomic unsigned long failing; /* number of the failing one; 0: none */

static int fails(void)
{
    return ++allocations == failing;
}

static void *failing_malloc(size_t size)
{
    return fails() ? NULL : malloc(size);
}

static void *failing_calloc(size_t count, size_t size)
{
    return fails() ? NULL : calloc(count, size);
}

static void *failing_realloc(void *block, size_t size)
{
    return fails() ? NULL : realloc(block, size);
}

static void *failing_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : aligned_alloc(alignment, size);
}

static unsigned long refusals; /* calls that returned CRAWL_ENOMEM */

static bool refused(crawl_err err)
{
    refusals += err == CRAWL_ENOMEM;
    return err == CRAWL_ENOMEM;
}
