/* `crawl query --sink`: keeps what a crawl tells a process (docs/sinks.md) in a database of results. */
#pragma once

/* Reads standard input to its end, and acknowledges lines when they are committed; "op":"end" makes what views need.
 * The exit status, after a message. */
int cw_query_sink(const char *path);
