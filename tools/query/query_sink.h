/* `crawl query --sink`: keeps what a crawl sends to a process (docs/sinks.md) in a database of results. */
#pragma once

/* Reads standard input to its end, and acknowledges lines once committed; "op":"end" makes what views need. Returns the
 * exit status, after a message. */
int cw_query_sink(const char *path);
