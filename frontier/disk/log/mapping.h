/* A file that is written by stores into a shared mapping of it, without a call of the system. Stored bytes are the
 * kernel's from then on: it outlives a process that is killed, and fsync(2) of the file brings it to the disk.
 *
 * A store that finds no room on the disk has no way to say so: it ends the process. So a file is mapped only where a
 * store into blocks that are reserved never needs others, which is on ext4 (with what it calls ext2 and ext3) and in
 * tmpfs. Not so on XFS, btrfs and others that share the blocks of a copy with it until the next store into one of the
 * two; of file systems in a network or of a program it cannot be known. There, and where nothing can be reserved, the
 * same bytes are written by pwrite(2), which says why it fails. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CW_DISK_MAPPING_WORD 8u /* bytes that no kill and no reader of the file finds half written */

typedef struct cw_disk_mapping {
    int file;                /* the caller's */
    _Atomic uint64_t *words; /* NULL: each write is a call of the system */
    size_t size;             /* bytes that are mapped, */
    size_t reserved;         /* and those of them whose blocks the file has */
} cw_disk_mapping;

/* Maps the first `size` bytes of a file that is open for reading and writing, and stays so for as long as it is written
 * here. Nothing is reserved yet, and the file is as long as it was. */
void cw_disk_mapping_open(cw_disk_mapping *mapping, int file, size_t size);
/* All that is written from now on goes by calls of the system. */
void cw_disk_mapping_close(cw_disk_mapping *mapping);

/* Writes `size` bytes from the byte `at` on, both multiples of CW_DISK_MAPPING_WORD, and all within the bytes given
 * above; one thread at a time. Bytes written later are in the file later. The file may be longer than what is written
 * in it, and has zeros there. false: they are not all written, errno says why. */
bool cw_disk_mapping_write(cw_disk_mapping *mapping, const void *bytes, size_t size, size_t at);

/* Writes all of these bytes by one call of the system. false: errno says why. */
bool cw_disk_mapping_write_by_call(int file, const void *bytes, size_t size, size_t at);
