// What `kudzu check` is asked to do: its options are compute-sanitizer's, and a few more.
#ifndef KUDZU_TOOLS_CHECK_OPTIONS_H
#define KUDZU_TOOLS_CHECK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"
#include "support/strbuf.h"

enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_SARIF, CHECK_JUNIT, CHECK_XML };
enum check_errors { // calls whose error is told of
    CHECK_ERRORS_NONE,
    CHECK_ERRORS_IGNORED,  // that the program does not look at
    CHECK_ERRORS_EXPLICIT, // all that the program calls
};

struct check_options {
    bool sanitizer;       // by the name of compute-sanitizer
    const char *tools;    // words of KUDZU_CHECK
    bool race_alone;      // no other tool
    int error_status;     // 0: the program's
    uint64_t print_limit; // 0: none
    uint64_t progress;    // seconds from one line about it to the next; 0: none
    uint64_t schedules;   // runs with threads in other orders; 0: one, as it comes
    uint64_t seed;
    bool quiet, needs_cuda, tells_exit_status, strips_paths, simple_names, one_process;
    bool host_frames, all_frames; // all: those below main too
    bool with_heap, with_copies;
    bool blocking, host_access;
    uint32_t most_frames; // 0: all
    enum check_errors errors;
    bool leaks, unwritten, reads, ignores_missing_functions;
    const char *prefix;
    struct strbuf kernels; // lines of CHECK_FILTER_VARIABLE
    const char *preload, *suppressions;
    const char *log_file; // of the text; NULL: standard output
    const char *output;   // of the format; NULL: standard output
    enum check_format format;
    int at; // the first argument that is not the command's own
};

// Reads options up to the program. Returns 0, or the status with which the command ends now: it has
// printed help, the version or an error; -1 stands for status 0.
int check_options_read(struct arena *arena, int argc, char **argv, bool sanitizer,
                       struct check_options *o);

#endif
