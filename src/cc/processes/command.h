// Child processes: argument lists, starting, waiting; what -v, --dryrun and -time show of them.
#ifndef KUDZU_CC_COMMAND_H
#define KUDZU_CC_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cc/processes/cc.h"

struct command {
    struct arena *arena;
    cc_strings args;         // args.data[0]: the program, looked up on PATH
    const char *what;        // for -time: "device pass sm_90"
    const char *stdin_path;  // NULL: ours
    const char *stdout_path; // NULL: ours
    const char *stderr_path; // NULL: ours
    const char *environment; // one more "NAME=value", NULL: none
    const int *inherited;    // descriptors that the program gets, too, with the same numbers
    uint32_t inherited_count;
    pid_t pid; // 0: not started, or dry run
    bool done;
    int status; // exit status once done; 128 + signal when it was killed; -1: somebody else, who
                // waits for all children or wants none, has it
    uint64_t start_us, end_us;
};

// How commands are shown and whether they run; set once from the options.
struct command_mode {
    bool verbose, dry_run;
    const char *time_file; // appended to: one line a command
};
extern struct command_mode command_mode;

void command_init(struct command *c, struct arena *arena, const char *what, const char *program);
void command_arg(struct command *c, const char *arg);
void command_args(struct command *c, const cc_strings *args);
void command_argf(struct command *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Shows the command if asked to and starts it. False: it could not be started (said on stderr).
bool command_start(struct command *c);
// Waits and gives the exit status, 0 in a dry run.
int command_wait(struct command *c);
// Whether it has ended, without waiting.
bool command_poll(struct command *c);
void command_kill(struct command *c);
// Start and wait. True: exit status 0.
bool command_run(struct command *c);

#endif
