/* Ports that browsers do not ask. */
#ifndef CW_BAD_PORT_H
#define CW_BAD_PORT_H

#include <stdbool.h>

/* Is it one of the bad ports of the Fetch standard (2.9, "Port blocking")? A server of another protocol than HTTP
 * listens there, and takes the lines of a request for commands: a page that can make a crawler ask there can make it
 * send mail, or talk in a chat. */
bool cw_bad_port(unsigned port);

#endif
