// Which CUDA driver a process uses: NVIDIA's, for a GPU, or kudzu's, for the CPU.
//
// KUDZU_DRIVER, a path, decides where it is set. Else a driver that the process has loaded already
// is the one, because the program calls it too. Else KUDZU_DEVICE:
//   gpu   a driver in LD_LIBRARY_PATH or where systems keep libcuda.so.1, that starts and has a
//         device which is not kudzu's
//   cpu   kudzu's driver, where find_cpu_driver.h says
//   auto  the first of the two that is there; also where the variable is not set
#ifndef KUDZU_RUNTIME_FIND_DRIVER_H
#define KUDZU_RUNTIME_FIND_DRIVER_H

#include <limits.h>

struct found_driver {
    void *handle;             // as dlopen gives it; NULL when there is none
    char path[PATH_MAX];      // of the library
    char why[PATH_MAX + 256]; // it was taken, or none was
};

// Called once a process; not from two threads at a time.
void find_driver(struct found_driver *found) __attribute__((visibility("hidden")));

#endif
