#include "fetch/names/uses.h"

#include "base/map.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct name_use {
    size_t users;
    char text[];
} name_use;

struct cw_names_uses {
    cw_map *names;
};

cw_names_uses *cw_names_uses_create(void)
{
    cw_names_uses *uses = calloc(1, sizeof *uses);
    if (!uses)
        return NULL;
    uses->names = cw_map_create((uintptr_t)uses);
    if (uses->names)
        return uses;
    free(uses);
    return NULL;
}

void cw_names_uses_free(cw_names_uses *uses)
{
    if (!uses)
        return;
    cw_map_free_values(uses->names);
    free(uses);
}

crawl_err cw_names_uses_add(cw_names_uses *uses, crawl_slice name)
{
    name_use *use = cw_map_get(uses->names, name);
    if (!use)
        use = cw_map_make(uses->names, name, sizeof *use, offsetof(name_use, text));
    if (!use)
        return CRAWL_ENOMEM;
    use->users++;
    return CRAWL_OK;
}

bool cw_names_uses_drop(cw_names_uses *uses, crawl_slice name)
{
    name_use *use = cw_map_get(uses->names, name);
    if (!use || --use->users)
        return false;
    cw_map_remove(uses->names, name);
    free(use);
    return true;
}
