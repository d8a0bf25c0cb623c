/* The memory of messages: what protobuf-c asks for field by field lies side by side, and goes all at once. */
#pragma once

#include <crawl/base.h>

#include <protobuf-c/protobuf-c.h>

/* Bytes for the fields of one message of at most 4 MiB: 30 of the shortest of fields for each of its bytes. It also
 * bounds the work for a field that comes again and again, which protobuf-c joins to what came before each time. */
#define CW_GRPC_ARENA_MESSAGE_MAX ((size_t)128 << 20)

/* An arena that is all zero is empty. */
typedef struct cw_grpc_arena {
    struct cw_grpc_chunk *chunks; /* the newest first */
    char *next;                   /* in the newest */
    size_t left;
    size_t bytes;   /* for all messages that lie here */
    size_t message; /* for the last */
    bool full;      /* there was no more for it */
} cw_grpc_arena;

/* A message, which lies in the arena until that is freed. NULL: the bytes are none of this type; or, where `full` says
 * so, it takes more than CW_GRPC_ARENA_MESSAGE_MAX, or there is no memory. */
ProtobufCMessage *cw_grpc_arena_unpack(cw_grpc_arena *arena, const ProtobufCMessageDescriptor *type, crawl_slice bytes);
/* Frees all messages; the arena is empty then. */
void cw_grpc_arena_free(cw_grpc_arena *arena);
