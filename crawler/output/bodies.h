/* Bodies in a folder, each under the name of what it holds: the sink behind --bodies.
 *
 * A body whose SHA-1 is abcdef... lies in FOLDER/ab/cdef.... It is written under another name, ".new-RANDOM-NUMBER" in
 * FOLDER, and renamed when it is whole, so that a file with a body's name never holds less, unless the power fails
 * before the system has written it: then the next crawl that meets the body sees a file of another size, and writes it
 * again. */
#ifndef CW_BODIES_H
#define CW_BODIES_H

#include <crawl/fingerprint.h>

/* Thread-safe. */
typedef struct cw_output_bodies cw_output_bodies;

/* The folder is made if it is not there, its parents are not. CRAWL_EIO: error names it and the reason. */
crawl_err cw_output_bodies_open(const char *folder, cw_output_bodies **out, crawl_error *error);

#define CW_OUTPUT_BODY_NAME_SIZE 42 /* "ab/cdef..." and a NUL */

/* Keeps a body, unless one of that digest and size is there; name gets its path below the folder. CRAWL_EIO: it was not
 * written, and nothing of it is left; or one before was not; cw_output_bodies_close says why. */
crawl_err cw_output_bodies_write(cw_output_bodies *bodies, const crawl_fingerprint *digest, crawl_slice body,
                                 char name[CW_OUTPUT_BODY_NAME_SIZE]);

/* Frees. CRAWL_EIO: something was not written; error names the file and the reason of the first. */
crawl_err cw_output_bodies_close(cw_output_bodies *bodies, crawl_error *error);

#endif
