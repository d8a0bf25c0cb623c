/* The words of the command line, `crawl url`, `crawl links`, ...: tools over the library, made for pipes and for
 * tests. */
#pragma once

#include "tools/common/status.h"
#include <crawl/base.h>

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
extern const char cw_command_inspect_help[];

/* If what was read from path is a PDF, puts the page that crawl-pdf makes of it in its place. An exit status: of one
 * that cannot be read after a message. */
int cw_command_read_pdf(const char *tool, const char *path, crawl_buf *bytes);

/* `crawl help --complete WORD...`: the words that may come next on a command line, for the shells' completion
 * (packaging/completions/). They come from the help texts and the schema, so that no shell has a list of its own. */

/* typed: the words after "crawl"; the last is being typed and may be empty; bash gives the "=" of "--name=value" as a
 * word of its own. Prints a candidate per line, followed by a tab and a few words about it if there are any; or
 * ":files" or ":folders" if the shell is to offer those. Returns the exit status. */
int cw_command_complete(int count, char **typed);

/* Does a help text name this option, written with its two dashes? */
bool cw_command_help_names(const char *help, const char *option);

/* `crawl help --man PAGE`: the manual pages, for those who package the program; cmake/package.cmake calls it. */

/* Prints a page: "crawl", "crawl-WORD" or "crawler.conf". The exit status. */
int cw_command_man(const char *name);
