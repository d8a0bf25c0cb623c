/* Programs that convert documents to pages: their arguments, output and exit, and that they end. */
#include "base/convert.h"
#include "base/process.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the words of a command, each in brackets. */
static const char *words_of(const char *command)
{
    static char shown[200];
    char **words;
    crawl_err err = cw_process_words(crawl_slice_from(command), false, &words);
    shown[0] = '\0';
    if (err)
        return err == CRAWL_EPARSE ? "refused" : "no memory";
    for (size_t i = 0; words[i]; i++)
        sprintf(shown + strlen(shown), "[%s]", words[i]);
    free(words);
    return shown;
}

Test(convert, splits_a_command_into_words)
{
    cr_expect_str_eq(words_of("pandoc -f epub"), "[pandoc][-f][epub]");
    cr_expect_str_eq(words_of("\t a  b "), "[a][b]");
    cr_expect_str_eq(words_of("sh -c 'a \"b\" $c' \"d 'e'\"f ''"), "[sh][-c][a \"b\" $c][d 'e'f][]");
    cr_expect_str_eq(words_of("sed s/\\./x/ \"\\n\""), "[sed][s/\\./x/][\\n]");
    cr_expect_str_eq(words_of(""), "refused");
    cr_expect_str_eq(words_of("  "), "refused");
    cr_expect_str_eq(words_of("a 'b"), "refused");
    cr_expect_str_eq(words_of("'"), "refused");
}

Test(convert, finds_programs)
{
    cr_expect_eq(cw_convert_find("sh"), 0);
    cr_expect_eq(cw_convert_find("/bin/sh"), 0);
    cr_expect_eq(cw_convert_find("a program that nobody has"), ENOENT);
    cr_expect_eq(cw_convert_find("/etc/passwd"), EACCES);
}

/* Returns a document converted by `sh -c script`. */
static cw_converted made(const char *script, const char *document)
{
    cw_converted result;
    cw_convert_run((char *[]){(char *)"sh", (char *)"-c", (char *)script, NULL}, crawl_slice_from(document), &result);
    return result;
}

static void expect(const char *script, const char *document, const char *outcome, const char *page, const char *words)
{
    cw_converted result = made(script, document);
    cr_expect_str_eq(result.outcome, outcome, "%s: %s", script, result.outcome);
    cr_expect_str_eq(result.page.size ? result.page.data : "", page, "%s: %s", script, result.page.data);
    cr_expect_str_eq(result.words, words, "%s: %s", script, result.words);
    crawl_buf_free(&result.page);
}

Test(convert, takes_what_is_printed)
{
    expect("cat", " <p>a&b", "whole", "<p>a&b", "");
    expect("cat", "\xef\xbb\xbf<p>a", "whole", "<p>a", "");
    expect("cat", "1 < 2\nb\n\nc", "whole", "<p>1 &lt; 2\nb\n<p>\nc\n", "");
    expect("cat", "", "whole", "<p>", "");
    expect("echo '<p>'; echo 'half of it' >&2", "x", "whole", "<p>", "half of it");
}

Test(convert, says_how_it_ended)
{
    expect("echo '<p>'; echo 'line\tone\nline two' >&2; exit 3", "x", "failed", "", "line\\x09one");
    expect("exit 3", "x", "failed", "", "exit status 3");
    expect("kill -SEGV $$", "x", "crashed", "", "Segmentation fault");
    expect("kill -XCPU $$", "x", "timeout", "", "CPU time limit exceeded");
    expect("exec yes", "x", "crashed", "", "File size limit exceeded");
    cw_converted result;
    cw_convert_run((char *[]){(char *)"/nowhere/program", NULL}, crawl_slice_from("x"), &result);
    cr_expect_str_eq(result.outcome, "failed");
    cr_expect_str_eq(result.words, "/nowhere/program: No such file or directory");
}

Test(convert, gives_three_descriptors_and_limits)
{
    int open_here = dup(0);                                          /* without FD_CLOEXEC */
    expect("ls /proc/self/fd", "x", "whole", "<p>0\n1\n2\n3\n", ""); /* 3: ls has opened the folder */
    expect("until test $(ulimit -c)/$(ulimit -t) = 0/60; do :; done", "x", "whole", "<p>", "");
    close(open_here);
}

Test(convert, kills_what_takes_too_long)
{
    cw_convert convert;
    cw_converted result;
    char *words[] = {(char *)"sleep", (char *)"1000", NULL};
    cr_assert(cw_convert_begin(words, crawl_slice_from("x"), &convert, &result));
    cw_convert_end(&convert, "timeout", &result);
    cr_expect_str_eq(result.outcome, "timeout");
    cr_expect_eq(result.page.size, 0);
    cr_expect_eq(kill(convert.pid, 0), -1);
    cr_expect_lt(close(convert.ended), 0);
    cr_expect_lt(close(convert.out), 0);
}

/* Returns true for a running process. An ended one may have no parent that waits for it. */
static bool runs(const char *pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (sleep) %c", &state) != 1)
        state = 'Z';
    if (file)
        fclose(file);
    return state != 'Z';
}

Test(convert, kills_what_was_left_behind, .timeout = 20)
{
    cw_converted result = made("sleep 1000 & echo $!", "x");
    cr_expect_str_eq(result.outcome, "whole");
    cr_assert_gt(result.page.size, 4);
    result.page.data[result.page.size - 1] = '\0';
    while (runs(result.page.data + 3))
        usleep(1000);
    crawl_buf_free(&result.page);
}
