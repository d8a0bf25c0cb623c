/* See version.h. Each folder names its own libraries. */
#include "crawler/program/commands/version.h"

#include <crawl/fetch.h>
#include <crawl/frontier.h>
#include <crawl/links.h>
#include <crawl/url.h>

#include <jansson.h>
#include <libpsl.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

static crawl_err add_program_libraries(crawl_buf *out)
{
    char pcre2[64] = ""; /* as much as PCRE2 asks for, and more: "10.42 2022-12-11" */
    pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
    crawl_err err = crawl_buf_printf(out, "PCRE2 %s\n", pcre2);
    if (!err)
        err = crawl_buf_printf(out, "libpsl %s\n", psl_get_version());
    return err ? err : crawl_buf_printf(out, "jansson %s\n", jansson_version_str());
}

crawl_err cw_command_version_print(FILE *out)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "crawl %s\n", crawl_version());
    if (!err)
        err = crawl_fetch_libraries(&text);
    if (!err)
        err = crawl_page_libraries(&text);
    if (!err)
        err = crawl_buf_printf(&text, "Unicode %s\n", crawl_unicode_version()); /* of the names of hosts; a table of
                                                                                   ours */
    if (!err)
        err = crawl_frontier_libraries(&text);
    if (!err)
        err = add_program_libraries(&text);
    if (!err)
        fwrite(text.data, 1, text.size, out);
    crawl_buf_free(&text);
    return err;
}
