/* Notes once more, of the durable frontier. */
#define DURABLE
#include "test_notes.c"
