// The call of kudzu's libraries that the calling thread is in, and where the program made it.
#ifndef KUDZU_SUPPORT_HOST_CALL_H
#define KUDZU_SUPPORT_HOST_CALL_H

#include <stdbool.h>

#include "support/check/check_record.h"

struct host_call {
    char name[64];   // "cudaMalloc", without a version behind it; "": not known
    bool by_runtime; // the runtime called the driver
    int nframes;
    void *frames[CHECK_RECORD_FRAMES]; // return addresses in the program, the innermost first
};

// False: the thread is in no call of the program.
bool host_call_get(struct host_call *c);
// The same for as long as the process lives, once for each place that calls. NULL: it is in none,
// or there is no memory.
const struct host_call *host_call_keep(void);
// Writes the frames into the record, which has room for them. Texts live as long as what is loaded.
void host_call_add_frames(const struct host_call *c, struct check_record *r);
// Copies the name without a version or suffix for streams (_v2, _ptsz, _ptds).
void host_call_name(const char *name, char *out, size_t size);

#endif
