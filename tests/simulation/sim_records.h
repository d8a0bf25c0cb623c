/* Compares the records that a run leaves behind with the facts of the world. */
#pragma once

#include <stdbool.h>

/* Checks after each life that its limit of pages held. killed: records may have been written twice, or not yet. */
void sim_records_check_life(bool killed);

/* Checks all records after the last life. */
void sim_records_check_run(void);
