// What the machine is: cores, memory, caches, instruction set.
#ifndef KUDZU_DEVICE_TOPOLOGY_H
#define KUDZU_DEVICE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/generated_code.h"

int topology_cores(void); // that this process may use
// Runs the calling thread on the upper half of them? It may be on another one a moment later.
bool topology_is_upper_half(void);
uint64_t topology_memory(void);      // bytes that this process may use
uint64_t topology_memory_free(void); // of them, not in use by anybody
void topology_cpu_name(char *out, size_t size);
int topology_clock_khz(void);
uint64_t topology_cache_bytes(void); // the last level
// Bytes that a launch has to store so that no core's own cache keeps them; KUDZU_STREAM.
uint64_t topology_cached_stores(void);
// The instruction set of this machine, or a lower one that KUDZU_CPU names.
enum kd_level topology_level(void);
// What the machine has beyond its level (KD_FEATURE_*): nothing where KUDZU_CPU names a level.
uint32_t topology_features(void);
// How products of bytes on tiles are computed, if at all: by the machine's instructions, where it
// has them and lets the process use them, or by C code that does the same (KUDZU_TILES).
enum topology_tiles { TILES_NONE, TILES_MACHINE, TILES_PLAIN };
enum topology_tiles topology_tiles(void);
// 16 bytes that stay the same for this machine and device index.
void topology_uuid(int index, uint8_t out[16]);

#endif
