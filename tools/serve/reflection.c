/* The program contains the descriptions as protobuf's compiler wrote them, and sends them unchanged. They are parsed
 * only to find names. No file imports another or has extensions, so each is complete. */
#include "tools/serve/serve.h"

#include "base/bytes.h"
#include "tools/serve/description.pb-c.h"
#include "tools/serve/protocols.h"
#include "tools/serve/reflection.pb-c.h"

typedef Grpc__Reflection__V1__ServerReflectionRequest reflection_request;
typedef Grpc__Reflection__V1__ServerReflectionResponse reflection_response;

#define ASKED(which) GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_##which
#define SAID(which) GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_##which

enum { SERVICES_MAX = 16 };

/* --- Names. --- */

/* Takes a name from the beginning of *rest, and the dot after it if more follows. */
static bool reflection_take_name(crawl_slice *rest, const char *name)
{
    size_t size = strlen(name);
    if (!cw_starts_with(*rest, name) || (rest->size > size && rest->data[size] != '.'))
        return false;
    *rest = cw_drop(*rest, rest->size > size ? size + 1 : size);
    return true;
}

static bool has_leaf(Description__Leaf *const *leaves, size_t count, crawl_slice name)
{
    for (size_t i = 0; i < count; i++)
        if (cw_is(name, leaves[i]->name))
            return true;
    return false;
}

static bool message_has(const Description__Message *message, crawl_slice rest)
{
    if (!reflection_take_name(&rest, message->name))
        return false;
    bool found = !rest.size || has_leaf(message->field, message->n_field, rest) ||
                 has_leaf(message->enumeration, message->n_enumeration, rest);
    for (size_t i = 0; i < message->n_nested && !found; i++)
        found = message_has(message->nested[i], rest);
    return found;
}

static bool service_has(const Description__Service *service, crawl_slice rest)
{
    return reflection_take_name(&rest, service->name) &&
           (!rest.size || has_leaf(service->method, service->n_method, rest));
}

/* Returns true if the file has a message, an enumeration, a field, a service or a method of this name. */
static bool file_has(const Description__File *file, crawl_slice symbol)
{
    if (!reflection_take_name(&symbol, file->package) || !symbol.size)
        return false;
    bool found = has_leaf(file->enumeration, file->n_enumeration, symbol);
    for (size_t i = 0; i < file->n_message && !found; i++)
        found = message_has(file->message[i], symbol);
    for (size_t i = 0; i < file->n_service && !found; i++)
        found = service_has(file->service[i], symbol);
    return found;
}

static bool file_is(const Description__File *file, crawl_slice name)
{
    return cw_is(name, file->name);
}

/* --- Answers. --- */

typedef struct reflection_answer {
    reflection_response response;
    Grpc__Reflection__V1__FileDescriptorResponse files;
    Grpc__Reflection__V1__ExtensionNumberResponse numbers;
    Grpc__Reflection__V1__ListServiceResponse list;
    Grpc__Reflection__V1__ErrorResponse error;
    crawl_buf names[SERVICES_MAX];
    Grpc__Reflection__V1__ServiceResponse services[SERVICES_MAX];
    Grpc__Reflection__V1__ServiceResponse *service_list[SERVICES_MAX];
    const Description__Set *set;
} reflection_answer;

static void say_error(reflection_answer *a, cw_grpc_code code, const char *words)
{
    grpc__reflection__v1__error_response__init(&a->error);
    a->error.error_code = (int32_t)code;
    a->error.error_message = (char *)(uintptr_t)words;
    a->response.error_response = &a->error;
    a->response.message_response_case = SAID(ERROR_RESPONSE);
}

static Description__File *reflection_read_file(const reflection_answer *a, size_t i)
{
    return description__file__unpack(NULL, a->set->file[i].len, a->set->file[i].data);
}

/* Returns the first file for which `is` returns true. NULL: none. */
static ProtobufCBinaryData *reflection_find_file(const reflection_answer *a,
                                                 bool (*is)(const Description__File *file, crawl_slice name),
                                                 const char *name)
{
    bool found = false;
    size_t i = 0;
    for (; i < a->set->n_file && !found; i++) {
        Description__File *file = reflection_read_file(a, i);
        found = file && is(file, crawl_slice_from(name));
        description__file__free_unpacked(file, NULL);
    }
    return found ? &a->set->file[i - 1] : NULL;
}

