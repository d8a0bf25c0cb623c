/* See joint_record.h. A version 1, the end of the block 8, the pause 8, the share 2, the lowest byte of each first; and
 * the note. */
#include "shared/store/joint_record.h"

#include "base/bytes.h"
#include "shared/protocol/shared.h"

enum { VERSION = 1, FIXED = 1 + 8 + 8 + 2 };

crawl_err cw_joint_record_write(const cw_joint_record *record, crawl_buf *out)
{
    char fixed[FIXED];
    char *at = fixed;
    *at++ = VERSION;
    at = cw_le_put(at, (uint64_t)record->block_ms, 8);
    at = cw_le_put(at, (uint64_t)record->pause_ms, 8);
    cw_le_put(at, record->share, 2);
    crawl_err err = crawl_buf_append(out, fixed, sizeof fixed);
    return err ? err : crawl_buf_append(out, record->note.data, record->note.size);
}

bool cw_joint_record_read(crawl_slice bytes, cw_joint_record *out)
{
    const char *at = bytes.data + 1;
    *out = (cw_joint_record){.pause_ms = -1, .share = 1};
    if (!bytes.size)
        return true;
    if (bytes.size < FIXED || bytes.data[0] != VERSION)
        return false;
    out->block_ms = (int64_t)cw_le_get(&at, 8);
    int64_t pause = (int64_t)cw_le_get(&at, 8);
    uint16_t share = (uint16_t)cw_le_get(&at, 2);
    if (out->block_ms < 0 || out->block_ms > CW_SHARED_MS_MAX || pause > CW_SHARED_MS_MAX)
        return false;
    out->pause_ms = pause < 0 ? -1 : pause;
    out->share = share ? share : 1;
    out->note = cw_drop(bytes, FIXED);
    return true;
}
