/* A disk that is full, that fails, or that forgets: functions that write stand in place of the C library's. */
#pragma once

/* The power fails in the folder of a run whose process has ended: its state keeps what was brought to the disk, and of
 * what was not some. */
void sim_disk_cut(void);
