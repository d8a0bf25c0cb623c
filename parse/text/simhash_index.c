/* Searches for hashes within a distance (Manku, Jain, Das Sarma 2007, section 3). See <crawl/simhash.h>.
 *
 * Two hashes that differ in at most d bits differ in at most d of d + 2 blocks of their bits, so at least two blocks
 * are equal. For each pair of blocks there is a table of lists, by the bits of the pair: for d = 3 there are ten
 * tables, by 25 or 26 bits each, so that with a million hashes a list has 1/30 of a hash on average. The paper sorts
 * permuted copies of all hashes for a batch; a list for each key can take new hashes at any time. */
#include <crawl/simhash.h>

#include <stdlib.h>

enum {
    MAX_BLOCKS = CRAWL_SIMHASH_MAX_DISTANCE + 2,
    MAX_TABLES = MAX_BLOCKS * (MAX_BLOCKS - 1) / 2,
    FIRST_CAPACITY = 64
};

#define NONE UINT32_MAX
#define MAX_HASHES ((size_t)1 << 31)

struct crawl_simhash_index {
    unsigned distance;
    unsigned table_count;
    uint64_t masks[MAX_TABLES]; /* the bits of the pair of blocks */
    size_t max_hashes;
    size_t capacity; /* a power of two: hashes, and lists of each table */
    size_t count;
    uint64_t *hashes;
    uint32_t *values;
    uint32_t *heads; /* of table t from t * capacity on: the first hash of each list */
    uint32_t *next;  /* arranged likewise: the next hash of the list */
};

/* Returns the bits of block i of n. */
static uint64_t block_mask(unsigned i, unsigned n)
{
    unsigned from = 64 * i / n;
    unsigned to = 64 * (i + 1) / n;
    uint64_t below = to == 64 ? UINT64_MAX : (UINT64_C(1) << to) - 1;
    return below & ~((UINT64_C(1) << from) - 1);
}

static void make_masks(crawl_simhash_index *index)
{
    unsigned blocks = index->distance + 2;
    for (unsigned i = 0; i < blocks; i++)
        for (unsigned j = i + 1; j < blocks; j++)
            index->masks[index->table_count++] = block_mask(i, blocks) | block_mask(j, blocks);
}

/* Returns the list of a table that a hash belongs to. The upper bits of a product are well mixed. */
static size_t list_of(const crawl_simhash_index *index, unsigned table, uint64_t hash)
{
    uint64_t key = (hash & index->masks[table]) * UINT64_C(0x9e3779b97f4a7c15);
    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return table * index->capacity + (size_t)(key >> 32 & (index->capacity - 1));
}

static void link_hash(crawl_simhash_index *index, uint32_t number)
{
    for (unsigned t = 0; t < index->table_count; t++) {
        uint32_t *head = &index->heads[list_of(index, t, index->hashes[number])];
        index->next[t * index->capacity + number] = *head;
        *head = number;
    }
}

/* Doubles the capacity. After an error nothing has changed. */
static crawl_err simhash_index_grow(crawl_simhash_index *index)
{
    size_t capacity = index->capacity ? index->capacity * 2 : FIRST_CAPACITY;
    size_t cells = capacity * index->table_count;
    uint64_t *hashes = reallocarray(index->hashes, capacity, sizeof *hashes);
    if (hashes)
        index->hashes = hashes;
    uint32_t *values = reallocarray(index->values, capacity, sizeof *values);
    if (values)
        index->values = values;
    uint32_t *heads = reallocarray(NULL, cells, sizeof *heads);
    uint32_t *next = reallocarray(NULL, cells, sizeof *next);
    if (!hashes || !values || !heads || !next) {
        free(heads);
        free(next);
        return CRAWL_ENOMEM;
    }
    free(index->heads);
    free(index->next);
    index->heads = heads;
    index->next = next;
    index->capacity = capacity;
    memset(heads, 0xff, cells * sizeof *heads); /* NONE */
    for (size_t i = 0; i < index->count; i++)
        link_hash(index, (uint32_t)i);
    return CRAWL_OK;
}

crawl_err crawl_simhash_index_create(unsigned distance, size_t max_hashes, crawl_simhash_index **out)
{
    if (distance > CRAWL_SIMHASH_MAX_DISTANCE || max_hashes < 1 || max_hashes > MAX_HASHES)
        return CRAWL_EINVAL;
    crawl_simhash_index *index = calloc(1, sizeof *index);
    if (!index)
        return CRAWL_ENOMEM;
    index->distance = distance;
    index->max_hashes = max_hashes;
    make_masks(index);
    crawl_err err = simhash_index_grow(index);
    if (err) {
        crawl_simhash_index_free(index);
        return err;
    }
    *out = index;
    return CRAWL_OK;
}

void crawl_simhash_index_free(crawl_simhash_index *index)
{
    if (!index)
        return;
    free(index->hashes);
    free(index->values);
    free(index->heads);
    free(index->next);
    free(index);
}

crawl_err crawl_simhash_index_add(crawl_simhash_index *index, uint64_t hash, uint32_t value)
{
    if (index->count == index->max_hashes)
        return CRAWL_FULL;
    crawl_err err = index->count == index->capacity ? simhash_index_grow(index) : CRAWL_OK;
    if (err)
        return err;
    index->hashes[index->count] = hash;
    index->values[index->count] = value;
    link_hash(index, (uint32_t)index->count);
    index->count++;
    return CRAWL_OK;
}

typedef struct nearest_search {
    uint64_t hash;
    uint32_t best;
    unsigned distance; /* of best; larger than the searched distance: none found */
    unsigned steps;    /* left */
} nearest_search;

static void search_list(const crawl_simhash_index *index, unsigned table, nearest_search *s)
{
    const uint32_t *next = index->next + table * index->capacity;
    for (uint32_t i = index->heads[list_of(index, table, s->hash)]; i != NONE && s->steps; i = next[i]) {
        unsigned distance = crawl_simhash_distance(index->hashes[i], s->hash);
        s->steps--;
        if (distance < s->distance || (distance == s->distance && i < s->best)) {
            s->distance = distance;
            s->best = i;
        }
    }
}

crawl_err crawl_simhash_index_find(const crawl_simhash_index *index, uint64_t hash, uint32_t *value, unsigned *distance)
{
    nearest_search s = {.hash = hash, .best = 0, .distance = index->distance + 1, .steps = CRAWL_SIMHASH_MAX_STEPS};
    for (unsigned t = 0; t < index->table_count; t++)
        search_list(index, t, &s);
    if (s.distance > index->distance)
        return CRAWL_ABSENT;
    if (value)
        *value = index->values[s.best];
    if (distance)
        *distance = s.distance;
    return CRAWL_EXISTS;
}

size_t crawl_simhash_index_bytes(const crawl_simhash_index *index)
{
    size_t cells = index->capacity * index->table_count;
    return sizeof *index + index->capacity * (sizeof *index->hashes + sizeof *index->values) +
           cells * (sizeof *index->heads + sizeof *index->next);
}
