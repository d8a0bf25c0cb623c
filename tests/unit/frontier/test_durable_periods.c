/* The site that is asked over and over once more, of the durable frontier, which ends and begins again in between. */
#define DURABLE
#include "test_periods.c"
