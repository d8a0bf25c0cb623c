/* Tests that each extractor has to pass. */
#pragma once

#include <crawl/links.h>

/* EACH(name) { ... } is a test in the suites scan and libxml2, with its extractor as the argument. */
#define EACH(name)                            \
    static void each_##name(crawl_extractor); \
    Test(scan, name)                          \
    {                                         \
        each_##name(CRAWL_EXTRACTOR_SCAN);    \
    }                                         \
    Test(libxml2, name)                       \
    {                                         \
        each_##name(CRAWL_EXTRACTOR_LIBXML2); \
    }                                         \
    static void each_##name(crawl_extractor extractor)
