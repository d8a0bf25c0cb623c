/* See service.h. The directory has a folder for each crawl, named after it, and a file with the settings of the
 * service. A deleted crawl is renamed first, so that a crash leaves nothing that looks complete. The next start removes
 * the rest. */
#include "tools/serve/urlfrontier/service.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"
#include "base/text/percent.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DELAY_S = 1, SETTINGS_MAX = 4096 };

static const char crawl_prefix[] = "crawl-";
static const char gone_prefix[] = "deleted-";

/* --- Names. --- */

crawl_slice cw_service_id(const char *id)
{
    return crawl_slice_from(id && *id ? id : "DEFAULT");
}

crawl_slice cw_service_key(const char *key, const char *url)
{
    if (key && *key)
        return crawl_slice_from(key);
    crawl_slice rest = crawl_slice_from(url);
    size_t at = cw_find_text(rest, "://");
    if (at == rest.size)
        return (crawl_slice){0};
    rest = cw_drop(rest, at + 3);
    return cw_take(&rest, cw_find_any(rest, ":/?&"));
}

/* Appends the path of a crawl's folder. Letters and digits stay, all else is percent-encoded. */
static crawl_err service_path_of(const cw_service *service, const char *prefix, crawl_slice id, crawl_buf *out)
{
    crawl_err err = crawl_buf_printf(out, "%s/%s", service->directory, prefix);
    for (size_t i = 0; i < id.size && !err; i++) {
        unsigned char c = (unsigned char)id.data[i];
        bool plain = cw_is_alnum(c) || c == '-' || c == '_';
        err = plain ? crawl_buf_append_char(out, (char)c) : crawl_buf_printf(out, "%%%02X", c);
    }
    return err;
}

/* --- Crawls. --- */

static cw_service_crawl *service_find(const cw_service *service, crawl_slice name)
{
    for (size_t i = 0; i < service->count; i++)
        if (cw_is(name, service->crawls[i]->id))
            return service->crawls[i];
    return NULL;
}

cw_service_crawl *cw_service_find(const cw_service *service, const char *id)
{
    return service_find(service, cw_service_id(id));
}

static crawl_err service_add(cw_service *service, const char *directory, crawl_slice id, crawl_error *error)
{
    cw_service_crawl **out = &service->crawls[service->count];
    crawl_err err = cw_service_crawl_open(directory, id, service->fingerprinter, cw_service_now(service), out, error);
    if (!err)
        (*out)->delay_s = &service->delay_s;
    return err;
}

crawl_err cw_service_get(cw_service *service, const char *id, cw_service_crawl **out)
{
    crawl_buf path = {0};
    crawl_slice name = cw_service_id(id);
    *out = cw_service_find(service, id);
    if (*out)
        return CRAWL_OK;
    if (name.size > CW_SERVICE_ID_MAX || cw_utf8_valid_prefix(name) < name.size)
        return CRAWL_EINVAL;
    if (service->count >= CW_SERVICE_CRAWLS_MAX)
        return CRAWL_FULL;
    crawl_err err = service_path_of(service, crawl_prefix, name, &path);
    if (!err)
        err = service_add(service, path.data, name, NULL);
    crawl_buf_free(&path);
    if (!err)
        *out = service->crawls[service->count++];
    return err;
}

/* Hand-outs of the crawl end at their next step, which does not find it. */
crawl_err cw_service_delete(cw_service *service, cw_service_crawl *crawl)
{
    crawl_buf from = {0};
    crawl_buf to = {0};
    crawl_slice id = crawl_slice_from(crawl->id);
    crawl_err err = service_path_of(service, crawl_prefix, id, &from);
    if (!err)
        err = service_path_of(service, gone_prefix, id, &to);
    if (!err) {
        size_t at = 0;
        while (service->crawls[at] != crawl)
            at++;
        memmove(&service->crawls[at], &service->crawls[at + 1], (--service->count - at) * sizeof(cw_service_crawl *));
        (void)cw_service_crawl_close(crawl, NULL); /* its unwritten data is not needed */
        cw_remove_folder(to.data);
        err = rename(from.data, to.data) ? CRAWL_EIO : cw_sync_folder(to.data, NULL);
    }
    if (!err)
        cw_remove_folder(to.data);
    crawl_buf_free(&from);
    crawl_buf_free(&to);
    return err;
}

void cw_service_tick(cw_service *service)
{
    for (size_t i = 0; i < service->count; i++)
        cw_service_crawl_expire(service->crawls[i], cw_service_now(service));
}

/* --- Settings. --- */

static crawl_err settings_path(const cw_service *service, crawl_buf *out)
{
    return crawl_buf_printf(out, "%s/service", service->directory);
}

crawl_err cw_service_keep(const cw_service *service)
{
    crawl_buf path = {0};
    crawl_buf text = {0};
    crawl_err err = settings_path(service, &path);
    if (!err)
        err = crawl_buf_printf(&text, "urlfrontier 1\ndelay %u\nactive %d\n", service->delay_s, !service->paused);
    if (!err)
        err = cw_replace_file(path.data, crawl_buf_slice(&text), 0600, NULL);
    crawl_buf_free(&path);
    crawl_buf_free(&text);
    return err;
}

