/* Which libraries pages and URLs are read with. */
#include <crawl/links.h>

#include <libxml/globals.h>
#include <stdlib.h>
#include <unistring/version.h>

/* "20914" and what a packager put behind it, for 2.9.14. */
static crawl_err add_libxml2(crawl_buf *out)
{
    unsigned long version = strtoul(xmlParserVersion, NULL, 10);
    return crawl_buf_printf(out, "libxml2 %lu.%lu.%lu\n", version / 10000, version / 100 % 100, version % 100);
}

crawl_err crawl_page_libraries(crawl_buf *out)
{
    crawl_err err = add_libxml2(out);
    unsigned version = (unsigned)_libunistring_version;
    return err ? err
               : crawl_buf_printf(out, "libunistring %u.%u.%u\n", version >> 16, version >> 8 & 0xff, version & 0xff);
}
