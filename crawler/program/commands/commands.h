/* The words of the command line, `crawl url`, `crawl links`, ...: tools over the library, made for pipes and for
 * tests. */
#ifndef CW_COMMANDS_H
#define CW_COMMANDS_H

#include "tools/common/status.h"

/* argv[0] is the word. Each tool reads standard input when no file is named, writes standard output, flushes it after
 * each line, writes everything meant for a person on standard error by cw_tool_say, and returns the exit status. main()
 * tells of a standard output that has failed (output.h). */
int cw_command_url(int argc, char **argv);
int cw_command_links(int argc, char **argv);
int cw_command_extract(int argc, char **argv);
int cw_command_text(int argc, char **argv);
int cw_command_render(int argc, char **argv);
int cw_command_robots(int argc, char **argv);
int cw_command_sitemap(int argc, char **argv);
int cw_command_seen(int argc, char **argv);
int cw_command_explain(int argc, char **argv);
int cw_command_warc(int argc, char **argv);
int cw_command_inspect(int argc, char **argv);

/* The texts that `crawl help WORD` prints. */
extern const char cw_command_url_help[];
extern const char cw_command_links_help[];
extern const char cw_command_extract_help[];
extern const char cw_command_text_help[];
extern const char cw_command_render_help[];
extern const char cw_command_robots_help[];
extern const char cw_command_sitemap_help[];
extern const char cw_command_seen_help[];
extern const char cw_command_explain_help[];
extern const char cw_command_warc_help[];
extern const char cw_command_inspect_help[];

#endif
