// Where the control program of the Multi-Process Service (`kudzu mps-control`) listens, and what
// its clients and it tell each other: lines of text. A client says "client PID PERCENT", PERCENT
// being its own limit, and is answered "PERCENT", the limit that counts; it stays connected as long
// as it lives. Anything else is a command, whose answer ends with the connection.
#ifndef KUDZU_SUPPORT_MPS_H
#define KUDZU_SUPPORT_MPS_H

#include <stdbool.h>
#include <stddef.h>

enum { MPS_LINE = 512 };

// CUDA_MPS_PIPE_DIRECTORY, or its default.
const char *mps_folder(void);
// A connection; -1: nobody listens.
int mps_connect(void);
// A socket that listens in the folder, which is made; -1: errno tells why, EADDRINUSE: another
// control program listens.
int mps_listen(void);
void mps_unlink(void);
// A percentage of threads, above 0 and at most 100; false: `text` is none.
bool mps_percentage(const char *text, double *out);

#endif
