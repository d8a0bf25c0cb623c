/* The words of the command line, `crawl WORD`. Some are functions of the program, others executables of their own. */
#pragma once

typedef struct cw_command_word {
    const char *name;
    int (*run)(int argc, char **argv); /* NULL: an executable */
    const char *help;                  /* NULL: the executable prints it; see cw_command_help */
    const char *summary;
} cw_command_word;

/* The last has no name. */
extern const cw_command_word cw_command_words[];

/* NULL: no such word. */
const cw_command_word *cw_command_find(const char *name);
/* Runs the tool; argv[0] is the word. Returns the exit status. An executable replaces the process. */
int cw_command_run(const cw_command_word *word, int argc, char **argv);
/* Returns the output of --help, valid until the process ends. Empty, after a message: an executable did not run. */
const char *cw_command_help(const cw_command_word *word);
