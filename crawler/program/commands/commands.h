/* The words of the command line, `crawl url`, `crawl links`, ...: tools that use the library, made for pipes and
 * tests. */
#pragma once

#include "tools/common/status.h"
#include <crawl/base.h>

/* argv[0] is the word. Each tool reads standard input if no file is named, writes standard output and flushes it after
 * each line, writes messages on standard error by cw_tool_say, and returns the exit status. main() reports a failed
 * standard output (output.h). */
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

/* The texts of `crawl help WORD`. */
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

/* If bytes, read from path, are a PDF, replaces them by the page that crawl-pdf makes of it. Returns an exit status,
 * after a message on failure. */
int cw_command_read_pdf(const char *tool, const char *path, crawl_buf *bytes);

/* `crawl help --complete WORD...`: the words that may come next on a command line, for shell completion
 * (packaging/completions/). They come from the help texts and the schema, so that no shell needs its own list. */

/* Prints the candidates for the last of the typed words, one per line, each followed by a tab and a few words about it
 * if there are any; or ":files" or ":folders" if the shell should offer those. typed: the words after "crawl"; the last
 * may be empty; bash passes the "=" of "--name=value" as a separate word. Returns the exit status. */
int cw_command_complete(int count, char **typed);

/* Returns true if a help text names this option, written with its two dashes. */
bool cw_command_help_names(const char *help, const char *option);

/* `crawl help --man PAGE`: the manual pages, for packagers. cmake/package.cmake calls it. */

/* Prints a page: "crawl", "crawl-WORD" or "crawler.conf". Returns the exit status. */
int cw_command_man(const char *name);
