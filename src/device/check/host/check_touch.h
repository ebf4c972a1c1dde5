// The host accesses memory of a device, which a GPU's host cannot: told of once a place, and let
// by.
#ifndef KUDZU_DEVICE_CHECK_TOUCH_H
#define KUDZU_DEVICE_CHECK_TOUCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/check/host/check_host.h"

// Device memory has been allocated: its pages are the device's alone from now on, where memory is
// checked and KUDZU_HOST_ACCESS does not say that the host may.
void check_touch_begin(uint64_t address, uint64_t size);
// A thread at pc, in a function that returns to `caller`, has been stopped there
// (rights_device_fault). of_device: it runs an operation. steps_allowed: it can be stopped again
// behind the instruction (single_step.h). Signal handlers call this.
enum check_host_answer check_touch_fault(const siginfo_t *info, void *context, uint64_t pc,
                                         uint64_t caller, bool writes, bool of_device,
                                         bool steps_allowed);
// It has been stopped behind the instruction. False: it was not to.
bool check_touch_stepped(void *context);

#endif
