// What the management library's files share.
#ifndef KUDZU_NVML_INTERNAL_H
#define KUDZU_NVML_INTERNAL_H

#define __NVML_API_VERSION_INTERNAL
#include <stdbool.h>
#include <stdint.h>

#include "api/nvml_decls.h"

enum { NVML_MAX_DEVICES = 64 };

struct nvmlDevice_st {
    unsigned index;
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE], uuid[48], bus[32]; // as the driver writes them
    unsigned long long total;                                      // bytes of device memory
    int major, minor, multiprocessors;
    int pageable, host_page_tables; // reaches memory of the process's own; by the host's tables
    int number;                     // in the machine, whatever is visible of it
};

// What is known after nvmlInit. The driver is asked once, while it is loaded.
struct nvml_system {
    struct nvmlDevice_st devices[NVML_MAX_DEVICES];
    unsigned count;
    int cuda_version;
    bool program_uses_driver; // this process had loaded the driver before
    char driver_path[4096];   // processes that use it have it mapped
};
nvmlReturn_t nvml_ask_driver(struct nvml_system *s);

// The system if the library is initialised and, for a device, the handle is good; else NULL and
// *error.
const struct nvml_system *nvml_enter(nvmlReturn_t *error);
const struct nvml_system *nvml_enter_device(nvmlDevice_t device, nvmlReturn_t *error);

// The first statement of an entry point: leaves it with the error if the library is not
// initialised, or a handle is bad.
#define ENTER(s)                                                                                   \
    nvmlReturn_t error_;                                                                           \
    const struct nvml_system *s = nvml_enter(&error_);                                             \
    if (!s)                                                                                        \
        return error_;                                                                             \
    (void)s
#define ENTER_DEVICE(s, device)                                                                    \
    nvmlReturn_t error_;                                                                           \
    const struct nvml_system *s = nvml_enter_device(device, &error_);                              \
    if (!s)                                                                                        \
        return error_;                                                                             \
    (void)s
#define REQUIRE(condition)                                                                         \
    if (!(condition))                                                                              \
    return NVML_ERROR_INVALID_ARGUMENT

// Per cent of the machine's time that went to work since the last call; the first looks at the
// next 50 ms.
unsigned nvml_busy(void);
// Bytes of the machine's memory that nobody needs.
unsigned long long nvml_available_memory(void);
// Processes that have loaded the driver: up to `room` ids; returns how many there are.
unsigned nvml_processes(const struct nvml_system *s, unsigned *pids, unsigned room);

#endif
