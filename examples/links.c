/* The parser alone: prints the links of an HTML file, resolved. Usage: links FILE URL-OF-THE-PAGE */
#include <crawl/links.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static crawl_slice read_file(const char *name)
{
    static char bytes[1 << 20];
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(1);
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return crawl_slice_of(bytes, size);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: links FILE URL\n");
        return 2;
    }
    crawl_page *page = crawl_page_create();
    crawl_url *base = crawl_url_create();
    crawl_url *url = crawl_url_create();
    if (!page || !base || !url || crawl_url_parse(base, crawl_slice_from(argv[2]), NULL, NULL) ||
        crawl_page_parse(page, read_file(argv[1]), base, NULL)) {
        fprintf(stderr, "no URL: %s\n", argv[2]);
        return 1;
    }
    crawl_slice title = crawl_page_title(page);
    printf("# %.*s\n", (int)title.size, title.data);
    size_t count;
    const crawl_link *links = crawl_page_links(page, &count);
    for (size_t i = 0; i < count; i++) {
        if (crawl_url_parse(url, links[i].href, crawl_page_base(page), crawl_page_charset(page)))
            continue; /* not a URL */
        crawl_slice href = crawl_url_href(url);
        printf("%s\t%.*s\n", links[i].tag, (int)href.size, href.data);
    }
    crawl_url_free(url);
    crawl_url_free(base);
    crawl_page_free(page);
    return 0;
}
