/* See secret_file.h. */
#include "base/secret_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define MAX_SECRET 4096u

/* NULL: it is one. */
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
        return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
    bool failed = !fgets(line, sizeof line, file) && ferror(file);
    int why = errno;
    fclose(file);
    const char *words = failed ? strerror(why) : why_none(line);
    crawl_err err = words ? crawl_error_set(error, CRAWL_EIO, "%s: %s", path, words) : CRAWL_OK;
    char *secret = err ? NULL : strndup(line, strcspn(line, "\r\n"));
    if (secret)
        *out = secret;
    else if (!err)
        err = crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    explicit_bzero(line, sizeof line);
    return err;
}

bool cw_secret_is_open(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}
