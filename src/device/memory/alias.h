// Physical memory at several addresses: who looks at accesses takes them for those at one.
#ifndef KUDZU_DEVICE_ALIAS_H
#define KUDZU_DEVICE_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

// `size` bytes of a file from `offset` on are at an address; own: of the device alone, not of the
// program. Without memory nothing is noted.
void physical_noted(int fd, uint64_t offset, uint64_t base, uint64_t size, bool own);
void physical_forgotten(uint64_t base);
// Where the program has what lies at an address of the device's own; the address, where it has it
// nowhere.
uint64_t physical_alias(uint64_t address);

#endif
