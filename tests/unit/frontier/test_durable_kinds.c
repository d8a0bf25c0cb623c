/* The kinds of seen-sets once more, of the durable frontier: the same tests, read from the disk. */
#define DURABLE
#include "test_kinds.c"
