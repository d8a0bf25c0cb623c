#include "tools/upload/s3_xml.h"

#include "base/bytes.h"

#include <libxml/parser.h>
#include <stdio.h>

xmlDoc *cw_s3_xml_read(crawl_slice text)
{
    text = cw_trim_start(text);
    return text.size && *text.data == '<' ? xmlReadMemory(text.data, (int)text.size, NULL, NULL,
                                                          XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)
                                          : NULL;
}

static bool s3_xml_is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

bool cw_s3_xml_is(xmlDoc *doc, const char *name)
{
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    return root && s3_xml_is_element(root, name);
}

static xmlNode *s3_xml_first(xmlNode *node, const char *name)
{
    while (node && !s3_xml_is_element(node, name))
        node = node->next;
    return node;
}

xmlNode *cw_s3_xml_child(const xmlNode *node, const char *name)
{
    return node ? s3_xml_first(node->children, name) : NULL;
}

xmlNode *cw_s3_xml_next(const xmlNode *node)
{
    return s3_xml_first(node->next, (const char *)node->name);
}

void cw_s3_xml_text(const xmlNode *node, const char *name, char *out, size_t room)
{
    xmlNode *child = cw_s3_xml_child(node, name);
    xmlChar *text = child ? xmlNodeGetContent(child) : NULL;
    snprintf(out, room, "%s", text ? (const char *)text : "");
    xmlFree(text);
}
