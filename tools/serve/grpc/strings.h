/* Strings of a message as they come: protobuf-c gives them as texts that a NUL ends, so that one within would cut
 * them. */
#ifndef CW_GRPC_STRINGS_H
#define CW_GRPC_STRINGS_H

#include <crawl/base.h>

#include <protobuf-c/protobuf-c.h>

/* Is there no NUL in the strings of a message, and of those within it? Bytes that are no message have none. */
bool cw_grpc_strings_are_whole(const ProtobufCMessageDescriptor *type, crawl_slice message);

#endif
