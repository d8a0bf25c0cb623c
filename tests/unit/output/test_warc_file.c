/* Files of a WARC sink: the state on disk when one is finished. */
#include "crawler/output/warc/warc_file.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[64];
static unsigned names_at_last_sync; /* files with their final names at the last sync of the folder */

static unsigned count_names(const char *end)
{
    unsigned count = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));) {
        size_t size = strlen(entry->d_name);
        count += size >= strlen(end) && strcmp(entry->d_name + size - strlen(end), end) == 0;
    }
    closedir(list);
    return count;
}

int fsync(int file)
{
    struct stat status;
    cr_assert_eq(fstat(file, &status), 0);
    if (S_ISDIR(status.st_mode))
        names_at_last_sync = count_names(".warc.gz") + count_names(".cdxj");
    return (int)syscall(SYS_fsync, file);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/crawl-warc-XXXXXX");
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));)
        unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    rmdir(folder);
}

TestSuite(warc_file, .init = make_folder, .fini = remove_folder);

Test(warc_file, a_finished_file_and_its_index_have_their_names_on_the_disk)
{
    cw_warc_file file = {.prefix = "a", .suffix = ".warc.gz", .has_index = true, .fd = -1};
    cr_assert_eq(cw_warc_file_open(&file, 1700000000000), CRAWL_OK);
    cr_assert_eq(cw_warc_file_append(&file, crawl_slice_from("member")), CRAWL_OK);
    const char *const lines[] = {"c", "a", "b"};
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(cw_warc_index_add(&file.index, crawl_slice_from(lines[i])), CRAWL_OK);
    cr_assert_eq(count_names(".open"), 1);
    cr_assert_eq(cw_warc_file_finish(&file), CRAWL_OK, "%s", file.failure.message);
    cr_assert_eq(names_at_last_sync, 2);
    cr_assert_eq(count_names(".open") + count_names(".tmp"), 0);
    char text[16] = "";
    FILE *index = fopen("a-20231114221320-00000.cdxj", "r");
    cr_assert(index && fread(text, 1, sizeof text - 1, index) == 6);
    fclose(index);
    cr_assert_str_eq(text, "a\nb\nc\n");
    cw_warc_file_free(&file);
}
