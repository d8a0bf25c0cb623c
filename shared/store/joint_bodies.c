/* Questions about bodies wait for the next turn of the thread, and while Redis is away until it is back. */
#include "shared/store/joint.h"

#include <stdlib.h>

typedef struct cw_joint_body {
    struct cw_joint_body *next;
    cw_joint *joint;
    crawl_shared_on_first *done;
    void *user;
    uint8_t digest[CW_SHARED_PRINT];
    size_t url_size;
    char url[];
} cw_joint_body;

crawl_err crawl_frontier_shared_body(crawl_frontier *frontier, const crawl_fingerprint *digest, crawl_slice url,
                                     crawl_shared_on_first *done, void *user)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return CRAWL_ESTATE;
    cw_joint_body *body = malloc(sizeof *body + url.size);
    if (!body)
        return CRAWL_ENOMEM;
    *body = (cw_joint_body){.joint = joint, .done = done, .user = user, .url_size = url.size};
    memcpy(body->digest, digest->bytes, sizeof body->digest);
    memcpy(body->url, url.data, url.size);
    pthread_mutex_lock(&frontier->lock);
    body->next = joint->bodies;
    joint->bodies = body;
    pthread_mutex_unlock(&frontier->lock);
    return CRAWL_OK;
}

/* Puts a question back, to be asked in another turn. */
static void joint_bodies_put_back(cw_joint_body *body)
{
    pthread_mutex_lock(&body->joint->frontier->lock);
    body->next = body->joint->bodies;
    body->joint->bodies = body;
    pthread_mutex_unlock(&body->joint->frontier->lock);
}

static void joint_bodies_on_told(void *user, crawl_redis_fault fault, const char *words, crawl_slice first)
{
    cw_joint_body *body = user;
    if (fault) {
        cw_joint *joint = body->joint;
        joint_bodies_put_back(body);
        cw_joint_fault(joint, fault, words);
        return;
    }
    body->done(body->user, first);
    free(body);
}

void cw_joint_bodies_ask(cw_joint *joint)
{
    if (!joint->is_up)
        return;
    pthread_mutex_lock(&joint->frontier->lock);
    cw_joint_body *body = joint->bodies;
    joint->bodies = NULL;
    pthread_mutex_unlock(&joint->frontier->lock);
    while (body) {
        cw_joint_body *next = body->next;
        crawl_slice url = crawl_slice_of(body->url, body->url_size);
        if (cw_shared_ask_body(joint->shared, body->digest, url, joint->options.bodies, joint_bodies_on_told, body))
            joint_bodies_put_back(body);
        body = next;
    }
}

void cw_joint_bodies_free(cw_joint *joint)
{
    while (joint->bodies) {
        cw_joint_body *next = joint->bodies->next;
        free(joint->bodies);
        joint->bodies = next;
    }
}
