/* Decides which blocks of a page are its content, and which belong to its frame: navigation, footers, notices.
 * docs/text.md explains each rule and where it comes from. */
#pragma once

#include "parse/text/text_kind.h"
#include "parse/text/text_tree.h"

/* Sets `kept` of each block by the rules (judge), or of all blocks (keep_all). images: standalone ones in an article
 * are content too. */
void cw_text_judge(cw_text_tree *tree, cw_text_kind kind, bool images);
void cw_text_keep_all(cw_text_tree *tree);
