// Devices: KUDZU_DEVICES equal parts of the machine.
#include <stdio.h>
#include <stdlib.h>

#include "device/code/jit_library.h"
#include "device/internal.h"
#include "device/mps_client.h"
#include "device/reason.h"
#include "device/sched/hang.h"
#include "device/topology.h"
#include "support/capability.h"
#include "support/environment.h"

enum { MAX_DEVICES = 64 };

static int number_from(const char *variable, int low, int high, int otherwise) {
    const char *text = environment_get(variable);
    char *end;
    if (!text || !*text)
        return otherwise;
    long n = strtol(text, &end, 10);
    return *end == 0 && n >= low && n <= high ? (int)n : otherwise;
}

int kd_device_count(void) {
    return number_from("KUDZU_DEVICES", 1, MAX_DEVICES, 1);
}

static void describe(struct kd_device *d, int workers, uint64_t memory) {
    struct kd_properties *p = &d->properties;
    char cpu[200];
    topology_cpu_name(cpu, sizeof cpu);
    snprintf(p->name, sizeof p->name, "kudzu CPU: %s", cpu);
    topology_uuid(d->index, p->uuid);
    p->workers = workers;
    p->total_memory = memory;
    p->clock_khz = topology_clock_khz();
    p->memory_clock_khz = p->clock_khz;
    p->l2_bytes = topology_cache_bytes();
    p->level = topology_level();
    p->capability = capability_of_device();
    p->lenient = !capability_is_chosen();
    p->max_shared_block = 48 << 10; // of all capabilities, and the registers
    p->registers_sm = 65536;
    p->max_cooperative_blocks_sm = 32;
    p->priority_least = 0;
    p->priority_greatest = 1 - PRIORITIES;
}

static struct kd_device *open_new(int index, int count) {
    struct kd_device *d = aligned_alloc(KD_CACHE_LINE, sizeof *d);
    if (!d) {
        kd_fail(KD_OUT_OF_MEMORY, "no memory for a device");
        return NULL;
    }
    *d = (struct kd_device){.index = index};
    int cores = topology_cores();
    int share = cores / count > 0 ? cores / count : 1;
    int workers = mps_client_workers(number_from("KUDZU_WORKERS", 1, MAX_WORKERS, share));
    // A quarter of memory is left to the host: what a program allocates on the device it has
    // often allocated on the host too.
    uint64_t memory = topology_memory() / 4 * 3 / (uint64_t)count & ~(uint64_t)((2 << 20) - 1);
    if (!device_memory_open(&d->memory, memory)) {
        kd_fail(KD_SYSTEM, "the system grants no address space for device memory");
        free(d);
        return NULL;
    }
    d->memory.total = mps_client_memory(index, memory);
    describe(d, workers, d->memory.total);
    if (!scheduler_open(&d->scheduler, workers, cores)) {
        kd_fail(KD_OUT_OF_MEMORY, "no memory for a device");
        free(d);
        return NULL;
    }
    return d;
}

struct kd_device *kd_device_open(int index) {
    hang_watch();
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct kd_device *devices[MAX_DEVICES];
    int count = kd_device_count();
    if (index < 0 || index >= count) {
        kd_fail(KD_INVALID_VALUE, "there is no device %d; there are %d", index, count);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (!devices[index])
        devices[index] = open_new(index, count);
    struct kd_device *d = devices[index];
    pthread_mutex_unlock(&lock);
    return d;
}

enum kd_status kd_preload(void) {
    return jit_library() ? kd_succeed() : KD_JIT_NOT_FOUND;
}

int kd_device_index(const struct kd_device *d) {
    return d->index;
}

const struct kd_properties *kd_device_properties(const struct kd_device *d) {
    return &d->properties;
}

void kd_device_memory(struct kd_device *d, uint64_t *free_bytes, uint64_t *total_bytes) {
    uint64_t used = atomic_load(&d->memory.used);
    *total_bytes = d->memory.total;
    *free_bytes = d->memory.total - used;
}
