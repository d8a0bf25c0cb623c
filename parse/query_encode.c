/* See query_encode.h.
 *
 * iconv's tables are those of the Encoding standard but for some code points, which query_encode_tables.h lists. Characters are
 * converted one by one: queries that are not ASCII are short and rare, and so each can be answered before iconv is asked, and
 * what iconv says be judged. */
#include "parse/query_encode.h"

#include "parse/percent.h"
#include "parse/utf8.h"

#include <crawl/links.h>

enum { MAX_BYTES = 16 }; /* of one character in any charset, escape sequences included */

/* A code point whose bytes the standard has otherwise than iconv. size 0: it has none. */
typedef struct charset_exception {
    uint32_t code;
    uint8_t size;
    unsigned char bytes[2];
} charset_exception;

/* What holds for a charset; what iconv gives against it is no encoding. */
enum {
    ONE_BYTE = 1 << 0,
    TWO_BYTES = 1 << 1, /* at most */
    C1 = 1 << 2,        /* unused bytes from 0x80 to 0x9f are the C1 controls */
    HIGH_LEAD = 1 << 3, /* no first byte below 0xa1: HKSCS is decoded only */
    JAPANESE = 1 << 4,  /* no C1 controls, no private use: decoded only */
    STATEFUL = 1 << 5   /* with escape sequences; bytes that could be taken for one are unencodable */
};

typedef struct cw_charset {
    const char *name; /* WHATWG */
    const char *iconv_name;
    unsigned flags;
    const charset_exception *exceptions; /* ends with code 0; NULL: none */
} cw_charset;

#include "parse/query_encode_tables.h"

static const cw_charset *find_charset(const char *label)
{
    const char *name = crawl_charset_name(crawl_slice_from(label));
    for (size_t i = 0; name && i < sizeof charsets / sizeof *charsets; i++)
        if (strcmp(name, charsets[i].name) == 0)
            return &charsets[i];
    return NULL;
}

void cw_query_encoder_close(cw_query_encoder *encoder)
{
    if (encoder->charset)
        iconv_close(encoder->handle);
    encoder->charset = NULL;
}

static bool open_charset(cw_query_encoder *encoder, const cw_charset *charset)
{
    if (encoder->charset == charset)
        return charset != NULL;
    cw_query_encoder_close(encoder);
    if (!charset)
        return false;
    iconv_t handle = iconv_open(charset->iconv_name, "UTF-8");
    if (handle == (iconv_t)-1)
        return false;
    encoder->handle = handle;
    encoder->charset = charset;
    return true;
}

bool cw_query_depends_on_charset(const char *charset, crawl_slice query)
{
    if (!charset || strcmp(charset, "utf-8") == 0)
        return false;
    for (size_t i = 0; i < query.size; i++)
        if ((unsigned char)query.data[i] < ' ' || (unsigned char)query.data[i] >= 0x7f)
            return true;
    return false;
}

/* One character in the query. */
typedef struct query_character {
    uint32_t code;
    const char *utf8;
    size_t size;
} query_character;

static const charset_exception *find_exception(const cw_charset *charset, uint32_t code)
{
    for (const charset_exception *at = charset->exceptions; at && at->code; at++)
        if (at->code == code)
            return at;
    return NULL;
}

static size_t convert(iconv_t handle, const query_character *character, char bytes[MAX_BYTES])
{
    char *from = (char *)character->utf8; /* iconv's type: it writes nothing there */
    size_t left = character->size;
    char *to = bytes;
    size_t room = MAX_BYTES;
    size_t irreversible = iconv(handle, &from, &left, &to, &room);
    return irreversible == (size_t)-1 ? 0 : (size_t)(to - bytes);
}

/* Would the standard's encoder give what iconv gave? */
static bool is_standard(const cw_charset *charset, uint32_t code, const char *bytes, size_t size)
{
    unsigned flags = charset->flags;
    if (((flags & ONE_BYTE) && size > 1) || ((flags & TWO_BYTES) && size > 2))
        return false;
    if ((flags & HIGH_LEAD) && (unsigned char)bytes[0] < 0xa1)
        return false;
    bool control = code > 0x80 && code < 0xa0;
    bool private_use = code >= 0xe000 && code < 0xf900;
    return !(flags & JAPANESE) || !(control || private_use);
}

/* The bytes of a character that is not ASCII; 0: the charset has none. */
static size_t encode_high(const cw_query_encoder *encoder, const query_character *character, char bytes[MAX_BYTES])
{
    const cw_charset *charset = encoder->charset;
    const charset_exception *exception = find_exception(charset, character->code);
    if (exception) {
        memcpy(bytes, exception->bytes, exception->size);
        return exception->size;
    }
    size_t size = convert(encoder->handle, character, bytes);
    if (size)
        return is_standard(charset, character->code, bytes, size) ? size : 0;
    if (!(charset->flags & C1) || character->code >= 0xa0)
        return 0;
    bytes[0] = (char)character->code;
    return 1;
}

/* Back to ASCII, where the charset has states. */
static size_t leave_state(const cw_query_encoder *encoder, char bytes[MAX_BYTES])
{
    char *to = bytes;
    size_t room = MAX_BYTES;
    if (encoder->charset->flags & STATEFUL)
        iconv(encoder->handle, NULL, NULL, &to, &room);
    return (size_t)(to - bytes);
}

static bool is_shift(uint32_t code)
{
    return code == 0x0e || code == 0x0f || code == 0x1b;
}

static crawl_err append_escaped(crawl_buf *out, const char *bytes, size_t size, unsigned set)
{
    crawl_err err = crawl_buf_reserve(out, 3 * size);
    if (!err)
        out->size = (size_t)(cw_percent_write(out->data + out->size, bytes, bytes + size, set) - out->data);
    return err;
}

static crawl_err append_number(crawl_buf *out, uint32_t code)
{
    return crawl_buf_printf(out, "%%26%%23%u%%3B", (unsigned)code);
}

static crawl_err append_character(const cw_query_encoder *encoder, const query_character *character, unsigned set, crawl_buf *out)
{
    char bytes[MAX_BYTES];
    bool stateful = encoder->charset->flags & STATEFUL;
    if (stateful && is_shift(character->code))
        return append_number(out, CW_UTF8_REPLACEMENT);
    if (character->code < 0x80 && !stateful)
        return append_escaped(out, character->utf8, 1, set);
    size_t size = encode_high(encoder, character, bytes);
    if (size)
        return append_escaped(out, bytes, size, set);
    crawl_err err = append_escaped(out, bytes, leave_state(encoder, bytes), set);
    return err ? err : append_number(out, character->code);
}

static crawl_err encode(const cw_query_encoder *encoder, crawl_slice query, unsigned set, crawl_buf *out)
{
    char bytes[MAX_BYTES];
    crawl_err err = CRAWL_OK;
    const char *end = query.data + query.size;
    iconv(encoder->handle, NULL, NULL, NULL, NULL);
    for (const char *at = query.data; at < end && !err;) {
        query_character character = {.utf8 = at};
        character.code = cw_utf8_decode(at, end, &character.size);
        err = append_character(encoder, &character, set, out);
        at += character.size;
    }
    return err ? err : append_escaped(out, bytes, leave_state(encoder, bytes), set);
}

crawl_err cw_query_encode(cw_query_encoder *encoder, const char *charset, crawl_slice query, unsigned set, crawl_buf *out)
{
    if (!open_charset(encoder, find_charset(charset)))
        return append_escaped(out, query.data, query.size, set);
    return encode(encoder, query, set, out);
}
