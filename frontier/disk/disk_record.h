/* The contents of the database, byte for byte: keys and records. Keys sort like their parts; numbers in records are
 * LEB128 (7 bits per byte, the least first), signed ones zigzag. A changed layout needs another CW_DISK_FORMAT.
 *
 *   queue   host (4, big-endian) lane (1) key (16, big-endian)  -> request
 *   stage   number (8, big-endian)                              -> requests of one batch, or one that is
 *                                                                  gone; see stage.h
 *   seen    number (8, big-endian)                              -> one batch of the seen-set's log
 *   meta    'h' host (4, big-endian)                            -> host
 *           'n' origin                                          -> note of a host; with no origin, of the crawl
 *           'f' date (8, big-endian) sequence (8, big-endian)   -> entry to forget then
 *           'm' name                                            -> format, config, counters, snapshot, done, clean,
 *                                                                  kill */
#pragma once

#include "frontier/forgets.h"
#include "frontier/hosts/hosts.h"

#define CW_DISK_FORMAT 3

#define CW_DISK_QUEUE_KEY_SIZE 21
#define CW_DISK_SEEN_KEY_SIZE 8
#define CW_DISK_HOST_KEY_SIZE 5
#define CW_DISK_FORGET_KEY_SIZE 17

typedef struct cw_disk_queue_key {
    char bytes[CW_DISK_QUEUE_KEY_SIZE];
} cw_disk_queue_key;

typedef struct cw_disk_seen_key {
    char bytes[CW_DISK_SEEN_KEY_SIZE];
} cw_disk_seen_key;

typedef struct cw_disk_host_key {
    char bytes[CW_DISK_HOST_KEY_SIZE];
} cw_disk_host_key;

typedef struct cw_disk_forget_key {
    char bytes[CW_DISK_FORGET_KEY_SIZE];
} cw_disk_forget_key;

cw_disk_queue_key cw_disk_queue_key_make(uint32_t host, unsigned range, cw_heap_key key);
/* Returns the first key beyond the range. */
cw_disk_queue_key cw_disk_queue_key_end(uint32_t host, unsigned range);
/* false: not such a key. */
bool cw_disk_queue_key_read(crawl_slice bytes, uint32_t *host, unsigned *range, cw_heap_key *key);

cw_disk_seen_key cw_disk_seen_key_make(uint64_t number);
bool cw_disk_seen_key_read(crawl_slice bytes, uint64_t *number);

cw_disk_host_key cw_disk_host_key_make(uint32_t host);
bool cw_disk_host_key_read(crawl_slice bytes, uint32_t *host);

cw_disk_forget_key cw_disk_forget_key_make(cw_heap_key key);

#define CW_DISK_SLICE_OF_KEY(key) crawl_slice_of((key).bytes, sizeof(key).bytes)

/* Writes a number at to, which must have room, and returns its end. */
char *cw_disk_put_number(char *to, uint64_t number);
#define CW_DISK_NUMBER_MAX 10 /* bytes of a number at most */

/* Reads from *at and advances it. false: truncated, or not a number of 64 bits. */
bool cw_disk_get_number(crawl_slice *at, uint64_t *number);
/* Takes the next `size` bytes. false: there are fewer. */
bool cw_disk_get_bytes(crawl_slice *at, size_t size, crawl_slice *out);

/* Writes an entry to forget, without its date, to memory with CW_DISK_FORGET_ROOM. Returns the end. */
#define CW_DISK_FORGET_ROOM ((size_t)CW_DISK_NUMBER_MAX + CRAWL_FINGERPRINT_SIZE)
char *cw_disk_forget_write(char *to, const cw_frontier_forget *entry);
/* Reads such an entry from *at and advances it. */
bool cw_disk_forget_get(crawl_slice *at, cw_frontier_forget *entry);
/* Reads the whole entry from a key and its record. */
bool cw_disk_forget_read(crawl_slice key, crawl_slice record, cw_frontier_forget *out);

/* A request. cw_disk_request_write writes at most cw_disk_request_room bytes and returns how many. */
size_t cw_disk_request_room(const cw_frontier_item *item, size_t parent_size);
size_t cw_disk_request_write(char *to, const cw_frontier_item *item, const cw_frontier_parent *parent);
/* Creates an item from a record. Its parent is *parent if the text is the same (NULL: none yet); otherwise *parent is
 * replaced. CRAWL_ECORRUPT: not a request. CRAWL_ENOMEM. */
crawl_err cw_disk_request_read(crawl_slice record, cw_frontier_item **out, cw_frontier_parent **parent);

/* A host: all of its state that is not in memory only, and where its queues begin. */
#define CW_DISK_HOST_ROOM \
    (((6 + CW_RANGES) * CW_DISK_NUMBER_MAX) + CW_RANGES * sizeof(cw_heap_key)) /* without its origin */
typedef struct cw_disk_host_record {
    crawl_slice origin;
    int64_t last_start;
    int64_t pause;
    int64_t blocked;
    uint64_t turn;
    uint32_t share;
    uint32_t taken;
    cw_frontier_lane lanes[CW_RANGES];
} cw_disk_host_record;

static inline size_t cw_disk_host_room(crawl_slice origin)
{
    return CW_DISK_HOST_ROOM + origin.size;
}
size_t cw_disk_host_write(char *to, const cw_disk_host_record *record);
bool cw_disk_host_read(crawl_slice record, cw_disk_host_record *out);
/* Returns the record of a host as it stands; the origin is borrowed. */
cw_disk_host_record cw_disk_host_describe(const cw_frontier_host *host);
/* Restores a host from its record, all but its block and its queues. A clock that was set back must not hold it to a
 * start that lies ahead of now. */
void cw_disk_host_restore(cw_frontier_host *host, const cw_disk_host_record *record, int64_t now);

/* The last opening after an unclean shutdown. All hosts known then count as asked at it and their turns begin anew,
 * since the requests under way are unknown. All zero: there was none. */
typedef struct cw_disk_kill {
    int64_t at;
    uint64_t hosts; /* numbers given before */
} cw_disk_kill;

/* Applies the kill to a record written before it. */
void cw_disk_host_begin_turns(cw_disk_host_record *record, uint32_t number, const cw_disk_kill *kill);
