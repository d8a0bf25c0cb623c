/* The foundation of every other header of the library: error codes, slices and growing buffers.
 *
 * Conventions of the whole library:
 * - A call that can fail returns a crawl_err. CRAWL_OK is 0. Expected results that are not failures (CRAWL_EXISTS,
 *   CRAWL_AGAIN, CRAWL_DRAINED, ...) have codes of their own, so that one switch in the caller handles all of them.
 *   Out-parameters are written only on CRAWL_OK, unless the comment says otherwise.
 * - create allocates and free releases; free(NULL) does nothing. Pointers returned by getters are borrowed and live as
 *   long as their parent. Inputs are copied unless the comment says otherwise.
 * - Structs may gain members in later versions without breaking programs that are already compiled. A struct that the
 *   caller fills begins with its size (sizeof), set by its ..._init or by the caller. A shorter struct gets the
 *   defaults, or zeros, for the members it lacks. A size of 0, or one larger than the library knows, returns
 *   CRAWL_EINVAL, and the call does nothing. A struct that stands in arrays or inside others, or that a call fills,
 *   keeps its size: new members take the place of `reserved`, which is 0. See docs/embedding.md for the rest.
 * - Time is an argument, in milliseconds. The library never prints and has no mutable globals. */
#ifndef CRAWL_BASE_H
#define CRAWL_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/* Marks each symbol that the shared library exports. */
#define CRAWL_API __attribute__((visibility("default")))
/* Marks a call that takes a printf format and its values, so that compilers check them. */
#define CRAWL_PRINTF(position, first) __attribute__((format(printf, position, first)))
#else
#define CRAWL_API
#define CRAWL_PRINTF(position, first)
#endif

/* The result of a call. */
typedef enum crawl_err {
    CRAWL_OK = 0,

    /* Expected results. */
    CRAWL_EXISTS,  /* already there: seen before, key in the set */
    CRAWL_ABSENT,  /* not there: key not in the set, nothing to forget */
    CRAWL_AGAIN,   /* nothing now, but something later */
    CRAWL_DRAINED, /* nothing now and nothing to come */
    CRAWL_FULL,    /* a configured maximum is reached */
    CRAWL_REFUSED, /* against a rule: out of scope, forbidden operation */

    /* Failures. */
    CRAWL_EINVAL,   /* an argument is out of range: the caller's mistake */
    CRAWL_ENOMEM,   /* out of memory */
    CRAWL_EPARSE,   /* the input does not follow its syntax */
    CRAWL_EIO,      /* a file, a disk, a descriptor */
    CRAWL_ENET,     /* a connection, a name, a transfer */
    CRAWL_ECORRUPT, /* a file of the library's own whose content cannot be trusted */
    CRAWL_ESTATE,   /* not allowed in this state of the object */
    CRAWL_ERR_COUNT
} crawl_err;

/* Returns a short English name of the code, never NULL. */
CRAWL_API const char *crawl_strerror(crawl_err err);

/* The version of these headers. Before 1.0 a minor version may change the interface, and then changes the soname. */
#define CRAWL_VERSION_MAJOR 0
#define CRAWL_VERSION_MINOR 1
#define CRAWL_VERSION_PATCH 0

/* Returns the version of the loaded library, "MAJOR.MINOR.PATCH". */
CRAWL_API const char *crawl_version(void);

/* An error message for a person, filled by calls that read files or human text. line and column count from 1; 0: not
 * known. */
typedef struct crawl_error {
    crawl_err code;
    unsigned line;
    unsigned column;
    char message[512]; /* NUL-terminated; truncated if longer */
} crawl_error;

/* Fills *error (NULL: does nothing) and returns code, so that a caller can `return crawl_error_set(...)`. */
CRAWL_API crawl_err crawl_error_set(crawl_error *error, crawl_err code, const char *format, ...) CRAWL_PRINTF(3, 4);

/* Borrowed bytes, not NUL-terminated. data may be NULL only if size is 0. */
typedef struct crawl_slice {
    const char *data;
    size_t size;
} crawl_slice;

/* Returns a slice of these bytes, which stay with their owner. */
static inline crawl_slice crawl_slice_of(const void *data, size_t size)
{
    crawl_slice slice;
    slice.data = (const char *)data;
    slice.size = size;
    return slice;
}

/* Returns the bytes of a C string without its NUL; NULL gives the empty slice. */
static inline crawl_slice crawl_slice_from(const char *text)
{
    return crawl_slice_of(text, text ? strlen(text) : 0);
}

/* Returns true if both slices hold the same bytes. */
static inline bool crawl_slice_equal(crawl_slice a, crawl_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* An HTTP header. */
typedef struct crawl_header {
    crawl_slice name;  /* as received */
    crawl_slice value; /* without surrounding white space */
} crawl_header;

/* Splits a text at each byte `end`. Stores the first `most` pieces in pieces; they are borrowed from the text and do
 * not contain that byte. Returns the number of pieces: one more than the number of such bytes, or 0 if text.data is
 * NULL. Turns many concatenated keys into what crawl_bloom_add_slices and similar calls take. */
CRAWL_API size_t crawl_slices_cut(crawl_slice text, char end, crawl_slice *pieces, size_t most);

/* A growing buffer. `{0}` is an empty one; crawl_buf_free releases its memory. data[size] is always NUL once anything
 * was appended, so that text can be used as a C string. Single-threaded. */
typedef struct crawl_buf {
    char *data;
    size_t size;
    size_t capacity;
} crawl_buf;

/* Releases the memory and leaves an empty buffer. */
CRAWL_API void crawl_buf_free(crawl_buf *buf);

/* Removes the content but keeps the memory. */
static inline void crawl_buf_clear(crawl_buf *buf)
{
    buf->size = 0;
    if (buf->data)
        buf->data[0] = '\0';
}

/* Makes room for `more` bytes beyond size, so that they can be written in place. CRAWL_ENOMEM: unchanged. */
CRAWL_API crawl_err crawl_buf_reserve(crawl_buf *buf, size_t more);
CRAWL_API crawl_err crawl_buf_append(crawl_buf *buf, const void *data, size_t size);
CRAWL_API crawl_err crawl_buf_append_char(crawl_buf *buf, char c);
CRAWL_API crawl_err crawl_buf_append_text(crawl_buf *buf, const char *text);
CRAWL_API crawl_err crawl_buf_printf(crawl_buf *buf, const char *format, ...) CRAWL_PRINTF(2, 3);

/* Returns the content, borrowed until the buffer changes. */
static inline crawl_slice crawl_buf_slice(const crawl_buf *buf)
{
    return crawl_slice_of(buf->data, buf->size);
}

#ifdef __cplusplus
}
#endif
#endif
