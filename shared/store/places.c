#include "shared/store/places.h"

#include "base/clock.h"
#include "base/map.h"

#include <stdlib.h>

enum {
    AGAIN_US = 250 * 1000, /* between two questions while others may give tickets back */
    IDLE_US = 2000 * 1000, /* then unused tickets go back */
    AHEAD_MAX = 16,
    AT_ONCE = 64,         /* places that Redis is asked about per turn */
    PLACES_MAX = 10000000 /* about 200 bytes each; further places are not limited */
};

/* Never freed before the end. All under the lock, except what belongs to the thread. */
typedef struct cw_joint_place {
    struct cw_joint_place *next; /* in the list to_do */
    cw_joint *joint;
    uint64_t limit;
    uint64_t had;   /* tickets of this process so far */
    uint64_t taken; /* tickets that it used up */
    uint64_t left;  /* free tickets by the last answer */
    unsigned ahead; /* tickets to have ahead */
    int64_t taken_us;
    bool wants;       /* somebody asked in vain */
    uint64_t full_at; /* limits up to this one are reached, with the others' tickets; 0: none is known to be */
    bool is_to_do;
    bool is_out;   /* the thread's, like the rest: Redis is being told */
    uint64_t told; /* `taken` as Redis knows it */
    uint64_t told_limit;
    int64_t told_us; /* 0: never */
    char name[];
} cw_joint_place;

/* ---- callers ---- */

static cw_joint_place *shared_place_of(cw_joint *joint, crawl_slice name)
{
    if (!joint->places->map)
        joint->places->map = cw_map_create((uintptr_t)joint);
    cw_joint_place *place = joint->places->map ? cw_map_get(joint->places->map, name) : NULL;
    if (place || !joint->places->map)
        return place;
    place = cw_map_make(joint->places->map, name, sizeof *place + 1, offsetof(cw_joint_place, name));
    if (!place)
        return NULL;
    place->joint = joint;
    place->left = 1; /* perhaps */
    place->ahead = 1;
    return place;
}

static void places_put_to_do(cw_joint_place *place)
{
    if (place->is_to_do)
        return;
    place->is_to_do = true;
    place->next = place->joint->places->to_do;
    place->joint->places->to_do = place;
}

static crawl_err places_take(cw_joint_place *place, uint64_t limit)
{
    place->limit = limit;
    if (place->taken >= place->had && limit <= place->full_at)
        return CRAWL_FULL;
    places_put_to_do(place);
    if (place->taken >= place->had) {
        place->wants = true;
        return CRAWL_AGAIN;
    }
    place->taken++;
    place->taken_us = cw_clock_us(CLOCK_BOOTTIME);
    return CRAWL_OK;
}

crawl_err crawl_frontier_shared_page(crawl_frontier *frontier, crawl_slice name, uint64_t limit)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return CRAWL_ESTATE;
    pthread_mutex_lock(&frontier->lock);
    bool is_beyond =
        joint->places->map && cw_map_count(joint->places->map) >= PLACES_MAX && !cw_map_get(joint->places->map, name);
    cw_joint_place *place = is_beyond ? NULL : shared_place_of(joint, name);
    crawl_err err = is_beyond ? CRAWL_OK : CRAWL_ENOMEM;
    if (place)
        err = places_take(place, limit);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

void crawl_frontier_shared_page_back(crawl_frontier *frontier, crawl_slice name)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return;
    pthread_mutex_lock(&frontier->lock);
    cw_joint_place *place = joint->places->map ? cw_map_get(joint->places->map, name) : NULL;
    if (place && place->taken) {
        place->taken--;
        places_put_to_do(place);
    }
    pthread_mutex_unlock(&frontier->lock);
}

/* ---- the thread ---- */

