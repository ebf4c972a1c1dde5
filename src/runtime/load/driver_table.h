// The driver's functions as a table, filled by cuGetProcAddress after the driver was found. The
// runtime knows the driver by nothing else.
#ifndef KUDZU_RUNTIME_DRIVER_TABLE_H
#define KUDZU_RUNTIME_DRIVER_TABLE_H

#include "cuda.h"
#include "cudaTypedefs.h"

// RT_DRIVER_FORM is for a second form of a function, which has a suffix here.
struct rt_driver_table {
#define RT_DRIVER_FUNCTION(name, version) PFN_##name##_v##version name;
#define RT_DRIVER_FORM(name, version, suffix) PFN_##name##_v##version name##suffix;
#include "runtime/driver_functions.def"
#undef RT_DRIVER_FUNCTION
#undef RT_DRIVER_FORM
    PFN_cuGetProcAddress_v12000 get_proc_address;
};

// [1] holds the forms in which stream 0 is the calling thread's default stream.
extern struct rt_driver_table rt_driver[2] __attribute__((visibility("hidden")));

// Fills rt_driver from `library`. False when it is no driver, or one that lacks what every call
// needs, with the reason in `reason`.
_Bool rt_fill_driver_table(void *library, char *reason, size_t size);

// Says in the log which function is missing. Returns cudaErrorCallRequiresNewerDriver.
CUresult rt_driver_lacks(const char *name) __attribute__((cold));

// Calls the driver, in the form that the runtime's caller asked for.
#define RT_DRIVER (&rt_driver[api_per_thread != 0])
#define RT_CALL(function, ...)                                                                     \
    (__builtin_expect(RT_DRIVER->function != NULL, 1) ? RT_DRIVER->function(__VA_ARGS__)           \
                                                      : rt_driver_lacks(#function))

#endif
