// Reading whole files whose names come from outside.
#ifndef KUDZU_SUPPORT_WHOLE_FILE_H
#define KUDZU_SUPPORT_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum whole_file_kinds {
    WHOLE_FILE_REGULAR, // and nothing else
    WHOLE_FILE_PIPES,   // and pipes, /dev/null
};

struct whole_file {
    char *data; // malloc'd; a NUL follows
    size_t size;
    char why[160];  // it could not be read
    bool no_memory; // that was the reason
};

// Reads a file of at most `most` bytes. Devices are refused, which may have no end, and so are
// sockets and folders; nothing waits for a pipe's other end to be opened. False: `why` says why,
// without the file's name.
bool whole_file_read(struct whole_file *f, const char *path, enum whole_file_kinds kinds,
                     uint64_t most);

// Whether a file may be read by a program that reads to the end, as far as its kind tells: it is
// regular, a pipe, /dev/null or the standard input. A file that is not there may be.
bool whole_file_has_end(const char *path);

#endif
