#include "tools/serve/grpc/grpc_arena.h"

#include <stdalign.h>
#include <stdlib.h>

/* Under AddressSanitizer each field gets its own chunk, so that overflows and late reads are detected. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIELDS_APART
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(FIELDS_APART)
enum { CHUNK_FIRST = 0, CHUNK_MAX = 0 };
#else
enum { CHUNK_FIRST = 1 << 10, CHUNK_MAX = 64 << 10 }; /* each chunk is twice as large as the previous one */
#endif

typedef struct cw_grpc_chunk {
    struct cw_grpc_chunk *before;
    size_t size;
    alignas(max_align_t) char bytes[];
} cw_grpc_chunk;

static size_t grpc_arena_round_up(size_t size)
{
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

/* The rest of the previous chunk is lost. */
static bool grpc_arena_add_chunk(cw_grpc_arena *arena, size_t size)
{
    size_t room = arena->chunks ? 2 * arena->chunks->size : CHUNK_FIRST;
    if (room > CHUNK_MAX)
        room = CHUNK_MAX;
    if (room < size)
        room = size;
    cw_grpc_chunk *chunk = malloc(sizeof *chunk + room);
    if (!chunk)
        return false;
    chunk->before = arena->chunks;
    chunk->size = room;
    arena->chunks = chunk;
    arena->next = chunk->bytes;
    arena->left = room;
    return true;
}

static void *grpc_arena_get(void *user, size_t size)
{
    cw_grpc_arena *arena = user;
    size_t whole = grpc_arena_round_up(size ? size : 1);
    bool apart = !CHUNK_MAX;
    size_t taken = apart ? size : whole;
    arena->message += whole;
    arena->full = arena->full || arena->message > CW_GRPC_ARENA_MESSAGE_MAX ||
                  ((apart || taken > arena->left) && !grpc_arena_add_chunk(arena, taken));
    if (arena->full)
        return NULL;
    void *block = arena->next;
    arena->next += taken;
    arena->left -= taken;
    arena->bytes += whole;
    return block;
}

static void grpc_arena_keep(void *, void *)
{
}

ProtobufCMessage *cw_grpc_arena_unpack(cw_grpc_arena *arena, const ProtobufCMessageDescriptor *type, crawl_slice bytes)
{
    ProtobufCAllocator from = {.alloc = grpc_arena_get, .free = grpc_arena_keep, .allocator_data = arena};
    arena->message = 0;
    arena->full = false;
    return protobuf_c_message_unpack(type, &from, bytes.size,
                                     bytes.size ? (const uint8_t *)bytes.data : (const uint8_t *)"");
}

void cw_grpc_arena_free(cw_grpc_arena *arena)
{
    while (arena->chunks) {
        cw_grpc_chunk *chunk = arena->chunks;
        arena->chunks = chunk->before;
        free(chunk);
    }
    *arena = (cw_grpc_arena){0};
}
