/* The words of the command line, `crawl url`, `crawl links`, ...: tools over the library, made for pipes and for
 * tests. */
#ifndef CW_TOOLS_H
#define CW_TOOLS_H

#include <crawl/base.h>

/* Exit statuses of the program. */
enum {
    CW_EXIT_OK = 0,
    CW_EXIT_NOTHING = 1, /* no page came with status 2xx; a tool: some input was refused */
    CW_EXIT_USAGE = 2,   /* usage or configuration */
    CW_EXIT_STOPPED = 3, /* a signal has stopped it */
    CW_EXIT_LOCAL = 4,   /* the disk or the memory of this machine has failed */
    CW_EXIT_FOUND = 5,   /* `crawl report --fail-on` found what it was to look for */
    CW_EXIT_IN_USE = 6   /* another process has the crawl or the copy */
};

/* The exit status for an error that ends a tool: CRAWL_EINVAL is what the user asked for, and cannot be had. */
static inline int cw_tool_status(crawl_err err)
{
    return err == CRAWL_OK ? CW_EXIT_OK : err == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
}

/* argv[0] is the word. Each tool reads standard input when no file is named, writes standard output, flushes it after
 * each line, writes everything meant for a person on standard error by cw_tool_say, and returns the exit status. main()
 * tells of a standard output that has failed (output.h). */
int cw_tool_url(int argc, char **argv);
int cw_tool_links(int argc, char **argv);
int cw_tool_extract(int argc, char **argv);
int cw_tool_text(int argc, char **argv);
int cw_tool_robots(int argc, char **argv);
int cw_tool_sitemap(int argc, char **argv);
int cw_tool_seen(int argc, char **argv);
int cw_tool_explain(int argc, char **argv);
int cw_tool_list(int argc, char **argv);
int cw_tool_report(int argc, char **argv);
int cw_tool_audit(int argc, char **argv);
int cw_tool_warc(int argc, char **argv);
int cw_tool_inspect(int argc, char **argv);
int cw_tool_serve(int argc, char **argv);

/* The texts that `crawl help WORD` prints. */
extern const char cw_tool_url_help[];
extern const char cw_tool_links_help[];
extern const char cw_tool_extract_help[];
extern const char cw_tool_text_help[];
extern const char cw_tool_robots_help[];
extern const char cw_tool_sitemap_help[];
extern const char cw_tool_seen_help[];
extern const char cw_tool_explain_help[];
extern const char cw_tool_list_help[];
extern const char cw_tool_report_help[];
extern const char cw_tool_audit_help[];
extern const char cw_tool_warc_help[];
extern const char cw_tool_inspect_help[];
extern const char cw_tool_serve_help[];

#endif
