// Functions without a body that PTX may call: those of the system, and of the device runtime.
#ifndef KUDZU_ISA_DEVICE_FUNCTIONS_H
#define KUDZU_ISA_DEVICE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct device_function {
    const char *name;
    uint32_t function; // enum kd_device_function
    uint32_t nargs, aggregates, result_bits;
};
// NULL: none of that name.
const struct device_function *device_function_find(const char *name);
// Also vprintf, malloc, free and __assertfail.
bool device_provides(const char *name);
// What older code may call and the device does not have (guide 13.5.2): a kernel that can call it
// is not loaded.
bool device_lacks(const char *name);
// Those that give the device work of its own: kernels, and the copies and sets that NVIDIA's device
// runtime makes kernels of. What "uses dynamic parallelism" (guide 6.2.8.7.5, 6.2.8.7.7.2) calls
// one.
bool device_launches(const char *name);

#endif
