/* The memory of messages: the fields that protobuf-c allocates lie side by side and are freed together. */
#pragma once

#include <crawl/base.h>

#include <protobuf-c/protobuf-c.h>

/* Maximum memory for the fields of one message of up to 4 MiB: 30 bytes for each of its bytes. It also bounds the work
 * for repeated fields, which protobuf-c merges with the previous value each time. */
#define CW_GRPC_ARENA_MESSAGE_MAX ((size_t)128 << 20)

/* Initialise with {0}. */
typedef struct cw_grpc_arena {
    struct cw_grpc_chunk *chunks; /* newest first */
    char *next;                   /* in the newest */
    size_t left;
    size_t bytes;   /* of all messages */
    size_t message; /* of the last message */
    bool full;      /* the last message did not fit */
} cw_grpc_arena;

/* Returns a decoded message, valid until the arena is freed. NULL: the bytes are not of this type, or `full` is set:
 * the message needs more than CW_GRPC_ARENA_MESSAGE_MAX, or out of memory. */
ProtobufCMessage *cw_grpc_arena_unpack(cw_grpc_arena *arena, const ProtobufCMessageDescriptor *type, crawl_slice bytes);
/* Frees all messages and leaves the arena empty. */
void cw_grpc_arena_free(cw_grpc_arena *arena);
