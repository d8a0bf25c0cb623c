/* What the queue waits for once more, of the durable frontier: the same tests, read from the disk. */
#define DURABLE
#include "test_binding.c"
