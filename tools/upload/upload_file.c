#include "tools/upload/upload_file.h"

#include "tools/upload/s3_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WHOLE_MAX = 100 << 20 }; /* maximum size in a single request, as AWS recommends */

typedef struct upload_file {
    cw_s3_client *client;
    const char *key;
    cw_s3_body body; /* the whole file */
    cw_s3_answer answer;
    cw_upload_result *result;
} upload_file;

static cw_upload_outcome upload_file_end(const upload_file *u, cw_upload_outcome outcome, const char *words)
{
    snprintf(u->result->words, sizeof u->result->words, "%s", words);
    return u->answer.has_no_memory ? CW_UPLOAD_LOCAL : outcome;
}

/* Asks for the object. Returns true if it exists; *outcome tells whether it is this file. */
static bool upload_file_look(upload_file *u, cw_upload_outcome *outcome)
{
    cw_s3_ask(u->client, &(cw_s3_call){.method = "HEAD", .key = u->key}, &u->answer);
    if (!u->answer.is_good)
        return false;
    bool is_same = u->answer.size == (int64_t)u->body.size && strcmp(u->answer.sha256, u->body.sha256) == 0;
    *outcome = is_same ? CW_UPLOAD_KNOWN
                       : upload_file_end(u, CW_UPLOAD_REFUSED,
                                         "another object of this name exists, and is not "
                                         "replaced");
    return true;
}

/* Returns why the file could not be read. */
static const char *upload_file_why(void)
{
    return errno ? strerror(errno) : "became shorter while it was read";
}

/* False: the file cannot be read. */
static bool upload_file_send(upload_file *u, bool is_new)
{
    if (u->body.size > WHOLE_MAX)
        return cw_s3_parts_send(u->client, u->key, u->body.file, u->body.size, u->body.sha256, is_new, &u->answer);
    cw_s3_ask(
        u->client,
        &(cw_s3_call){.method = "PUT", .key = u->key, .body = &u->body, .sha256 = u->body.sha256, .is_new = is_new},
        &u->answer);
    return true;
}

/* Judges the object that the server has made. A resumed upload keeps the SHA-256 that it was begun with, perhaps by an
 * older version of the file, and no server changes it. */
static cw_upload_outcome upload_file_judge(const upload_file *u)
{
    if (u->answer.size != (int64_t)u->body.size)
        return upload_file_end(u, CW_UPLOAD_FAILED, "the object's size differs from the file's");
    if (*u->answer.sha256 && strcmp(u->answer.sha256, u->body.sha256) != 0)
        return upload_file_end(u, CW_UPLOAD_REFUSED,
                               "the object has the SHA-256 of an older version of the file, whose upload went on: "
                               "delete the object and upload the file again");
    return CW_UPLOAD_SENT;
}

/* Asks the server again for the final result, since an answer may have been lost or wrong. */
static cw_upload_outcome upload_file_confirm(upload_file *u)
{
    const cw_s3_answer sent = u->answer;
    cw_upload_outcome outcome;
    bool may_be_there = sent.is_good || sent.status == 412 || sent.status == 404;
    bool is_there = may_be_there && upload_file_look(u, &outcome);
    if (is_there && sent.is_good)
        return upload_file_judge(u);
    if (is_there)
        return outcome == CW_UPLOAD_KNOWN ? CW_UPLOAD_SENT : outcome;
    return upload_file_end(u, CW_UPLOAD_FAILED, sent.is_good ? u->answer.words : sent.words);
}

static cw_upload_outcome upload_file_bring(upload_file *u)
{
    cw_upload_outcome outcome;
    if (upload_file_look(u, &outcome))
        return outcome;
    bool is_absent = u->answer.status == 404; /* 403 without permission to list */
    if (!u->answer.status || u->answer.may_pass)
        return upload_file_end(u, CW_UPLOAD_FAILED, u->answer.words);
    bool is_read = upload_file_send(u, true);
    bool knows_no_condition = !u->answer.is_good && u->answer.status == 501;
    if (is_read && knows_no_condition && is_absent)
        is_read = upload_file_send(u, false);
    return is_read ? upload_file_confirm(u) : upload_file_end(u, CW_UPLOAD_LOCAL, upload_file_why());
}

static cw_upload_outcome upload_file_open(upload_file *u, int file)
{
    struct stat found;
    if (fstat(file, &found) || !S_ISREG(found.st_mode))
        return upload_file_end(u, CW_UPLOAD_LOCAL, "not a regular file");
    u->result->size = (uint64_t)found.st_size;
    crawl_err err = cw_s3_body_open(file, 0, (uint64_t)found.st_size, &u->body);
    if (!err)
        return upload_file_bring(u);
    return upload_file_end(u, CW_UPLOAD_LOCAL, err == CRAWL_ENOMEM ? crawl_strerror(err) : upload_file_why());
}

cw_upload_outcome cw_upload_file(cw_s3_client *client, const char *path, const char *key, cw_upload_result *result)
{
    upload_file u = {.client = client, .key = key, .result = result};
    *result = (cw_upload_result){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return upload_file_end(&u, CW_UPLOAD_LOCAL, strerror(errno));
    cw_upload_outcome outcome = upload_file_open(&u, file);
    close(file);
    return outcome;
}
