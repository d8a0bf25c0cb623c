/* Ports: those that browsers do not ask, and lists of them. Pure. */
#ifndef CW_PORTS_H
#define CW_PORTS_H

#include <crawl/base.h>

/* Is it one of the bad ports of the Fetch standard (2.9, "Port blocking")? A server of another protocol than HTTP
 * listens there, and takes the lines of a request for commands: a page that can make a crawler ask there can make it
 * send mail, or talk in a chat. */
bool cw_host_port_is_bad(unsigned port);

/* A bit for each port. */
typedef struct cw_host_ports {
    uint8_t bits[65536 / 8];
} cw_host_ports;

/* "8080, 8443 9000-9100": numbers and ranges apart by commas or spaces; NULL: none. False: it is no such list. */
bool cw_host_ports_parse(const char *list, cw_host_ports *out);
bool cw_host_ports_have(const cw_host_ports *ports, unsigned port);

#endif