static void say_file(reflection_answer *a, ProtobufCBinaryData *file)
{
    if (!file) {
        say_error(a, CW_GRPC_NOT_FOUND, "no such symbol or file");
        return;
    }
    grpc__reflection__v1__file_descriptor_response__init(&a->files);
    a->files.file_descriptor_proto = file;
    a->files.n_file_descriptor_proto = 1;
    a->response.file_descriptor_response = &a->files;
    a->response.message_response_case = SAID(FILE_DESCRIPTOR_RESPONSE);
}

static void say_no_extensions(reflection_answer *a, char *type)
{
    if (!reflection_find_file(a, file_has, type)) {
        say_error(a, CW_GRPC_NOT_FOUND, "no such symbol or file");
        return;
    }
    grpc__reflection__v1__extension_number_response__init(&a->numbers);
    a->numbers.base_type_name = type;
    a->response.all_extension_numbers_response = &a->numbers;
    a->response.message_response_case = SAID(ALL_EXTENSION_NUMBERS_RESPONSE);
}

static void add_services(reflection_answer *a, const Description__File *file)
{
    for (size_t i = 0; i < file->n_service && a->list.n_service < SERVICES_MAX; i++) {
        size_t at = a->list.n_service;
        if (crawl_buf_printf(&a->names[at], "%s.%s", file->package, file->service[i]->name))
            return;
        grpc__reflection__v1__service_response__init(&a->services[at]);
        a->services[at].name = a->names[at].data;
        a->service_list[at] = &a->services[at];
        a->list.n_service++;
    }
}

static void say_services(reflection_answer *a)
{
    grpc__reflection__v1__list_service_response__init(&a->list);
    a->list.service = a->service_list;
    for (size_t i = 0; i < a->set->n_file; i++) {
        Description__File *file = reflection_read_file(a, i);
        if (file)
            add_services(a, file);
        description__file__free_unpacked(file, NULL);
    }
    a->response.list_services_response = &a->list;
    a->response.message_response_case = SAID(LIST_SERVICES_RESPONSE);
}

static void reflection_say(reflection_answer *a, const reflection_request *request)
{
    switch (request->message_request_case) {
    case ASKED(FILE_BY_FILENAME):
        say_file(a, reflection_find_file(a, file_is, request->file_by_filename));
        break;
    case ASKED(FILE_CONTAINING_SYMBOL):
        say_file(a, reflection_find_file(a, file_has, request->file_containing_symbol));
        break;
    case ASKED(FILE_CONTAINING_EXTENSION):
        say_error(a, CW_GRPC_NOT_FOUND, "there are no extensions");
        break;
    case ASKED(ALL_EXTENSION_NUMBERS_OF_TYPE):
        say_no_extensions(a, request->all_extension_numbers_of_type);
        break;
    case ASKED(LIST_SERVICES):
        say_services(a);
        break;
    default:
        say_error(a, CW_GRPC_INVALID_ARGUMENT, "the request asks for nothing");
    }
}

static void reflection_answer_one(cw_grpc_call *call, ProtobufCMessage *message)
{
    reflection_request *request = (reflection_request *)message;
    reflection_answer a = {.response = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT};
    Description__Set *set =
        description__set__unpack(NULL, cw_serve_protocols_size, (const uint8_t *)cw_serve_protocols);
    if (!set) {
        cw_grpc_finish(call, CW_GRPC_RESOURCE_EXHAUSTED, "out of memory");
        return;
    }
    a.set = set;
    a.response.valid_host = request->host;
    a.response.original_request = request;
    reflection_say(&a, request);
    cw_grpc_send(call, &a.response.base);
    for (size_t i = 0; i < SERVICES_MAX; i++)
        crawl_buf_free(&a.names[i]);
    description__set__free_unpacked(set, NULL);
}

#define REFLECTION(name)                                                                                           \
    {                                                                                                              \
        .path = "/" name ".ServerReflection/ServerReflectionInfo", .client_streams = true,                         \
        .request = &grpc__reflection__v1__server_reflection_request__descriptor, .message = reflection_answer_one, \
    }

const cw_grpc_method cw_serve_reflection = REFLECTION("grpc.reflection.v1");
const cw_grpc_method cw_serve_reflection_alpha = REFLECTION("grpc.reflection.v1alpha");
