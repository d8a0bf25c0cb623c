/* The model once more, of the durable frontier: closed, dropped as by a crash, and opened again in between. */
#define DURABLE
#include "test_model.c"
