// Where kudzu's own driver is looked for, in this order:
//   1. $KUDZU_HOME/lib
//   2. beside this code (the program, or libcudart.so.12), and in the lib folder beside that one
//   3. where kudzu lay when the program was compiled
//   4. the library path: the program's own, LD_LIBRARY_PATH, what ldconfig knows
//   5. with the `kudzu` on PATH: ../lib seen from where it lies, and pip's folders there
//   6. pip's folders of VIRTUAL_ENV, of the user (~/.local) and of /usr/local
//   7. /usr/lib/kudzu/lib, /usr/local/lib, /usr/local/kudzu/lib, /opt/kudzu/lib
// A driver of kudzu's has the JIT, libkudzu-jit.so, beside it: another libcuda.so.1 is passed over.
// Variables do not count where the program has rights of its own (support/environment.h), and of
// PATH only folders with a full path.
#ifndef KUDZU_RUNTIME_FIND_CPU_DRIVER_H
#define KUDZU_RUNTIME_FIND_CPU_DRIVER_H

#include <stdbool.h>

// Calls open(path, data) with each place's libcuda.so.1, if there is such a file, until it gives
// true. `library_path`: opens the one on the library path, with the same answer.
bool find_cpu_driver(bool (*open)(const char *path, void *data), bool (*library_path)(void *data),
                     void *data) __attribute__((visibility("hidden")));

#endif
