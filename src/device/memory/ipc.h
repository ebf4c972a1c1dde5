// Inside view of memory that other processes map (ipc.c).
#ifndef KUDZU_DEVICE_IPC_H
#define KUDZU_DEVICE_IPC_H

#include "device/memory/memory.h"
#include "device/memory/memory_file.h"

// For signal handlers: memory at this address is being moved; returns when that is over and the
// access can be tried again. False: it is not.
bool ipc_wait_for_move(uint64_t address);
// With the lock of memory.h: an allocation (its slot in the area) is freed; an area ends.
void ipc_forget(struct area *area, uint64_t slot);
void ipc_drop(struct area *area);

// A handle of a file that this process has open.
struct kd_ipc_file ipc_describe(int fd);
// The file that a handle names, of the kind and at least so large, opened; -1: kd_reason tells why.
int ipc_open(const struct kd_ipc_file *f, enum memory_file_kind kind, uint64_t need);
// The device whose memory the file is, the first one where it is nobody's; NULL: this process has
// no such device, kd_reason tells.
struct kd_device *ipc_device(int fd);

#endif
