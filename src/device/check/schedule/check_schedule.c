#include "device/check/schedule/check_schedule.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device/check/check.h"
#include "device/check/check_cells.h"
#include "device/check/check_threads.h"
#include "device/memory/memory.h"
#include "support/check/host_call.h"
#include "support/environment.h"

// ---- the order of blocks ------------------------------------------------------------------

uint64_t check_schedule(void) {
    static _Atomic uint64_t known; // one more than the number
    uint64_t schedule = atomic_load_explicit(&known, memory_order_relaxed);
    if (schedule)
        return schedule - 1;
    const char *value = environment_get("KUDZU_SCHEDULE");
    schedule = value ? strtoull(value, NULL, 10) : 0;
    atomic_store_explicit(&known, schedule + 1, memory_order_relaxed);
    return schedule;
}

bool check_schedule_is_set(void) {
    return environment_get("KUDZU_SCHEDULE") != NULL;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The least number from x on that has no divisor in common with n.
static uint64_t coprime(uint64_t x, uint64_t n) {
    while (common_divisor(x, n) != 1)
        x++;
    return x;
}

uint64_t check_schedule_block(uint64_t schedule, uint64_t n, uint64_t index) {
    if (schedule < 2 || n < 2)
        return schedule == 1 ? n - 1 - index : index;
    // Steps of a length that has no divisor in common with n come to each block once. Each of n
    // schedules in a row has another last block: what only that one shows is not left to chance.
    uint64_t step = coprime(mix(schedule) % n, n), last = coprime(n * 34 / 55, n);
    last = (uint64_t)((__uint128_t)last * (schedule % n) % n);
    return (uint64_t)(((__uint128_t)step * (index + 1) + last) % n);
}

uint64_t check_schedule_rank(uint64_t schedule, uint64_t index) {
    return mix(mix(schedule) + index * UINT64_C(0x9e3779b97f4a7c15));
}

// ---- what copies bring --------------------------------------------------------------------

// Of the file, in front of the bytes.
struct output {
    uint64_t key, size;
};
static const uint64_t most = UINT64_C(256) << 20; // bytes that are kept
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static const uint8_t *kept; // what schedule 0 has left
static uint64_t kept_size, written;
static bool told; // once

// With the mutex. False: there is nothing to be compared.
static bool open_file(void) {
    static bool tried;
    struct stat st;
    const char *name = tried ? NULL : environment_get("KUDZU_SCHEDULE_OUTPUTS");
    tried = true;
    if (name && (file = open(name, O_RDWR | O_APPEND | O_CLOEXEC)) >= 0 && check_schedule() &&
        !fstat(file, &st) && st.st_size > 0) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        kept = p == MAP_FAILED ? NULL : p;
        kept_size = kept ? (uint64_t)st.st_size : 0;
    }
    return file >= 0;
}

// The same in each run, though libraries lie elsewhere then, by whole pages. at: in the allocation
// that the bytes come from.
static uint64_t key_of(uint64_t at, uint64_t size, const struct host_call *call) {
    uint64_t h = mix(mix(at) + size);
    for (int k = 0; call && k < call->nframes; k++)
        h = mix(h + ((uint64_t)(uintptr_t)call->frames[k] & 0xfff) + 1);
    return h;
}

static bool is_host(uint64_t address) {
    struct kd_memory m;
    return !kd_memory_find(address, &m) || m.kind == KD_MEMORY_PINNED ||
           m.kind == KD_MEMORY_REGISTERED;
}

// Who wrote there last.
static const struct kd_check_site *writer_of(uint64_t address) {
    struct check_cells *c = check_cells_of(address);
    uint32_t k = (uint32_t)(address >> 2) % CHECK_CELLS, names[2] = {0}, grid = 0;
    const struct kd_check_site *site = NULL;
    if (c) {
        names[0] = c->weak[k];
        names[1] = c->strong[k];
    }
    for (int n = 0; n < 2; n++) {
        const struct check_stamp *s = names[n] ? check_stamp_of(names[n] >> CHECK_LANE_BITS) : NULL;
        if (s && s->grid >= grid && !check_is_move(s->site)) {
            grid = s->grid;
            site = s->site;
        }
    }
    return site;
}

static void report(uint64_t from, const uint8_t *now, const uint8_t *before, uint64_t size,
                   const struct host_call *call) {
    uint64_t k = 0;
    while (k < size && now[k] == before[k])
        k++;
    uint64_t word = k & ~(uint64_t)3, n = size - word < 4 ? size - word : 4;
    uint32_t is = 0, was = 0;
    memcpy(&is, now + word, n);
    memcpy(&was, before + word, n);
    struct check_report r = {.what = "Results depend on the order in which threads come",
                             .site = writer_of(from + word),
                             .call = call};
    snprintf(r.lines[0], CHECK_LINE,
             "byte %" PRIu64 " of a copy to the host begins a word 0x%08" PRIx32
             ", which is 0x%08" PRIx32 " where blocks come as they are numbered",
             word, is, was);
    snprintf(r.lines[1], CHECK_LINE, "KUDZU_SCHEDULE=%" PRIu64 " has this order", check_schedule());
    check_report(&r);
}

// With the mutex. Copies of one call may come in another order: one that is the same suffices.
static void compare(uint64_t key, uint64_t from, const uint8_t *bytes, uint64_t size,
                    const struct host_call *call) {
    const uint8_t *other = NULL;
    for (uint64_t at = 0; at + sizeof(struct output) <= kept_size;) {
        struct output o;
        memcpy(&o, kept + at, sizeof o);
        at += sizeof o;
        if (o.size > kept_size - at)
            return;
        if (o.key == key && o.size == size) {
            if (!memcmp(kept + at, bytes, size))
                return;
            other = other ? other : kept + at;
        }
        at += o.size;
    }
    if (other && !told) {
        told = true;
        report(from, bytes, other, size, call);
    }
}

void check_schedule_copied(uint64_t to, uint64_t from, uint64_t size,
                           const struct host_call *call) {
    pthread_mutex_lock(&mutex);
    if (open_file() || file >= 0) {
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)to;
        struct kd_memory m;
        bool is_output = kd_memory_find(from, &m) && is_host(to);
        struct output o = {is_output ? key_of(from - m.base, size, call) : 0, size};
        if (is_output && check_schedule()) {
            compare(o.key, from, bytes, size, call);
        } else if (is_output && written + size <= most) {
            // At once, behind what other processes write.
            struct iovec parts[] = {{&o, sizeof o}, {(void *)bytes, size}};
            written += writev(file, parts, 2) > 0 ? size : 0;
        }
    }
    pthread_mutex_unlock(&mutex);
}
