/* The floor of every other header of the library: error codes, slices and growing buffers.
 *
 * Conventions of the whole library:
 * - A call that can fail returns a crawl_err. CRAWL_OK is 0. Expected answers that are no failure
 *   (CRAWL_EXISTS, CRAWL_AGAIN, CRAWL_DRAINED, ...) are codes of their own, so that one switch at the
 *   caller reads like the manual. Out-parameters are written only on CRAWL_OK, unless said otherwise.
 * - create gives, free takes; free(NULL) does nothing. Returned pointers of getters are borrowed and live as
 *   long as its parent. Inputs are copied unless the comment says otherwise.
 * - Structs can get members in later versions, and programs that were compiled before go on. One that a caller fills
 *   begins with its size, sizeof of it, which its ..._init sets or the caller: a shorter one has the defaults, or
 *   zeros, for what it lacks; 0, or more than the library knows, is CRAWL_EINVAL, and the call has done nothing. One
 *   that stands in arrays or within others, or that a call fills, keeps its size: new members take the place of
 *   `reserved`, which is 0. docs/embedding.md has the rest.
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
/* Before each name that the shared library shows. */
#define CRAWL_API __attribute__((visibility("default")))
/* A call takes a format of printf and its values, which compilers then check. */
#define CRAWL_PRINTF(position, first) __attribute__((format(printf, position, first)))
#else
#define CRAWL_API
#define CRAWL_PRINTF(position, first)
#endif

/* The answer of a call. */
typedef enum crawl_err {
    CRAWL_OK = 0,

    /* Expected answers. */
    CRAWL_EXISTS,  /* already there: seen before, key in the set */
    CRAWL_ABSENT,  /* not there: key not in the set, nothing to forget */
    CRAWL_AGAIN,   /* nothing now, something later */
    CRAWL_DRAINED, /* nothing now and nothing to come */
    CRAWL_FULL,    /* a maximum that was set is reached */
    CRAWL_REFUSED, /* against a rule: out of scope, forbidden operation */

    /* Failures. */
    CRAWL_EINVAL,   /* an argument out of its range: the caller's mistake */
    CRAWL_ENOMEM,   /* no memory */
    CRAWL_EPARSE,   /* the input is not in the language it should be in */
    CRAWL_EIO,      /* a file, a disk, a descriptor */
    CRAWL_ENET,     /* a connection, a name, a transfer */
    CRAWL_ECORRUPT, /* a file of ours whose content cannot be trusted */
    CRAWL_ESTATE,   /* not in this state of the object */
    CRAWL_ERR_COUNT
} crawl_err;

/* A short English name of the code, never NULL. */
CRAWL_API const char *crawl_strerror(crawl_err err);

/* The version of these headers. Before 1.0 any minor version may change the interface, and then the soname. */
#define CRAWL_VERSION_MAJOR 0
#define CRAWL_VERSION_MINOR 1
#define CRAWL_VERSION_PATCH 0

/* The version of the library that is loaded, "MAJOR.MINOR.PATCH". */
CRAWL_API const char *crawl_version(void);

/* Words for a person, filled by calls that read files or human text. line and column count from 1; 0: none. */
typedef struct crawl_error {
    crawl_err code;
    unsigned line;
    unsigned column;
    char message[512]; /* ends with NUL; cut when longer */
} crawl_error;

/* Fills *error (NULL: does nothing) and returns code, so that a caller can `return crawl_error_set(...)`. */
CRAWL_API crawl_err crawl_error_set(crawl_error *error, crawl_err code, const char *format, ...) CRAWL_PRINTF(3, 4);

/* Bytes that somebody else owns; not NUL-terminated. data may be NULL only if size is 0. */
typedef struct crawl_slice {
    const char *data;
    size_t size;
} crawl_slice;

/* These bytes, which stay with their owner. */
static inline crawl_slice crawl_slice_of(const void *data, size_t size)
{
    crawl_slice slice;
    slice.data = (const char *)data;
    slice.size = size;
    return slice;
}

/* The bytes of a C string without its NUL; NULL gives the empty slice. */
static inline crawl_slice crawl_slice_from(const char *text)
{
    return crawl_slice_of(text, text ? strlen(text) : 0);
}

/* Are both the same bytes? */
static inline bool crawl_slice_equal(crawl_slice a, crawl_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* A header of HTTP. */
typedef struct crawl_header {
    crawl_slice name;  /* as received */
    crawl_slice value; /* without white space around it */
} crawl_header;

/* Cuts a text at each byte `end`: pieces gets the first `most` of the pieces, which are borrowed from the text and have
 * no such byte. The answer is how many pieces there are: one more than such bytes, 0 where text.data is NULL. Many keys
 * that stand one behind the other become what crawl_bloom_add_slices and its like take. */
CRAWL_API size_t crawl_slices_cut(crawl_slice text, char end, crawl_slice *pieces, size_t most);

/* A growing buffer. `{0}` is an empty one; crawl_buf_free gives its memory back. data[size] is always NUL
 * once anything was appended, so that text can be used as a C string. Single-thread. */
typedef struct crawl_buf {
    char *data;
    size_t size;
    size_t capacity;
} crawl_buf;

/* Gives the memory back, and leaves an empty buffer. */
CRAWL_API void crawl_buf_free(crawl_buf *buf);

/* Forgets the content, keeps the memory. */
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

/* Its content, borrowed until it is changed. */
static inline crawl_slice crawl_buf_slice(const crawl_buf *buf)
{
    return crawl_slice_of(buf->data, buf->size);
}

#ifdef __cplusplus
}
#endif
#endif
