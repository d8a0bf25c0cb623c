#include "shared/store/joint_crew.h"

#include "base/clock.h"
#include "shared/store/hold.h"
#include "shared/store/joint_clock.h"
#include "shared/store/spread.h"

#include <stdio.h>

enum { TELL_US = 1000 * 1000, SOON_US = 250 * 1000, WANTED_US = 5 * 1000 * 1000 };

/* ---- telling ---- */

static double pace_of(const cw_joint_crew *crew, uint64_t pages, int64_t now_us)
{
    size_t first = crew->moment_count < CW_JOINT_MOMENTS ? 0 : crew->moment_count % CW_JOINT_MOMENTS;
    int64_t since_us = crew->moment_count ? now_us - crew->moments[first].us : 0;
    return since_us > 0 ? (double)(pages - crew->moments[first].pages) * 1e6 / (double)since_us : 0;
}

static void keep_moment(cw_joint_crew *crew, uint64_t pages, int64_t now_us)
{
    size_t at = crew->moment_count++ % CW_JOINT_MOMENTS;
    crew->moments[at].us = now_us;
    crew->moments[at].pages = pages;
}

static crawl_shared_report report_of(cw_joint *joint, int64_t now_us)
{
    const cw_joint_crew *crew = joint->crew;
    crawl_shared_report report = {0};
    joint->options.on_report(joint->options.user, &report);
    pthread_mutex_lock(&joint->frontier->lock);
    report.hosts = joint->holds->held;
    report.started_ms = (now_us + joint->clock->server_us) / 1000; /* by the server's clock */
    pthread_mutex_unlock(&joint->frontier->lock);
    if (crew->sent.is_known)
        report.started_ms = crew->sent.started_ms;
    report.is_known = true;
    report.pages_per_s = pace_of(crew, report.pages, now_us);
    snprintf(report.version, sizeof report.version, "%s", crawl_version());
    return report;
}

static void joint_crew_leave_out(crawl_shared_report *report, const crawl_shared_report *before)
{
    report->pages -= before->pages;
    report->failures -= before->failures;
    report->bytes -= before->bytes;
    report->received -= before->received;
}

static bool joint_crew_is_same(const crawl_shared_report *a, const crawl_shared_report *b)
{
    return a->pages == b->pages && a->failures == b->failures && a->received == b->received &&
           a->running == b->running && a->hosts == b->hosts && a->pages_per_s == b->pages_per_s;
}

/* If this process was gone long enough, the sum of gone processes includes all that it told before. */
static void joint_crew_on_reported(void *user, const cw_shared_reported *said)
{
    cw_joint *joint = user;
    cw_joint_crew *crew = joint->crew;
    crew->is_telling = false;
    if (said->fault) {
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    cw_joint_takes_writes(joint);
    if (said->was_forgotten) {
        crew->before = crew->told;
        crew->has_told = false;
    } else {
        crew->told = crew->sent;
        crew->has_told = true;
        crew->has_ended = crew->is_ending;
        cw_joint_spread_heard(joint, said->alive, said->idle);
    }
}

/* Tells a report. report covers all that this process did; the reported part may be less. */
static void joint_crew_tell(cw_joint *joint, const crawl_shared_report *report, bool is_end, int64_t now_us)
{
    cw_joint_crew *crew = joint->crew;
    crawl_shared_report told = *report;
    joint_crew_leave_out(&told, &crew->before);
    crew->sent = *report;
    crew->told_us = now_us;
    crew->is_ending = is_end;
    crew->was_idle = joint->spread->is_idle && !is_end;
    const cw_shared_state state = {.has_told = crew->has_told, .is_idle = crew->was_idle, .is_end = is_end};
    crew->is_telling = cw_shared_report(joint->shared, &told, state, joint_crew_on_reported, joint) == CRAWL_OK;
}

/* Returns the time between two reports. The first ones come soon, since a new process must find out how hosts are
 * spread. */
static int64_t joint_crew_every_us(const cw_joint_crew *crew)
{
    int64_t age_us = crew->told_us - crew->began_us;
    if (age_us >= TELL_US)
        return TELL_US;
    return age_us > SOON_US ? age_us : SOON_US;
}

static void tell_now_and_then(cw_joint *joint, int64_t now_us)
{
    cw_joint_crew *crew = joint->crew;
    bool may_tell =
        joint->options.on_report && joint->is_up && !crew->is_telling && !atomic_load(&joint->thread.closing);
    if (!may_tell || (crew->told_us && now_us - crew->told_us < joint_crew_every_us(crew)))
        return;
    if (!crew->began_us)
        crew->began_us = now_us;
    const crawl_shared_report report = report_of(joint, now_us);
    if (crew->has_told && joint->spread->is_idle == crew->was_idle && joint_crew_is_same(&report, &crew->told) &&
        now_us - crew->told_us < cw_joint_rest_ms(joint) * 1000)
        return;
    joint_crew_tell(joint, &report, false, now_us);
    keep_moment(crew, report.pages, now_us);
}

bool cw_joint_crew_end(cw_joint *joint)
{
    cw_joint_crew *crew = joint->crew;
    if (!joint->options.on_report)
        return true;
    if (!crew->is_telling && !crew->has_ended && joint->is_up) {
        int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
        const crawl_shared_report report = report_of(joint, now_us);
        joint_crew_tell(joint, &report, true, now_us);
    }
    return !crew->is_telling && crew->has_ended;
}

/* ---- reading ---- */

static void joint_on_crew(void *user, crawl_redis_fault fault, const char *words, crawl_shared_crew *read)
{
    cw_joint *joint = user;
    joint->crew->is_reading = false;
    if (fault) {
        cw_joint_fault(joint, fault, words);
        return;
    }
    pthread_mutex_lock(&joint->frontier->lock);
    crawl_shared_crew before = joint->crew->read;
    joint->crew->read = *read;
    joint->crew->is_read = true;
    pthread_mutex_unlock(&joint->frontier->lock);
    crawl_shared_crew_free(&before);
}

bool cw_joint_crew_is_wanted(cw_joint *joint, int64_t now_us)
{
    const cw_joint_crew *crew = joint->crew;
    pthread_mutex_lock(&joint->frontier->lock);
    bool is_wanted = crew->wanted_us && now_us - crew->wanted_us < WANTED_US;
    pthread_mutex_unlock(&joint->frontier->lock);
    return is_wanted;
}

static void read_while_wanted(cw_joint *joint, int64_t now_us)
{
    cw_joint_crew *crew = joint->crew;
    if (!cw_joint_crew_is_wanted(joint, now_us) || !joint->is_up || crew->is_reading ||
        now_us - crew->read_us < TELL_US)
        return;
    crew->read_us = now_us;
    crew->is_reading = cw_shared_read_crew(joint->shared, joint_on_crew, joint) == CRAWL_OK;
}

void cw_joint_crew_turn(cw_joint *joint, int64_t now_us)
{
    tell_now_and_then(joint, now_us);
    read_while_wanted(joint, now_us);
}

crawl_err cw_joint_crew_copy(cw_joint_crew *crew, crawl_shared_crew *out)
{
    crew->wanted_us = cw_clock_us(CLOCK_BOOTTIME);
    return crew->is_read ? cw_shared_crew_copy(&crew->read, out) : CRAWL_AGAIN;
}

void cw_joint_crew_free(cw_joint_crew *crew)
{
    crawl_shared_crew_free(&crew->read);
}
