// The few functions of the driver API that running cases takes, from whatever libcuda.so.1 there
// is: NVIDIA's or kudzu's. No toolkit, no headers of one.
#ifndef KUDZU_TESTS_HARDWARE_DRIVER_H
#define KUDZU_TESTS_HARDWARE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hw_device {
    char name[128];
    int major, minor; // compute capability
    int api;          // version of the driver API: 1000 * major + 10 * minor
};

// Loads `library`, takes the first device. False with a message on stderr.
bool hw_driver_open(const char *library, struct hw_device *device);
// Makes the device current to the calling thread.
void hw_driver_enter(void);

typedef struct hw_module *hw_module;
// NULL with the compiler's message in log where the text is refused.
hw_module hw_driver_load(const char *text, char *log, size_t log_size);
void hw_driver_unload(hw_module m);

// Device memory; ends the process where there is none.
uint64_t hw_driver_allocate(size_t bytes);
void hw_driver_upload(uint64_t to, const void *from, size_t bytes);
void hw_driver_download(void *to, uint64_t from, size_t bytes);
void hw_driver_free(uint64_t p);
// Runs a kernel and waits for it. The driver's error where it does not start; ends the process when
// it fails later.
int hw_driver_launch(hw_module m, const char *kernel, unsigned blocks, unsigned threads,
                     void **params);

#endif
