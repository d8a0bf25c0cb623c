/* A set written without a library: open addressing with linear probing, at most 3/4 full, doubling. It holds whole
 * strings (a 64-bit hash and a pointer per slot, with the text in large chunks), or 20-byte digests in the slots
 * themselves. */
#pragma once

#include <crawl/base.h>

#include <stdlib.h>
#include <sys/mman.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DIGEST 20
#define TEXT_CHUNK ((size_t)64 << 20)

typedef struct text_slot {
    uint64_t hash;
    const char *text; /* its size in two bytes, then the text; NULL: the slot is empty */
} text_slot;

typedef struct plain_set {
    bool digests;
    size_t slot_size;
    size_t slots; /* a power of two */
    size_t count;
    size_t bytes;
    unsigned char *table;
    char *chunk; /* the newest of the text; begins with the address of the one before */
    size_t chunk_used;
} plain_set;

static inline void *take_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        abort();
    madvise(pages, bytes, MADV_HUGEPAGE);
    return pages;
}

static inline plain_set *plain_set_create(bool digests)
{
    plain_set *set = calloc(1, sizeof *set);
    if (!set)
        abort();
    set->digests = digests;
    set->slot_size = digests ? DIGEST : sizeof(text_slot);
    set->slots = 4096;
    set->table = take_pages(set->slots * set->slot_size);
    set->chunk_used = TEXT_CHUNK;
    set->bytes = set->slots * set->slot_size;
    return set;
}

static inline void plain_set_free(plain_set *set)
{
    while (set->chunk) {
        char *before;
        memcpy(&before, set->chunk, sizeof before);
        munmap(set->chunk, TEXT_CHUNK);
        set->chunk = before;
    }
    munmap(set->table, set->slots * set->slot_size);
    free(set);
}

/* Makes 20 bytes in place of a SHA-1, whose time is left out: a crawler has computed it before. */
static inline void digest_of(crawl_slice key, unsigned char digest[DIGEST])
{
    XXH128_hash_t hash = XXH3_128bits(key.data, key.size);
    uint32_t more = (uint32_t)(hash.low64 * 0x9e3779b97f4a7c15 >> 32) | 1; /* all zero is an empty slot */
    memcpy(digest, &hash.low64, 8);
    memcpy(digest + 8, &hash.high64, 8);
    memcpy(digest + 16, &more, 4);
}

static inline const char *keep_text(plain_set *set, crawl_slice key)
{
    if (set->chunk_used + 2 + key.size > TEXT_CHUNK) {
        char *chunk = take_pages(TEXT_CHUNK);
        memcpy(chunk, &set->chunk, sizeof set->chunk);
        set->chunk = chunk;
        set->chunk_used = sizeof set->chunk;
    }
    char *text = set->chunk + set->chunk_used;
    uint16_t size = (uint16_t)key.size;
    memcpy(text, &size, 2);
    memcpy(text + 2, key.data, key.size);
    set->chunk_used += 2 + key.size;
    set->bytes += 2 + key.size;
    return text;
}

static inline bool is_text(const text_slot *slot, uint64_t hash, crawl_slice key)
{
    uint16_t size;
    if (slot->hash != hash)
        return false;
    memcpy(&size, slot->text, 2);
    return size == key.size && memcmp(slot->text + 2, key.data, key.size) == 0;
}

/* Returns the slot that holds the key or could take it. */
static inline text_slot *find_text(const plain_set *set, uint64_t hash, crawl_slice key)
{
    text_slot *slots = (text_slot *)(void *)set->table;
    size_t at = hash & (set->slots - 1);
    while (slots[at].text && !is_text(&slots[at], hash, key))
        at = (at + 1) & (set->slots - 1);
    return &slots[at];
}

static inline unsigned char *find_digest(const plain_set *set, const unsigned char digest[DIGEST])
{
    static const unsigned char empty[DIGEST];
    uint64_t at;
    memcpy(&at, digest, sizeof at);
    for (at &= set->slots - 1;; at = (at + 1) & (set->slots - 1)) {
        unsigned char *slot = set->table + at * DIGEST;
        if (memcmp(slot, digest, DIGEST) == 0 || memcmp(slot, empty, DIGEST) == 0)
            return slot;
    }
}

static inline void move_slot(plain_set *set, const unsigned char *slot)
{
    if (set->digests) {
        memcpy(find_digest(set, slot), slot, DIGEST);
        return;
    }
    text_slot old;
    memcpy(&old, slot, sizeof old);
    text_slot *slots = (text_slot *)(void *)set->table;
    size_t at = old.hash & (set->slots - 1);
    while (slots[at].text)
        at = (at + 1) & (set->slots - 1);
    slots[at] = old;
}

static inline bool slot_is_taken(const plain_set *set, const unsigned char *slot)
{
    static const unsigned char empty[DIGEST];
    return memcmp(slot, empty, set->slot_size) != 0;
}

static inline void grow_if_full(plain_set *set)
{
    if (set->count < set->slots / 4 * 3)
        return;
    unsigned char *old = set->table;
    size_t old_slots = set->slots;
    set->bytes += old_slots * set->slot_size;
    set->slots *= 2;
    set->table = take_pages(set->slots * set->slot_size);
    for (size_t i = 0; i < old_slots; i++)
        if (slot_is_taken(set, old + i * set->slot_size))
            move_slot(set, old + i * set->slot_size);
    munmap(old, old_slots * set->slot_size);
}

/* Adds the key. Returns true if it was new. */
static inline bool plain_set_add(plain_set *set, crawl_slice key)
{
    grow_if_full(set);
    if (set->digests) {
        unsigned char digest[DIGEST];
        digest_of(key, digest);
        unsigned char *slot = find_digest(set, digest);
        if (memcmp(slot, digest, DIGEST) == 0)
            return false;
        memcpy(slot, digest, DIGEST);
    } else {
        uint64_t hash = XXH3_64bits(key.data, key.size);
        text_slot *slot = find_text(set, hash, key);
        if (slot->text)
            return false;
        *slot = (text_slot){hash, keep_text(set, key)};
    }
    set->count++;
    return true;
}

static inline bool plain_set_has(const plain_set *set, crawl_slice key)
{
    unsigned char digest[DIGEST];
    if (!set->digests)
        return find_text(set, XXH3_64bits(key.data, key.size), key)->text != NULL;
    digest_of(key, digest);
    return memcmp(find_digest(set, digest), digest, DIGEST) == 0;
}
