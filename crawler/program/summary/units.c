#include "crawler/program/summary/units.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>

#define DAY_MS 86400000

void cw_program_duration(crawl_buf *out, int64_t ms)
{
    if (ms < 60000)
        CW_PROGRAM_SAY(out, "%.1f s", (double)ms / 1000);
    else if (ms < 3600000)
        CW_PROGRAM_SAY(out, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms / 1000 % 60);
    else if (ms < 2 * DAY_MS)
        CW_PROGRAM_SAY(out, "%" PRId64 " h %" PRId64 " min", ms / 3600000, ms / 60000 % 60);
    else
        CW_PROGRAM_SAY(out, "%" PRId64 " d %" PRId64 " h", ms / DAY_MS, ms / 3600000 % 24);
}

cw_program_size_text cw_program_size(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    cw_program_size_text size;
    double value = (double)bytes;
    unsigned unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(size.text, sizeof size.text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return size;
}

double cw_program_per_second(uint64_t count, int64_t elapsed_ms)
{
    return elapsed_ms > 0 ? (double)count * 1000 / (double)elapsed_ms : 0;
}

const char *cw_program_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Returns true if a shell takes the word unquoted. */
static bool program_is_plain(crawl_slice word)
{
    for (size_t i = 0; i < word.size; i++)
        if (!cw_is_alnum((unsigned char)word.data[i]) && !memchr("/._-+,:@%", word.data[i], 9))
            return false;
    return true;
}

void cw_program_quoted(crawl_slice word, crawl_buf *out)
{
    const char *around = program_is_plain(word) ? "" : "'";
    CW_PROGRAM_SAY(out, "%s", around);
    for (size_t i = 0; i < word.size; i++)
        CW_PROGRAM_SAY(out, word.data[i] == '\'' ? "'\\''" : "%c", word.data[i]);
    CW_PROGRAM_SAY(out, "%s", around);
}
