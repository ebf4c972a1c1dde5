// Access rights of single devices (guide 14.7, 15.12). All devices share the process's pages, whose
// own rights are those of all devices and the host together. Where these differ, pages have a
// protection key of the processor, and a thread that runs kernels has the rights of its device. On
// processors without such keys, and when the process's 15 are used up, the pages' own rights are
// all.
#ifndef KUDZU_DEVICE_RIGHTS_H
#define KUDZU_DEVICE_RIGHTS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

// Pages for the devices of the masks, by index; `all` are the devices that there are. The pages'
// own rights are `readable` and `writable`.
enum kd_status kd_rights_set(uint64_t base, uint64_t size, bool readable, bool writable,
                             uint64_t readers, uint64_t writers, uint64_t all);
// Pages that any device may read and write.
void kd_rights_clear(uint64_t base, uint64_t size);

// Of all memory of a pool, now and later: devices of the mask may use it.
void kd_pool_set_rights(struct kd_pool *p, uint64_t devices, uint64_t all);

extern atomic_int rights_keys;       // that are in use
extern atomic_int rights_device_key; // of memory that is the devices' alone; 0: there is none
void rights_enter_slow(int device);
// The calling thread gets a device's rights, or with -1 all.
static inline void rights_enter(int device) {
    if (__builtin_expect(atomic_load_explicit(&rights_keys, memory_order_relaxed) |
                             atomic_load_explicit(&rights_device_key, memory_order_relaxed),
                         0))
        rights_enter_slow(device);
}
// For the handler of SIGSEGV: whether the access is one that a key forbade although the device (-1:
// the host) has the right: threads learn late of new keys. It can be tried again.
bool rights_allow(const siginfo_t *info, void *context, int device, bool write);

// ---- Memory that is the devices' alone, for kudzu check ------------------------------------
// On a GPU the program's own code cannot access what cudaMalloc gives. Such pages get a key that
// only this library's threads, and the program's while they are in a call of it, have the right of.

// Takes the key. False: the processor or the system has none.
bool rights_device_begin(void);
// Pages of that range are a device's alone from now on; without a key nothing happens.
void rights_device_only(uint64_t base, uint64_t size);
bool rights_call_begin_slow(void);
void rights_call_end_slow(bool before);
// The calling thread enters the library: it gets the right. Returns whether it had it.
static inline bool rights_call_begin(void) {
    return __builtin_expect(atomic_load_explicit(&rights_device_key, memory_order_relaxed), 0) &&
           rights_call_begin_slow();
}
// It leaves, or code of the program is called: before is what it had.
static inline void rights_call_end(bool before) {
    if (__builtin_expect(atomic_load_explicit(&rights_device_key, memory_order_relaxed), 0))
        rights_call_end_slow(before);
}
// For the handler of SIGSEGV: whether the access is one to such pages without the right.
bool rights_device_fault(const siginfo_t *info);
// For the same: the interrupted thread gets the right; `for_now`: until its next call of the
// library ends. False: there is nothing to give it by.
bool rights_device_let(void *context, bool for_now);
// For the handler of SIGTRAP: it has the right no more.
void rights_device_take(void *context);

#endif
