// Inside view of memory that other processes map (ipc.c).
#ifndef KUDZU_DEVICE_IPC_H
#define KUDZU_DEVICE_IPC_H

#include "device/memory/memory.h"

// For signal handlers: memory at this address is being moved; returns when that is over and the
// access can be tried again. False: it is not.
bool ipc_wait_for_move(uint64_t address);
// With the lock of memory.h: an allocation (its slot in the area) is freed; an area ends.
void ipc_forget(struct area *area, uint64_t slot);
void ipc_drop(struct area *area);

#endif
