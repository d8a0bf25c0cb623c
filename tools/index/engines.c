#include "tools/index/engines.h"

const cw_index_engine *cw_index_engine_find(const char *name)
{
    static const cw_index_engine *const all[] = {&cw_index_elasticsearch, &cw_index_opensearch, &cw_index_meilisearch,
                                                 &cw_index_typesense};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}
