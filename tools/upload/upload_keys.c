#include "tools/upload/upload_keys.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"

#include <stdlib.h>

enum { FILE_MAX = 1 << 20, KINDS = 3 };

static const struct {
    const char *variable, *name;
} upload_keys_kinds[KINDS] = {{"AWS_ACCESS_KEY_ID", "aws_access_key_id"},
                              {"AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"},
                              {"AWS_SESSION_TOKEN", "aws_session_token"}};

static char **upload_keys_field(cw_upload_keys *keys, size_t kind)
{
    return kind == 0 ? &keys->id : kind == 1 ? &keys->secret : &keys->token;
}

static bool upload_keys_set(cw_upload_keys *keys, size_t kind, crawl_slice value)
{
    char **field = upload_keys_field(keys, kind);
    free(*field);
    *field = strndup(value.data, value.size);
    return *field != NULL;
}

/* Takes a line "name = value" of the profile. */
static crawl_err upload_keys_take(cw_upload_keys *keys, crawl_slice line)
{
    crawl_slice name = cw_trim(cw_cut(&line, '='));
    crawl_slice value = cw_trim(line);
    for (size_t i = 0; i < KINDS; i++)
        if (value.size && cw_is_nocase(name, upload_keys_kinds[i].name) && !upload_keys_set(keys, i, value))
            return CRAWL_ENOMEM;
    return CRAWL_OK;
}

static crawl_err upload_keys_read(crawl_slice text, const char *profile, cw_upload_keys *keys)
{
    bool is_inside = false;
    crawl_err err = CRAWL_OK;
    while (text.size && !err) {
        crawl_slice line = cw_trim(cw_cut_line(&text));
        if (cw_starts_with(line, "[")) {
            line = cw_drop(line, 1);
            is_inside = cw_is(cw_trim(cw_cut(&line, ']')), profile);
        } else if (is_inside) {
            err = upload_keys_take(keys, line);
        }
    }
    return err;
}

static crawl_err upload_keys_of_environment(cw_upload_keys *keys)
{
    for (size_t i = 0; i < KINDS; i++) {
        crawl_slice value = crawl_slice_from(getenv(upload_keys_kinds[i].variable));
        if (value.size && !upload_keys_set(keys, i, value))
            return CRAWL_ENOMEM;
    }
    return CRAWL_OK;
}

static crawl_err upload_keys_of_file(const char *path, const char *profile, cw_upload_keys *keys, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = cw_read_file(path, FILE_MAX, &text, error);
    if (err == CRAWL_FULL)
        err = crawl_error_set(error, CRAWL_EIO, "%s: not a file of keys: it is too long", path);
    else if (!err && upload_keys_read(crawl_buf_slice(&text), profile, keys))
        err = cw_error(error, CRAWL_ENOMEM);
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_upload_keys_find(const char *path, const char *profile, cw_upload_keys *out, crawl_error *error)
{
    *out = (cw_upload_keys){0};
    profile = profile && *profile ? profile : "default";
    crawl_err err = path ? upload_keys_of_file(path, profile, out, error) : upload_keys_of_environment(out);
    if (err)
        return path ? err : cw_error(error, err);
    if (out->id && out->secret)
        return CRAWL_OK;
    if (path)
        return crawl_error_set(error, CRAWL_EINVAL, "%s: [%s] has no aws_access_key_id and aws_secret_access_key", path,
                               profile);
    return crawl_error_set(error, CRAWL_EINVAL,
                           "no keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use --credentials-file FILE");
}

void cw_upload_keys_free(cw_upload_keys *keys)
{
    for (size_t i = 0; i < KINDS; i++)
        free(*upload_keys_field(keys, i));
    *keys = (cw_upload_keys){0};
}
