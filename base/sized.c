#include "base/sized.h"

static size_t sized_size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

bool cw_sized_copy(void *own, size_t known, const void *given)
{
    size_t size = sized_size_of(given);
    if (size <= sizeof size || size > known)
        return false;
    memcpy((char *)own + sizeof size, (const char *)given + sizeof size, size - sizeof size);
    return true;
}

const void *cw_sized(void *own, size_t known, const void *given)
{
    size_t size = sized_size_of(given);
    if (size == known)
        return given;
    if (!cw_sized_copy(own, known, given))
        return NULL;
    memcpy(own, &known, sizeof known);
    memset((char *)own + size, 0, known - size);
    return own;
}

crawl_err cw_sized_refused(const void *given, size_t known, const char *name, crawl_error *error)
{
    size_t size = sized_size_of(given);
    if (size <= known)
        return crawl_error_set(error, CRAWL_EINVAL, "%s.size is %zu, expected sizeof(%s)", name, size, name);
    return crawl_error_set(error, CRAWL_EINVAL,
                           "%s.size is %zu, but version %s of the library knows %zu: the program was compiled with "
                           "headers of a later version",
                           name, size, crawl_version(), known);
}

void cw_sized_fill(void *out, size_t size, const void *own, size_t known)
{
    memset(out, 0, size);
    memcpy(out, own, size < known ? size : known);
    if (size >= sizeof size)
        memcpy(out, &size, sizeof size);
}
