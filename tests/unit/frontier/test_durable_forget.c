/* Dates to forget at once more, of the durable frontier: the same tests, with the dates on disk. */
#define DURABLE
#include "test_forget.c"
