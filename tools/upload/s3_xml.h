/* The XML of S3 answers. */
#pragma once

#include <crawl/base.h>
#include <libxml/tree.h>

/* Returns the document, also if white space precedes it. Free it with xmlFreeDoc. NULL: not XML. */
xmlDoc *cw_s3_xml_read(crawl_slice text);

/* Returns true if the root element has this name. */
bool cw_s3_xml_is(xmlDoc *doc, const char *name);

/* Returns the first child of a node with this name. NULL: none, or node is NULL. */
xmlNode *cw_s3_xml_child(const xmlNode *node, const char *name);
/* Returns the next sibling with the same name. NULL: none. */
xmlNode *cw_s3_xml_next(const xmlNode *node);

/* Writes the text of a child, truncated to room. "": no such child. */
void cw_s3_xml_text(const xmlNode *node, const char *name, char *out, size_t room);
