/* The first byte of the input chooses the status and the second is skipped. The next line is a header, "name: value",
 * and the rest is the body. Besides memory safety, checks that every verdict has a sign and other answers have none,
 * and that a second call gives the same. */
#include "base/header.h"

#include <crawl/wall.h>
#include <stdlib.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static crawl_wall judge(crawl_wall_judge *judge, int status, crawl_slice line, crawl_slice body)
{
    crawl_header headers[2] = {{crawl_slice_from("content-type"), crawl_slice_from("text/html")}};
    size_t count = 1 + (size_t)cw_header_split(line, &headers[1].name, &headers[1].value);
    const crawl_wall_answer answer = {
        .size = sizeof answer,
        .url = crawl_slice_from("http://h/a?b"),
        .status = status,
        .headers = headers,
        .header_count = count,
        .body = body,
    };
    crawl_wall wall;
    require(crawl_wall_judge_answer(judge, &answer, &wall) == CRAWL_OK);
    return wall;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 202, 302, 307, 403, 405, 428, 429, 503, 999};
    if (size < 2)
        return 0;
    int status = statuses[data[0] % (sizeof statuses / sizeof *statuses)];
    crawl_slice body = crawl_slice_of(data + 2, size - 2);
    crawl_slice line = cw_cut_line(&body);
    crawl_wall_judge *judging = crawl_wall_judge_create();
    require(judging);
    crawl_wall first = judge(judging, status, line, body);
    crawl_wall again = judge(judging, status, line, body);
    require(first.verdict == again.verdict && strcmp(first.sign, again.sign) == 0);
    require((first.verdict == CRAWL_VERDICT_CONTENT) == !*first.sign);
    crawl_wall_judge_free(judging);
    return 0;
}
