/* Further visits once more, of the durable frontier: the same tests, read from the disk. */
#define DURABLE
#include "test_again.c"
