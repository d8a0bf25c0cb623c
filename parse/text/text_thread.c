#include "parse/text/text_thread.h"

/* Posts of a thread: three with one name, or a question and an answer. */
enum { POSTS = 3, ANSWERS = 2 };

static bool is_post(const cw_text_section *section)
{
    return section->words && section->flags & CW_SECTION_PLAIN && !(section->verdict & CW_VERDICT_OUT) &&
           section->link_words * 3 <= section->words;
}

static bool is_alike(const cw_text_section *post, const cw_text_section *other)
{
    return other->post == post->post && (other->depth == post->depth || post->post == CW_TEXT_ANSWER);
}

/* Returns true if this post in the child of a section is of a thread that has posts beside the child. */
static bool has_sisters(const cw_text_tree *tree, uint32_t section, uint32_t child, const cw_text_section *post)
{
    uint32_t end = cw_text_section_end(tree, section), child_end = cw_text_section_end(tree, child);
    unsigned count = 0, beside = 0;
    for (uint32_t i = section + 1; i < end; i++) {
        const cw_text_section *other = cw_text_section_at(tree, i);
        if (!is_alike(post, other) || !is_post(other))
            continue;
        count++;
        beside += i < child || i >= child_end;
    }
    return beside && count >= (post->post == CW_TEXT_ANSWER ? ANSWERS : POSTS);
}

bool cw_text_parts_thread(const cw_text_tree *tree, uint32_t section, uint32_t child)
{
    enum { TRIES = 4 }; /* parts of a post are named for it too */
    uint32_t end = cw_text_section_end(tree, child);
    unsigned tries = 0;
    for (uint32_t i = child; i < end && tries < TRIES; i++) {
        const cw_text_section *post = cw_text_section_at(tree, i);
        if (post->post && has_sisters(tree, section, child, post))
            return true;
        tries += post->post != 0;
    }
    return false;
}
