/* The records that a run leaves behind, against what the world knows. */
#pragma once

#include <stdbool.h>

/* After each life: does its budget of pages hold? killed: records may have been
 * written twice, or not yet. */
void sim_records_check_life(bool killed);

/* After the last. */
void sim_records_check_run(void);
