#include "base/files/file_read.h"

#include "base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_SECRET 4096u

crawl_err cw_read_rest(FILE *file, size_t most, crawl_buf *out)
{
    enum { STEP = 64 * 1024 };
    size_t start = out->size;
    for (size_t got = 1; got && out->size - start <= most;) {
        size_t room = most - (out->size - start);
        if (crawl_buf_reserve(out, STEP))
            return CRAWL_ENOMEM;
        got = fread(out->data + out->size, 1, room < STEP ? room + 1 : STEP, file);
        out->size += got;
        out->data[out->size] = '\0';
        if (ferror(file))
            return CRAWL_EIO;
    }
    return out->size - start > most ? CRAWL_FULL : CRAWL_OK;
}

crawl_err cw_read_file(const char *path, size_t most, crawl_buf *out, crawl_error *error)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return cw_error_of_file(error, path);
    crawl_err err = cw_read_rest(file, most, out);
    if (err == CRAWL_EIO)
        cw_error_of_file(error, path);
    else if (err == CRAWL_ENOMEM)
        crawl_error_set(error, err, "%s: %s", path, crawl_strerror(err));
    fclose(file);
    return err;
}

/* Returns why a line is not a valid secret, in words; NULL: it is valid. */
static const char *why_none(const char *line)
{
    size_t size = strcspn(line, "\r\n");
    if (size == MAX_SECRET)
        return "its first line is too long for a secret";
    if (size == 0)
        return "its first line is empty";
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            return "its first line holds control characters";
    return NULL;
}

crawl_err cw_secret_read(const char *path, char **out, crawl_error *error)
{
    char line[MAX_SECRET + 1] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return cw_error_of_file(error, path);
    bool failed = !fgets(line, sizeof line, file) && ferror(file);
    int why = errno;
    fclose(file);
    const char *words = failed ? strerror(why) : why_none(line);
    crawl_err err = words ? crawl_error_set(error, CRAWL_EIO, "%s: %s", path, words) : CRAWL_OK;
    char *secret = err ? NULL : strndup(line, strcspn(line, "\r\n"));
    if (secret)
        *out = secret;
    else if (!err)
        err = cw_error(error, CRAWL_ENOMEM);
    explicit_bzero(line, sizeof line);
    return err;
}

void cw_secret_free(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

void cw_secret_free_buf(crawl_buf *secret)
{
    if (secret->data)
        explicit_bzero(secret->data, secret->capacity);
    crawl_buf_free(secret);
}

bool cw_secret_is_open(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

crawl_err cw_secret_find(const char *path, const char *variable, char **out, crawl_error *error)
{
    const char *value = getenv(variable);
    if (path)
        return cw_secret_read(path, out, error) ? CRAWL_EINVAL : CRAWL_OK;
    *out = value && *value ? strdup(value) : NULL;
    return *out || !value || !*value ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
}
