// Runs a program as a child and tells what the program itself did not look at (run_report.h).
#ifndef KUDZU_TOOLS_SUPERVISE_H
#define KUDZU_TOOLS_SUPERVISE_H

#include <stdbool.h>

// The program of a descriptor, which is closed on exec, or of a path where that is below 0. Signals
// that end processes are passed on. Returns its exit status, or 1 where that is 0 and kernels have
// faulted or launches failed unseen; a signal that ended the program ends this process, too.
// Returns -1 where no child can be watched: nothing was run.
int supervise(int fd, const char *path, char **arguments);

// The same in steps, for who does something between. Runs the program and returns waitpid's status,
// or -1; `started` is called when it has begun.
struct supervised {
    void (*started)(void *data, int process);
    void *data;
    int output; // descriptor that the program has as its standard output; 0: this process's
    struct run_report *report; // set: what the program has told
};
int supervise_child(int fd, const char *path, char **arguments, struct supervised *s);
// Prints what the program has told, but not launches that failed where `launches` is not set.
// Returns how much of it makes a good end a bad one.
unsigned supervise_told(struct supervised *s, bool launches);
// Ends as the program did: returns its exit status, or does not return. `bad`: what makes status 0
// to 1.
int supervise_end(int status, unsigned bad);
// Becomes the program; returns where that fails, after a message.
void become(int fd, const char *path, char **arguments);

#endif
