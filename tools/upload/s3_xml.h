/* The XML of answers of S3. */
#pragma once

#include <crawl/base.h>
#include <libxml/tree.h>

/* White space may stand before it. NULL: it is none; freed by xmlFreeDoc. */
xmlDoc *cw_s3_xml_read(crawl_slice text);

/* Is the outermost element of this name? */
bool cw_s3_xml_is(xmlDoc *doc, const char *name);

/* The first child of this name of a node, or of the outermost element; NULL: there is none, or no node. */
xmlNode *cw_s3_xml_child(const xmlNode *node, const char *name);
/* The next node of the same name beside it. */
xmlNode *cw_s3_xml_next(const xmlNode *node);

/* Writes the text of a child, cut to room; "" where there is none. */
void cw_s3_xml_text(const xmlNode *node, const char *name, char *out, size_t room);
