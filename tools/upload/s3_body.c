#include "tools/upload/s3_body.h"

#include "base/bytes.h"

#include <errno.h>
#include <openssl/evp.h>
#include <unistd.h>

enum { SHA256_BYTES = 32, MD5_BYTES = 16, PIECE = 64 << 10 };

int64_t cw_s3_body_read(const cw_s3_body *body, uint64_t at, char *to, size_t room)
{
    uint64_t left = body->size - at;
    ssize_t got;
    do
        got = pread(body->file, to, left < room ? (size_t)left : room, (off_t)(body->from + at));
    while (got < 0 && errno == EINTR);
    return got;
}

static crawl_err s3_body_digest(const cw_s3_body *body, EVP_MD_CTX *sha256, EVP_MD_CTX *md5)
{
    char piece[PIECE];
    for (uint64_t at = 0; at < body->size;) {
        errno = 0;
        int64_t got = cw_s3_body_read(body, at, piece, sizeof piece);
        if (got <= 0)
            return CRAWL_EIO;
        if (EVP_DigestUpdate(sha256, piece, (size_t)got) != 1 || EVP_DigestUpdate(md5, piece, (size_t)got) != 1)
            return CRAWL_ENOMEM;
        at += (uint64_t)got;
    }
    return CRAWL_OK;
}

static crawl_err s3_body_end(EVP_MD_CTX *sha256, EVP_MD_CTX *md5, cw_s3_body *body)
{
    unsigned char bytes[SHA256_BYTES];
    if (EVP_DigestFinal_ex(sha256, bytes, NULL) != 1)
        return CRAWL_ENOMEM;
    cw_hex_encode(bytes, SHA256_BYTES, body->sha256);
    if (EVP_DigestFinal_ex(md5, bytes, NULL) != 1)
        return CRAWL_ENOMEM;
    cw_hex_encode(bytes, MD5_BYTES, body->md5);
    EVP_EncodeBlock((unsigned char *)body->content_md5, bytes, MD5_BYTES);
    return CRAWL_OK;
}

crawl_err cw_s3_body_open(int file, uint64_t from, uint64_t size, cw_s3_body *out)
{
    *out = (cw_s3_body){.file = file, .from = from, .size = size};
    EVP_MD_CTX *sha256 = EVP_MD_CTX_new(), *md5 = EVP_MD_CTX_new();
    bool is_begun = sha256 && md5 && EVP_DigestInit_ex(sha256, EVP_sha256(), NULL) == 1 &&
                    EVP_DigestInit_ex(md5, EVP_md5(), NULL) == 1;
    crawl_err err = is_begun ? s3_body_digest(out, sha256, md5) : CRAWL_ENOMEM;
    if (!err)
        err = s3_body_end(sha256, md5, out);
    EVP_MD_CTX_free(sha256);
    EVP_MD_CTX_free(md5);
    return err;
}
