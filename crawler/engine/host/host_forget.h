/* Hosts of a crawl that processes share: what this one knows of a host is forgotten when it has the host no more, and
 * found in the host's note with its next session. Otherwise a process would grow with each host that it ever had.
 *
 * What no note has is not forgotten: the record of a host that whoever runs the crawl has blocked or given a delay
 * stays; so does one whose robots.txt is being asked for. */
#ifndef CW_FORGET_H
#define CW_FORGET_H

#include <crawl/engine.h>

/* Lets records of hosts go away. To be called before the first record is made. */
void cw_host_forget_open(crawl_engine *engine);
/* Called as crawl_shared_options.on_leave: this process does not have the host any more. */
void cw_host_forget(crawl_engine *engine, crawl_slice origin);

#endif
