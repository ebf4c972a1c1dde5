// Where the control program of the Multi-Process Service (`kudzu mps-control`) listens, and what
// its clients and it tell each other: lines of text. A client says "client PID PERCENT", PERCENT
// being its own limit, and is answered "PERCENT PRIORITY LIMITS": the limit that counts, the
// priority, and bytes of each device as mps_memory_list has them, or "-". It stays connected as
// long as it lives. Anything else is a command, whose answer ends with the connection.
#ifndef KUDZU_SUPPORT_MPS_H
#define KUDZU_SUPPORT_MPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPS_LINE = 2048, MPS_DEVICES = 64 };

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
// An amount of memory: a number from 1 on with G or M (or GB, MB), in units of 2^30 or 2^20 bytes.
bool mps_memory(const char *text, uint64_t *bytes);
// Limits of devices as CUDA_MPS_PINNED_DEVICE_MEM_LIMIT has them ("0=1G,1=512M"); 0: there is none.
bool mps_memory_list(const char *text, uint64_t bytes[MPS_DEVICES]);
// A client's priority: 0 is normal, 1 below normal. False: `text` is none.
bool mps_priority(const char *text, int *out);

#endif
