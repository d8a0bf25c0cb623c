/* A disk that is full, fails, or loses writes. Its functions replace those of the C library. */
#pragma once

/* Cuts the power in the folder of a run whose process has ended. Its state keeps all data that was synced, and some of
 * the rest. */
void sim_disk_cut(void);
