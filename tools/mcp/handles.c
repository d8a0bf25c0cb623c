#include "tools/mcp/handles.h"

#include "base/bytes.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void *cw_mcp_try(void *value)
{
    if (!value && errno == ENOMEM)
        cw_tool_memory_refused();
    return value;
}

enum { FOLDER_MODE = 0700 };

static crawl_err handles_failed(const char *path, crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EIO, "%s: %s", path, strerror(errno));
}

crawl_err cw_mcp_handles_open(cw_mcp_server *server, const char *root, crawl_error *error)
{
    const char *folder = getenv("TMPDIR");
    crawl_buf path = {0};
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/crawl-mcp-XXXXXX", folder && *folder ? folder : "/tmp"));
    crawl_err err = mkdtemp(path.data) ? CRAWL_OK : handles_failed(path.data, error);
    if (!err)
        server->scratch = cw_tool_memory_granted(realpath(path.data, NULL));
    if (!err && !root) {
        cw_tool_memory_must(crawl_buf_append_text(&path, "/root"));
        root = path.data;
    }
    if (!err && mkdir(root, FOLDER_MODE) && errno != EEXIST)
        err = handles_failed(root, error);
    if (!err)
        server->root = realpath(root, NULL);
    if (!err && (!server->root || access(server->root, W_OK | X_OK)))
        err = handles_failed(root, error);
    crawl_buf_free(&path);
    return err;
}

void cw_mcp_handles_close(cw_mcp_server *server)
{
    if (server->scratch)
        cw_remove_folder(server->scratch);
    free(server->scratch);
    free(server->root);
}

crawl_err cw_mcp_handles_make(cw_mcp_job *job)
{
    cw_tool_memory_must(crawl_buf_printf(&job->folder, "%s/%u", job->server->scratch, ++job->server->made));
    return mkdir(job->folder.data, FOLDER_MODE) ? CRAWL_EIO : CRAWL_OK;
}

crawl_err cw_mcp_handles_make_crawl(cw_mcp_job *job, crawl_slice host)
{
    enum { MOST = 100000 };
    char name[128];
    size_t size = host.size < sizeof name - 1 ? host.size : sizeof name - 1;
    for (size_t i = 0; i < size; i++)
        name[i] = (char)(cw_is_alnum((unsigned char)host.data[i]) || (i && host.data[i] == '.') ? host.data[i] : '_');
    name[size] = '\0';
    for (int i = 1; i < MOST; i++) {
        crawl_buf_clear(&job->handle);
        crawl_buf_clear(&job->place);
        cw_tool_memory_must(crawl_buf_printf(&job->handle, "%s-%d", name, i));
        cw_tool_memory_must(crawl_buf_printf(&job->place, "%s/%s", job->server->root, job->handle.data));
        if (mkdir(job->place.data, FOLDER_MODE) == 0)
            return CRAWL_OK;
        if (errno != EEXIST)
            break;
    }
    return CRAWL_EIO;
}

static bool handles_is_name(const char *handle)
{
    for (const char *at = handle; *at; at++)
        if (!cw_is_alnum((unsigned char)*at) && !(at > handle && strchr(".-", *at)) && *at != '_')
            return false;
    return *handle != '\0';
}

bool cw_mcp_handles_find(const cw_mcp_server *server, const char *handle, const char *file, crawl_buf *path)
{
    const char end[] = ".jsonl";
    size_t size = strlen(handle), root = strlen(server->root);
    bool is_file = size >= sizeof end && strcmp(handle + size - (sizeof end - 1), end) == 0;
    crawl_buf_clear(path);
    if (!handles_is_name(handle) || (is_file && strcmp(file, CW_MCP_RECORDS) != 0))
        return false;
    cw_tool_memory_must(crawl_buf_printf(path, is_file ? "%s/%s" : "%s/%s/%s", server->root, handle, file));
    char *real = cw_mcp_try(realpath(path->data, NULL));
    bool is_below = real && strncmp(real, server->root, root) == 0 && real[root] == '/';
    free(real);
    if (!is_below)
        crawl_buf_clear(path);
    return is_below;
}

void cw_mcp_handles_read(const crawl_buf *folder, const char *file, size_t most, crawl_buf *out)
{
    crawl_buf path = {0};
    cw_tool_memory_must(crawl_buf_printf(&path, "%s/%s", folder->data, file));
    cw_tool_memory_must(cw_read_file(path.data, most, out, NULL));
    if (out->size > most)
        out->data[out->size = most] = '\0';
    crawl_buf_free(&path);
}
