/* Which libraries a frontier goes through. RocksDB's C interface does not tell its version, so that of the build stands
 * for it: the two must agree anyway. */
#include <crawl/frontier.h>

#include <openssl/crypto.h>
#include <xxhash.h>

crawl_err crawl_frontier_libraries(crawl_buf *out)
{
    unsigned xxhash = XXH_versionNumber();
#ifdef CW_ROCKSDB_VERSION
    crawl_err err = crawl_buf_printf(out, "RocksDB %s\n", CW_ROCKSDB_VERSION);
#else
    crawl_err err = crawl_buf_append_text(out, "RocksDB none: this build has no disk store\n");
#endif
    if (!err)
        err = crawl_buf_printf(out, "libcrypto %s\n", OpenSSL_version(OPENSSL_VERSION_STRING));
    return err ? err : crawl_buf_printf(out, "xxHash %u.%u.%u\n", xxhash / 10000, xxhash / 100 % 100, xxhash % 100);
}
