/* The descriptions of all services that are served, a google.protobuf.FileDescriptorSet. The build makes them. */
#ifndef CW_SERVE_PROTOCOLS_H
#define CW_SERVE_PROTOCOLS_H

#include <stddef.h>

extern const char cw_serve_protocols[];
extern const size_t cw_serve_protocols_size;

#endif
