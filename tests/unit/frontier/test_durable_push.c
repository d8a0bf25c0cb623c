/* Pushing and the figures once more, of the durable frontier: the same tests, read from the disk. */
#define DURABLE
#include "test_push.c"
