/* The descriptions of all services that are served, a google.protobuf.FileDescriptorSet. The build makes them. */
#pragma once

#include <stddef.h>

extern const char cw_serve_protocols[];
extern const size_t cw_serve_protocols_size;
