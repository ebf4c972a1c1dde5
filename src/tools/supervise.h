// Runs a program as a child and tells what the program itself did not look at (run_report.h).
#ifndef KUDZU_TOOLS_SUPERVISE_H
#define KUDZU_TOOLS_SUPERVISE_H

// The program of a descriptor, which is closed on exec, or of a path where that is below 0. Signals
// that end processes are passed on. Returns its exit status, or 1 where that is 0 and kernels have
// faulted or launches failed unseen; a signal that ended the program ends this process, too.
// Returns -1 where no child can be watched: nothing was run.
int supervise(int fd, const char *path, char **arguments);
// The same; *found: how many reports `kudzu check` has printed.
int supervise_checked(int fd, const char *path, char **arguments, unsigned *found);
// Becomes the program; returns where that fails, after a message.
void become(int fd, const char *path, char **arguments);

#endif
