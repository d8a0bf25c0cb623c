/* A file that is written by stores into a shared mapping, without a system call. Stored bytes belong to the kernel at
 * once: they survive a killed process, and fsync(2) of the file brings them to disk.
 *
 * A store that finds no space on the disk cannot report it: it ends the process. So a file is mapped only if a store
 * into reserved blocks never needs new ones, which holds on ext4 (and what it calls ext2 and ext3) and tmpfs. XFS,
 * btrfs and others share the blocks of a copy until the next store into one of the two; network and user-space file
 * systems are unknown. There, and where blocks cannot be reserved, the same bytes are written by pwrite(2), which
 * reports why it fails. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CW_DISK_MAPPING_WORD 8u /* bytes that neither a kill nor a reader of the file ever finds half written */

typedef struct cw_disk_mapping {
    int file;                /* the caller's */
    _Atomic uint64_t *words; /* NULL: each write is a system call */
    size_t size;             /* bytes that are mapped, */
    size_t reserved;         /* and those of them whose blocks are allocated */
} cw_disk_mapping;

/* Maps the first `size` bytes of a file that is open for reading and writing; the file must stay open as long as it is
 * written here. Reserves nothing yet, and leaves the file's length unchanged. */
void cw_disk_mapping_open(cw_disk_mapping *mapping, int file, size_t size);
/* Unmaps the file: all later writes are system calls. */
void cw_disk_mapping_close(cw_disk_mapping *mapping);

/* Writes `size` bytes at offset `at`, both multiples of CW_DISK_MAPPING_WORD and within the size given above; one
 * thread at a time. Bytes written later appear in the file later. The file may be longer than what was written, with
 * zeros there. false: not all were written, errno says why. */
bool cw_disk_mapping_write(cw_disk_mapping *mapping, const void *bytes, size_t size, size_t at);

/* Writes all of these bytes by one system call. false: errno says why. */
bool cw_disk_mapping_write_by_call(int file, const void *bytes, size_t size, size_t at);