static void places_on_tickets(void *user, const cw_shared_tickets *said)
{
    cw_joint_place *place = user;
    cw_joint *joint = place->joint;
    place->is_out = false;
    if (said->fault) {
        place->told_us = 0;
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    pthread_mutex_lock(&joint->frontier->lock);
    place->had = said->had;
    place->left = said->left;
    if (place->had > place->taken && place->wants) {
        place->wants = false;
        place->taken_us = cw_clock_us(CLOCK_BOOTTIME); /* the caller that asked in vain comes again in a moment */
    }
    if (place->wants && !said->left && !said->others) {
        place->wants = place->limit > place->told_limit; /* meanwhile a caller has a higher limit */
        place->full_at = place->told_limit;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
}

/* A server that came back older may have given this process fewer tickets than it has used up. */
static bool is_done(const cw_joint_place *place)
{
    return !place->wants && !place->is_out && place->had <= place->taken && place->told_us &&
           place->told == place->taken;
}

static bool places_must_tell(const cw_joint_place *place, int64_t now_us)
{
    int64_t since_us = now_us - place->told_us;
    int64_t idle_us = now_us - place->taken_us;
    if (place->is_out)
        return false;
    if (place->wants)
        return place->left || since_us >= AGAIN_US;
    if (place->had > place->taken)
        return idle_us >= IDLE_US || since_us >= place->joint->options.lease_ms * 1000 / 3;
    return idle_us >= AGAIN_US && since_us >= AGAIN_US; /* somebody may wait for the used tickets */
}

/* Returns the sums to tell. A ticket given back no longer belongs to this process, even if telling it fails. */
static cw_shared_wish wish_of(cw_joint_place *place, int64_t now_us)
{
    bool is_idle = now_us - place->taken_us >= IDLE_US || atomic_load(&place->joint->thread.closing);
    if (place->wants && place->told_us && now_us - place->taken_us < IDLE_US && place->ahead < AHEAD_MAX)
        place->ahead *= 2;
    else if (!place->wants && is_idle) {
        place->had = place->taken;
        place->ahead = 1;
    }
    uint64_t wanted = place->wants ? place->taken + place->ahead : place->had;
    place->told = place->taken;
    place->told_limit = place->limit;
    place->told_us = now_us;
    place->is_out = true;
    return (cw_shared_wish){.place = crawl_slice_from(place->name),
                            .limit = place->limit,
                            .wanted = wanted > place->had ? wanted : place->had,
                            .used = place->taken};
}

/* Gathers the places to tell, with their sums. Drops places about which nothing is left to tell. */
static size_t places_gather(cw_joint *joint, int64_t now_us, cw_joint_place **places, cw_shared_wish *wishes)
{
    size_t count = 0;
    bool is_closing = atomic_load(&joint->thread.closing);
    for (cw_joint_place **at = &joint->places->to_do; *at && count < AT_ONCE;) {
        cw_joint_place *place = *at;
        if (is_closing)
            place->wants = false;
        if (is_done(place)) {
            place->is_to_do = false;
            *at = place->next;
            continue;
        }
        if (places_must_tell(place, now_us) || (is_closing && !place->is_out)) {
            wishes[count] = wish_of(place, now_us);
            places[count++] = place;
        }
        at = &place->next;
    }
    return count;
}

void cw_joint_places_tell(cw_joint *joint, int64_t now_us)
{
    cw_joint_place *places[AT_ONCE];
    cw_shared_wish wishes[AT_ONCE];
    if (!joint->is_up)
        return;
    pthread_mutex_lock(&joint->frontier->lock);
    size_t count = places_gather(joint, now_us, places, wishes);
    pthread_mutex_unlock(&joint->frontier->lock);
    for (size_t i = 0; i < count; i++)
        if (cw_shared_take_tickets(joint->shared, &wishes[i], places_on_tickets, places[i])) {
            places[i]->is_out = false;
            places[i]->told_us = 0;
        }
}

bool cw_joint_places_are_told(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool is_told = !joint->places->to_do;
    pthread_mutex_unlock(&joint->frontier->lock);
    return is_told;
}

void cw_joint_places_free(cw_joint_places *places)
{
    cw_map_free_values(places->map);
}
