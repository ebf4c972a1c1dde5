// Inside view of multicast objects (multicast.c), for multimem instructions.
#ifndef KUDZU_DEVICE_MULTICAST_H
#define KUDZU_DEVICE_MULTICAST_H

#include "device/device.h"

enum { KD_MOST_MEMBERS = 64 };

// Where the members have the `bytes` that stand at an address of a mapped object, in their order;
// how many they are. They stay until multicast_leave, which is called in any case.
unsigned multicast_enter(uint64_t address, uint64_t bytes, uint64_t at[KD_MOST_MEMBERS]);
void multicast_leave(void);

#endif
