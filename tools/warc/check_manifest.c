/* See check_parts.h: datapackage.json and datapackage-digest.json. */
#include "base/bytes.h"
#include "base/json/json_read.h"
#include "tools/common/refused_memory.h"
#include "tools/warc/check_parts.h"
#include "tools/warc/parcel_sign.h"

#include <stdlib.h>

static const char MANIFEST[] = "datapackage.json", DIGEST[] = "datapackage-digest.json";

typedef struct manifest_checking {
    cw_check *check;
    const cw_zip *zip;
    crawl_buf room;
    char hash[sizeof "sha256:" + 64]; /* of the manifest */
    char created[64];
    bool *listed; /* by entry */
} manifest_checking;

static void manifest_fault(manifest_checking *m, const char *inner, const char *what, const char *of)
{
    m->check->inner = inner;
    cw_check_fault(m->check, NULL, 0, "%s%s", what, of);
}

static const char *manifest_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* Reads the content of an entry as a JSON object. NULL: absent or, reported, not an object. */
static json_t *manifest_load(manifest_checking *m, const char *name, crawl_slice *content)
{
    json_error_t why;
    const cw_zip_entry *entry = cw_zip_find(m->zip, name);
    if (!entry || cw_zip_content(entry, &m->room, content))
        return NULL; /* already reported */
    json_t *object = json_loadb(content->data, content->size, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(object)) {
        manifest_fault(m, name, "not a JSON object: ", object ? "" : why.text);
        json_decref(object);
        return NULL;
    }
    return object;
}

/* ---- resources ---- */

static bool manifest_is_name(const char *name)
{
    for (const char *at = name; *at; at++)
        if (!(cw_is_digit((unsigned char)*at) || (*at >= 'a' && *at <= 'z') || strchr("-._/", *at)))
            return false;
    return *name;
}

static void manifest_check_hash(manifest_checking *m, const cw_zip_entry *entry, const char *hash, json_t *bytes)
{
    char hex[65] = "";
    crawl_slice content, wanted = crawl_slice_from(hash);
    if (!json_is_integer(bytes) || (uint64_t)json_integer_value(bytes) != entry->size)
        manifest_fault(m, MANIFEST, "bytes is not the size of ", entry->name);
    if (cw_zip_content(entry, &m->room, &content))
        return; /* already reported */
    if (!cw_take_text(&wanted, "sha256:") || cw_zip_sha256(content, hex) || !cw_is(wanted, hex))
        manifest_fault(m, MANIFEST, "hash is not the SHA-256 of ", entry->name);
}

static void manifest_check_resource(manifest_checking *m, const json_t *resources, size_t index)
{
    const json_t *resource = json_array_get(resources, index);
    const char *path = manifest_text(resource, "path"), *name = manifest_text(resource, "name");
    const cw_zip_entry *entry = cw_zip_find(m->zip, path);
    if (!manifest_is_name(name))
        manifest_fault(m, MANIFEST, "the name of a resource has other characters than a-z 0-9 . _ - /: ", name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(manifest_text(json_array_get(resources, i), "name"), name) == 0)
            manifest_fault(m, MANIFEST, "two resources have one name: ", name);
    if (!entry) {
        manifest_fault(m, MANIFEST, "a resource is not in the ZIP: ", path);
        return;
    }
    m->listed[entry - m->zip->entries] = true;
    manifest_check_hash(m, entry, manifest_text(resource, "hash"), json_object_get(resource, "bytes"));
}

static void manifest_check_resources(manifest_checking *m, const json_t *resources)
{
    if (!json_array_size(resources))
        manifest_fault(m, MANIFEST, "there are no resources", "");
    for (size_t i = 0; i < json_array_size(resources); i++)
        manifest_check_resource(m, resources, i);
    for (size_t i = 0; i < m->zip->count; i++) {
        const char *name = m->zip->entries[i].name;
        bool is_own = strcmp(name, MANIFEST) == 0 || strcmp(name, DIGEST) == 0;
        if (!m->listed[i] && !is_own && !cw_ends_with(crawl_slice_from(name), "/"))
            manifest_fault(m, MANIFEST, "a file of the ZIP is not among the resources: ", name);
    }
}

static void manifest_check(manifest_checking *m, bool *requires)
{
    crawl_slice content;
    json_t *manifest = manifest_load(m, MANIFEST, &content);
    if (!manifest)
        return;
    memcpy(m->hash, "sha256:", sizeof "sha256:");
    if (cw_zip_sha256(content, m->hash + strlen("sha256:")))
        *m->hash = '\0';
    snprintf(m->created, sizeof m->created, "%s", manifest_text(manifest, "created"));
    if (strcmp(manifest_text(manifest, "profile"), "data-package") != 0)
        manifest_fault(m, MANIFEST, "profile is not \"data-package\"", "");
    const char *version = manifest_text(manifest, "wacz_version");
    if (strcmp(version, "1.1.1") != 0 && strcmp(version, "1.0.0") != 0 && strcmp(version, "1.1.0") != 0)
        manifest_fault(m, MANIFEST, "wacz_version is not 1.1.1, 1.1.0 or 1.0.0", "");
    manifest_check_resources(m, json_object_get(manifest, "resources"));
    *requires = json_array_size(json_object_get(json_object_get(manifest, "relation"), "requires"));
    json_decref(manifest);
}

/* ---- digest and signature ---- */

static void manifest_check_signature(manifest_checking *m, const json_t *data)
{
    const char *key = manifest_text(data, "publicKey"), *signature = manifest_text(data, "signature");
    if (strcmp(manifest_text(data, "hash"), m->hash) != 0)
        manifest_fault(m, DIGEST, "the hash of signedData is not that of datapackage.json", "");
    if (strcmp(manifest_text(data, "created"), m->created) != 0)
        manifest_fault(m, DIGEST, "the time of creation of signedData is not that of datapackage.json", "");
    if (!*key && *manifest_text(data, "domainCert"))
        return; /* by a domain: would need its certificates and a time server */
    crawl_slice text = crawl_slice_from(manifest_text(data, "hash"));
    if (!cw_parcel_is_signed(text, crawl_slice_from(key), crawl_slice_from(signature)))
        manifest_fault(m, DIGEST, "the signature does not match the hash and the key", "");
}

static void manifest_check_digest(manifest_checking *m)
{
    crawl_slice content;
    json_t *digest = manifest_load(m, DIGEST, &content);
    if (!digest)
        return;
    if (strcmp(manifest_text(digest, "path"), MANIFEST) != 0)
        manifest_fault(m, DIGEST, "path is not datapackage.json", "");
    if (strcmp(manifest_text(digest, "hash"), m->hash) != 0)
        manifest_fault(m, DIGEST, "hash is not the SHA-256 of datapackage.json", "");
    const json_t *data = json_object_get(digest, "signedData");
    if (data)
        manifest_check_signature(m, data);
    json_decref(digest);
}

void cw_check_wacz_manifest(cw_check *check, const cw_zip *zip, bool *requires)
{
    manifest_checking m = {
        .check = check, .zip = zip, .listed = cw_tool_memory_granted(calloc(zip->count + 1, sizeof *m.listed))};
    manifest_check(&m, requires);
    manifest_check_digest(&m);
    check->inner = NULL;
    crawl_buf_free(&m.room);
    free(m.listed);
}
