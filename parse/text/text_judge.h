/* Decides which blocks of a page are its content, and which belong to its frame: navigation, footers, notices.
 * docs/text.md explains each rule and where it comes from. */
#ifndef CW_TEXT_JUDGE_H
#define CW_TEXT_JUDGE_H

#include "parse/text/text_tree.h"

/* Sets `kept` of each block. all: of all of them. */
void cw_text_judge(cw_text_tree *tree, bool all);

#endif
