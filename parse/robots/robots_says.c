/* Collects a robots.txt's statements on the use of its pages: the lines Content-Usage (draft-ietf-aipref-attach-05, 4),
 * Content-Signal (contentsignals.org) and License (RSL 1.0, 4.3). They are collected here and interpreted in
 * parse/preferences/; they never affect a verdict.
 *
 * Many files have a License after their last group that is meant for all agents, though by the letter it belongs to
 * that group. If a blank line precedes it and no rule follows it, it is taken for all, and marked as ambiguous: so it
 * can be judged only at the end of the file. */
#include "parse/robots/robots_private.h"

#include "base/bytes.h"

static cw_robots_saying *sayings_of(cw_robots_says *says, size_t *count)
{
    *count = says->all.size / sizeof(cw_robots_saying);
    return (cw_robots_saying *)(void *)says->all.data;
}

/* Changes the scope of licences from one to another. */
static void rescope(cw_robots_says *says, cw_robots_scope from, cw_robots_scope becomes)
{
    size_t count;
    cw_robots_saying *all = sayings_of(says, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].directive == CW_ROBOTS_LICENSE && all[i].scope == from)
            all[i].scope = (uint8_t)becomes;
}

static void drop_scope(cw_robots_says *says, cw_robots_scope scope)
{
    size_t count;
    size_t kept = 0;
    cw_robots_saying *all = sayings_of(says, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].directive != CW_ROBOTS_LICENSE || all[i].scope != scope)
            all[kept++] = all[i];
    says->all.size = kept * sizeof *all;
}

/* A rule or another group follows: licences before it belong to their group. */
static void says_go_on(cw_robots_says *says)
{
    says->blank = false;
    if (!says->pending)
        return;
    rescope(says, CW_ROBOTS_AFTER_GROUP, CW_ROBOTS_FOR_GROUP);
    drop_scope(says, CW_ROBOTS_AFTER_GROUP_OF_OTHER);
    says->pending = false;
}

/* Returns true if the line is whole, and there is room for it. */
static bool has_room(const cw_robots_says *says, const cw_robots_line *line)
{
    return !line->cut && says->all.size / sizeof(cw_robots_saying) < CW_ROBOTS_MAX_SAYINGS;
}

static crawl_err says_keep(cw_robots_says *says, cw_robots_saying saying, crawl_slice value, crawl_buf *text)
{
    saying.value = (uint32_t)text->size;
    saying.value_size = (uint16_t)value.size;
    crawl_err err = crawl_buf_append(text, value.data, value.size);
    return err ? err : crawl_buf_append(&says->all, &saying, sizeof saying);
}

crawl_slice cw_robots_take_path(crawl_slice *value)
{
    return cw_take(value, value->size && *value->data == '/' ? cw_find_any(*value, " \t") : 0);
}

static crawl_err keep_rule(cw_robots_says *says, const cw_robots_line *line, crawl_buf *text)
{
    crawl_slice value = line->value;
    crawl_slice path = cw_robots_take_path(&value);
    cw_robots_saying saying = {.line = line->number, .directive = (uint8_t)line->directive};
    saying.path = (uint32_t)text->size;
    saying.path_size = (uint16_t)path.size;
    crawl_err err = crawl_buf_append(text, path.data, path.size);
    if (!err)
        err = crawl_buf_reserve(text, path.size * 3);
    if (err)
        return err;
    saying.anchored = path.size && path.data[path.size - 1] == '$';
    path.size -= saying.anchored;
    saying.pattern = (uint32_t)text->size;
    saying.pattern_size = (uint16_t)cw_robots_normalize(path, true, text->data + text->size);
    text->size += saying.pattern_size;
    return says_keep(says, saying, cw_trim(value), text);
}

static crawl_err says_on_rule(cw_robots_says *says, const cw_robots_line *line, crawl_buf *text)
{
    says_go_on(says);
    says->closed = true;
    return says->in_group && says->applies && has_room(says, line) ? keep_rule(says, line, text) : CRAWL_OK;
}

static crawl_err says_on_license(cw_robots_says *says, const cw_robots_line *line, crawl_buf *text)
{
    cw_robots_scope scope = !says->in_group ? CW_ROBOTS_FOR_ALL
                            : !says->blank  ? CW_ROBOTS_FOR_GROUP
                            : says->applies ? CW_ROBOTS_AFTER_GROUP
                                            : CW_ROBOTS_AFTER_GROUP_OF_OTHER;
    const cw_robots_saying saying = {.line = line->number, .directive = CW_ROBOTS_LICENSE, .scope = (uint8_t)scope};
    says->closed = says->in_group;
    says->pending |= says->in_group && says->blank;
    bool is_of_other = scope == CW_ROBOTS_FOR_GROUP && !says->applies;
    return line->value.size && !is_of_other && has_room(says, line) ? says_keep(says, saying, line->value, text)
                                                                    : CRAWL_OK;
}

static void says_on_agent(cw_robots_says *says, bool named)
{
    says_go_on(says);
    if (says->closed)
        says->applies = false;
    says->closed = false;
    says->in_group = true;
    says->applies |= named;
}

crawl_err cw_robots_says_line(cw_robots_says *says, const cw_robots_line *line, bool named, crawl_buf *text)
{
    switch (line->directive) {
    case CW_ROBOTS_USER_AGENT:
        says_on_agent(says, named);
        return CRAWL_OK;
    case CW_ROBOTS_ALLOW:
    case CW_ROBOTS_DISALLOW:
    case CW_ROBOTS_CRAWL_DELAY:
        says_go_on(says);
        says->closed = true;
        return CRAWL_OK;
    case CW_ROBOTS_CONTENT_USAGE:
    case CW_ROBOTS_CONTENT_SIGNAL:
        return says_on_rule(says, line, text);
    case CW_ROBOTS_LICENSE:
        return says_on_license(says, line, text);
    default:
        says->blank |= line->blank;
        return CRAWL_OK;
    }
}

void cw_robots_says_end(cw_robots_says *says)
{
    size_t count;
    rescope(says, CW_ROBOTS_AFTER_GROUP_OF_OTHER, CW_ROBOTS_AFTER_GROUP);
    const cw_robots_saying *all = sayings_of(says, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].directive == CW_ROBOTS_LICENSE && all[i].scope == CW_ROBOTS_FOR_GROUP) {
            drop_scope(says, CW_ROBOTS_FOR_ALL);
            drop_scope(says, CW_ROBOTS_AFTER_GROUP);
            return;
        }
}
