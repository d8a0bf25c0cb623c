/* Runs a fuzz target over files and the files in folders, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long runs;

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    int failed = !data || fread(data, 1, (size_t)size, file) != (size_t)size;
    if (!failed)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    runs++;
    free(data);
    fclose(file);
    return failed;
}

static int run_folder(const char *path)
{
    DIR *folder = opendir(path);
    int failed = !folder;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            failed |= run_file(name);
    }
    if (folder)
        closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status)) {
            perror(argv[i]);
            return 1;
        }
        failed |= S_ISDIR(status.st_mode) ? run_folder(argv[i]) : run_file(argv[i]);
    }
    printf("%lu inputs replayed\n", runs);
    return failed || !runs;
}