static crawl_err service_recall(cw_service *service, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_buf text = {0};
    int active = 1;
    crawl_err err = settings_path(service, &path);
    if (err || access(path.data, F_OK)) {
        crawl_buf_free(&path);
        return err ? cw_error(error, err) : CRAWL_OK;
    }
    err = cw_read_file(path.data, SETTINGS_MAX, &text, error);
    bool good = !err && sscanf(text.data, "urlfrontier 1\ndelay %u\nactive %d\n", &service->delay_s, &active) == 2;
    if (!err && !good)
        err = crawl_error_set(error, CRAWL_ECORRUPT, "%s: not the settings of a URLFrontier service", path.data);
    service->paused = !active;
    crawl_buf_free(&path);
    crawl_buf_free(&text);
    return err;
}

/* --- The directory. --- */

static crawl_err open_entry(cw_service *service, const char *name, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_buf id = {0};
    crawl_slice rest = crawl_slice_from(name);
    crawl_err err = crawl_buf_printf(&path, "%s/%s", service->directory, name);
    if (!err && cw_take_text(&rest, gone_prefix))
        cw_remove_folder(path.data);
    if (!err && cw_take_text(&rest, crawl_prefix)) {
        err = cw_percent_decode(rest, &id);
        if (!err && !service_find(service, crawl_buf_slice(&id))) {
            err = service->count < CW_SERVICE_CRAWLS_MAX ? CRAWL_OK : CRAWL_FULL;
            err = err ? cw_error(error, err) : service_add(service, path.data, crawl_buf_slice(&id), error);
            service->count += !err;
        }
    }
    crawl_buf_free(&path);
    crawl_buf_free(&id);
    return err;
}

crawl_err cw_service_open_crawls(cw_service *service, crawl_error *error)
{
    DIR *folder = opendir(service->directory);
    crawl_err err = CRAWL_OK;
    if (!folder)
        return cw_error_of_file(error, service->directory);
    for (struct dirent *entry; !err && (entry = readdir(folder));)
        err = open_entry(service, entry->d_name, error);
    closedir(folder);
    return err;
}

static crawl_err take_directory(cw_service *service, crawl_error *error)
{
    crawl_buf path = {0};
    if (mkdir(service->directory, 0700) && errno != EEXIST)
        return cw_error_of_file(error, service->directory);
    if (crawl_buf_printf(&path, "%s/db", service->directory))
        return cw_error(error, CRAWL_ENOMEM);
    bool is_crawl = !access(path.data, F_OK); /* crawls of a service have folders of their own */
    crawl_buf_clear(&path);
    if (is_crawl || crawl_buf_printf(&path, "%s/lock", service->directory)) {
        crawl_buf_free(&path);
        return is_crawl ? crawl_error_set(error, CRAWL_EINVAL, "%s: a crawl of --state, not of a service",
                                          service->directory)
                        : cw_error(error, CRAWL_ENOMEM);
    }
    service->lock = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    crawl_err err = service->lock < 0 ? cw_error_of_file(error, path.data) : CRAWL_OK;
    if (!err && flock(service->lock, LOCK_EX | LOCK_NB))
        err = crawl_error_set(error, CRAWL_ESTATE, "%s: in use by another process", service->directory);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_service_open(const char *directory, bool always, cw_service **out, crawl_error *error)
{
    cw_service *service = calloc(1, sizeof *service);
    if (!service)
        return cw_error(error, CRAWL_ENOMEM);
    service->lock = -1;
    service->always = always;
    service->delay_s = DELAY_S;
    service->clock = cw_clock_start();
    service->directory = strdup(directory);
    service->fingerprinter = crawl_fingerprinter_create();
    service->crawls = calloc(CW_SERVICE_CRAWLS_MAX, sizeof(cw_service_crawl *));
    bool good = service->directory && service->fingerprinter && service->crawls;
    crawl_err err = good ? take_directory(service, error) : cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = service_recall(service, error);
    if (!err)
        err = cw_service_open_crawls(service, error);
    if (err)
        (void)cw_service_close(service, NULL);
    else
        *out = service;
    return err;
}

crawl_err cw_service_close(cw_service *service, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (!service)
        return CRAWL_OK;
    for (size_t i = 0; i < service->count; i++) {
        crawl_err failed = cw_service_crawl_close(service->crawls[i], err ? NULL : error);
        err = err ? err : failed;
    }
    crawl_fingerprinter_free(service->fingerprinter);
    free(service->crawls);
    if (service->lock >= 0)
        close(service->lock);
    crawl_buf_free(&service->address);
    free(service->directory);
    free(service);
    return err;
}

void cw_service_end(cw_grpc_call *call, crawl_err err)
{
    if (err == CRAWL_OK)
        cw_grpc_finish(call, CW_GRPC_OK, NULL);
    else if (err == CRAWL_ENOMEM || err == CRAWL_FULL)
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, crawl_strerror(err));
    else
        cw_grpc_finish(call, CW_GRPC_UNAVAILABLE, "the directory of the crawl cannot be read or written");
}
