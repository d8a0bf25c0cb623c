/* The RocksDB calls. RocksDB is loaded when the first directory is opened, not at program start: its library takes 8
 * MiB of memory and a third of the start-up time, and most crawls and tools keep nothing in a directory. All calls to
 * RocksDB go through this table; types and constants come from its header. */
#pragma once

#include <crawl/base.h>

#include <rocksdb/c.h>

/* The names of all calls in use, without "rocksdb_". */
// clang-format off
#define CW_DISK_ROCKSDB_CALLS(CALL)                                                                              \
    CALL(batched_multi_get_cf) CALL(block_based_options_create) CALL(block_based_options_destroy)                \
    CALL(block_based_options_set_block_cache)                                                                    \
    CALL(block_based_options_set_block_size) CALL(block_based_options_set_cache_index_and_filter_blocks)         \
    CALL(block_based_options_set_cache_index_and_filter_blocks_with_high_priority)                               \
    CALL(block_based_options_set_format_version)                                                                 \
    CALL(block_based_options_set_pin_l0_filter_and_index_blocks_in_cache) CALL(cache_create_lru)                 \
    CALL(cache_destroy) CALL(close) CALL(column_family_handle_destroy) CALL(create_iterator_cf)                  \
    CALL(delete_file_in_range_cf) CALL(flush_cf) CALL(flush_wal) CALL(flushoptions_create)                       \
    CALL(flushoptions_destroy) CALL(flushoptions_set_wait) CALL(free) CALL(get_latest_sequence_number)           \
    CALL(get_options_from_string) CALL(get_pinned_cf) CALL(iter_destroy) CALL(iter_get_error) CALL(iter_key)     \
    CALL(iter_next) CALL(iter_seek) CALL(iter_seek_to_first) CALL(iter_valid) CALL(iter_value)                   \
    CALL(open_column_families) CALL(open_for_read_only_column_families)                                          \
    CALL(options_add_compact_on_deletion_collector_factory) CALL(options_create) CALL(options_destroy)           \
    CALL(options_set_block_based_table_factory) CALL(options_set_bytes_per_sync) CALL(options_set_compression)   \
    CALL(options_set_create_if_missing) CALL(options_set_create_missing_column_families)                         \
    CALL(options_set_info_log_level) CALL(options_set_keep_log_file_num)                                         \
    CALL(options_set_level0_file_num_compaction_trigger) CALL(options_set_level0_slowdown_writes_trigger)        \
    CALL(options_set_level0_stop_writes_trigger) CALL(options_set_level_compaction_dynamic_level_bytes)          \
    CALL(options_set_max_background_jobs) CALL(options_set_max_file_opening_threads)                             \
    CALL(options_set_max_open_files) CALL(options_set_max_total_wal_size)                                        \
    CALL(options_set_max_write_buffer_number) CALL(options_set_stats_dump_period_sec)                            \
    CALL(options_set_stats_persist_period_sec) CALL(options_set_wal_recovery_mode)                               \
    CALL(options_set_write_buffer_size) CALL(pinnableslice_destroy) CALL(pinnableslice_value)                    \
    CALL(property_int_cf) CALL(readoptions_create) CALL(readoptions_destroy) CALL(readoptions_set_fill_cache)    \
    CALL(readoptions_set_iterate_upper_bound) CALL(readoptions_set_readahead_size)                               \
    CALL(readoptions_set_verify_checksums) CALL(set_perf_level) CALL(write) CALL(writebatch_clear)               \
    CALL(writebatch_count) CALL(writebatch_create) CALL(writebatch_delete_cf) CALL(writebatch_delete_range_cf)   \
    CALL(writebatch_destroy) CALL(writebatch_put_cf) CALL(writebatch_singledelete_cf) CALL(writeoptions_create)  \
    CALL(writeoptions_destroy) CALL(writeoptions_set_sync)
// clang-format on

typedef struct cw_disk_rocksdb_calls {
#define CW_DISK_ROCKSDB_CALL(name) __typeof__(rocksdb_##name) *name;
    CW_DISK_ROCKSDB_CALLS(CW_DISK_ROCKSDB_CALL)
#undef CW_DISK_ROCKSDB_CALL
} cw_disk_rocksdb_calls;

/* Valid only after cw_disk_rocksdb_load; never unloaded. */
extern cw_disk_rocksdb_calls cw_disk_rocksdb;

/* Loads RocksDB if it is not loaded yet; from any thread. CRAWL_EIO: it cannot be loaded; the error names the file. */
crawl_err cw_disk_rocksdb_load(crawl_error *error);
