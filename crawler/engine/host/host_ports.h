/* Lists of ports. Pure. */
#ifndef CW_PORTS_H
#define CW_PORTS_H

#include <crawl/base.h>

/* A bit for each port. */
typedef struct cw_host_ports {
    uint8_t bits[65536 / 8];
} cw_host_ports;

/* "8080, 8443 9000-9100": numbers and ranges apart by commas or spaces; NULL: none. False: it is no such list. */
bool cw_host_ports_parse(const char *list, cw_host_ports *out);
bool cw_host_ports_have(const cw_host_ports *ports, unsigned port);

#endif
