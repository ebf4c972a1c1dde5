// Where kernels' printf output waits for the host: a ring of a fixed size. When it is full the
// oldest output is overwritten (guide 10.35.2).
#ifndef KUDZU_DEVICE_PRINT_BUFFER_H
#define KUDZU_DEVICE_PRINT_BUFFER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "device/sync.h"

struct print_buffer {
    struct kd_spinlock lock;
    pthread_mutex_t flushing; // output of two flushes does not mix
    char *data;               // taken with the first output
    bool in_use;              // something has been printed
    size_t size;              // the limit
    size_t first, used;       // records: length (4 bytes), text
    atomic_size_t pending;    // used, to be read without the lock
};

void print_buffer_open(struct print_buffer *b, size_t size);
void print_buffer_close(struct print_buffer *b);
// Changes the limit; false, without effect, once something has been printed.
bool print_buffer_resize(struct print_buffer *b, size_t size);
void print_buffer_append(struct print_buffer *b, const char *text, size_t n);
void print_buffer_flush(struct print_buffer *b, FILE *out);

#endif
