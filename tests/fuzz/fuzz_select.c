/* Any text as a CSS selector: either it is refused with a column inside the text, or it becomes XPath that libxml2
 * compiles. */
#include <crawl/extract.h>

#include <libxml/xpath.h>
#include <stdlib.h>

static void be_silent(void *, const char *, ...)
{
}

static void compile(const crawl_buf *xpath)
{
    xmlSetGenericErrorFunc(NULL, be_silent);
    xmlXPathCompExprPtr compiled = xmlXPathCompile(BAD_CAST xpath->data);
    if (!compiled)
        abort();
    xmlXPathFreeCompExpr(compiled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crawl_buf xpath = {0};
    crawl_error error = {0};
    crawl_err err = crawl_select_xpath(crawl_slice_of(data, size), &xpath, &error);
    if (err == CRAWL_OK)
        compile(&xpath);
    else if (err != CRAWL_EPARSE || error.column < 1 || error.column > size + 1)
        abort();
    crawl_buf_free(&xpath);
    return 0;
}
