// The size of the system's pages: 4 KiB on x86-64; 4, 16 or 64 KiB on Arm.
#ifndef KUDZU_DEVICE_PAGE_H
#define KUDZU_DEVICE_PAGE_H

#include <stdint.h>
#include <unistd.h>

static inline uint64_t page_bytes(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

static inline uint64_t whole_pages(uint64_t bytes) {
    return (bytes + page_bytes() - 1) & ~(page_bytes() - 1);
}

#endif
