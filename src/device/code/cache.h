// The disk cache of compiled code (CUDA_CACHE_PATH, CUDA_CACHE_DISABLE, CUDA_CACHE_MAXSIZE; guide,
// environment variables). Files belong to their user and are checked before use; writers never
// leave half a file behind; any number of processes may use one folder.
#ifndef KUDZU_DEVICE_CACHE_H
#define KUDZU_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/generated_code.h"

struct cache_key {
    uint8_t bytes[16];
};
struct cache_key cache_key_of(const char *ptx, size_t ptx_size, const char *kernel,
                              const struct kd_spec *spec, const char *compiler);
// On a hit *obj is malloc'ed.
bool cache_read(const struct cache_key *key, struct kd_code_info *info, void **obj, size_t *size);
// Failure is not an error: the next process compiles again.
void cache_write(const struct cache_key *key, const struct kd_code_info *info, const void *obj,
                 size_t size);

// The same for a thread that must not look at the environment, which the program may be changing:
// where to write, as it was when somebody else looked.
struct cache_place {
    int folder; // -1: nowhere
    uint64_t limit;
};
struct cache_place cache_open(void);
void cache_close(struct cache_place p);
void cache_write_at(struct cache_place p, const struct cache_key *key,
                    const struct kd_code_info *info, const void *obj, size_t size);
void cache_remove_at(struct cache_place p, const struct cache_key *key);

#endif
