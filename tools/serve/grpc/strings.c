/* See strings.h. Fields as the encoding of Protocol Buffers has them: a varint with the field's number and the kind of
 * its value, then the value. */
#include "tools/serve/grpc/strings.h"

#include "base/bytes.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, SIZED = 2, FIXED32 = 5, KINDS = 8, VARINT_BYTES = 10, DEPTH_MAX = 16 };

static bool take_varint(crawl_slice *rest, uint64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < VARINT_BYTES && rest->size; i++) {
        unsigned char byte = (unsigned char)cw_take(rest, 1).data[0];
        *out |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Takes the value of a field; *value: the bytes of a sized one. False: it is not there. */
static bool strings_take_value(crawl_slice *rest, unsigned kind, crawl_slice *value)
{
    uint64_t size = kind == FIXED64 ? 8 : 4;
    *value = (crawl_slice){0};
    if (kind == VARINT)
        return take_varint(rest, &size);
    if ((kind == SIZED && !take_varint(rest, &size)) || (kind != SIZED && kind != FIXED64 && kind != FIXED32) ||
        size > rest->size)
        return false;
    *value = cw_take(rest, (size_t)size);
    return true;
}

static bool are_whole(const ProtobufCMessageDescriptor *type, crawl_slice rest, unsigned depth)
{
    uint64_t tag;
    crawl_slice value;
    while (rest.size && take_varint(&rest, &tag) && strings_take_value(&rest, (unsigned)(tag % KINDS), &value)) {
        const ProtobufCFieldDescriptor *field =
            tag / KINDS <= UINT32_MAX ? protobuf_c_message_descriptor_get_field(type, (unsigned)(tag / KINDS)) : NULL;
        if (!field || tag % KINDS != SIZED || !value.size)
            continue;
        if (field->type == PROTOBUF_C_TYPE_STRING && memchr(value.data, '\0', value.size))
            return false;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && depth < DEPTH_MAX &&
            !are_whole(field->descriptor, value, depth + 1))
            return false;
    }
    return true;
}

bool cw_grpc_strings_are_whole(const ProtobufCMessageDescriptor *type, crawl_slice message)
{
    return are_whole(type, message, 0);
}
