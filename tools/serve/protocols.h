/* The descriptions of all services, a google.protobuf.FileDescriptorSet. The build generates them. */
#pragma once

#include <stddef.h>

extern const char cw_serve_protocols[];
extern const size_t cw_serve_protocols_size;
