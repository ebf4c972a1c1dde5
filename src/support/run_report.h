// What `kudzu run` and `kudzu explain` are told by the program that they run: faults of kernels,
// launches and calls that failed and that nobody asked about, and the shapes of blocks that kernels
// were launched with. KUDZU_REPORT holds the number of a descriptor of the memory that
// both share; with any other value but 0 faults are printed and counted nowhere.
#ifndef KUDZU_SUPPORT_RUN_REPORT_H
#define KUDZU_SUPPORT_RUN_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RUN_REPORT_VARIABLE "KUDZU_REPORT"
#define RUN_REPORT_MAGIC "kudzu report 4"

enum { RUN_REPORT_LAUNCHES = 32, RUN_REPORT_SHAPES = 256, RUN_REPORT_TEXT = 1000 };

struct run_report {
    char magic[16];
    atomic_uint faults;  // all that were printed
    atomic_uint started; // programs that have called cuInit
    atomic_uint lost;    // launches that failed and found no place below
    struct run_report_launch {
        _Atomic(int32_t) owner; // the thread whose launch it was; 0: free
        atomic_uint ready;      // the text is whole
        atomic_uint times;      // launches that failed so
        char text[RUN_REPORT_TEXT];
    } launches[RUN_REPORT_LAUNCHES];
    struct run_report_launch call; // the first call that failed, no launch
    atomic_uint shape_count;       // places taken; may be more than there are
    struct run_report_shape {
        atomic_uint ready;
        uint32_t block[3], flags; // as in struct kd_spec
        char kernel[RUN_REPORT_TEXT];
    } shapes[RUN_REPORT_SHAPES];
};

// Whether somebody wants to know.
bool run_report_on(void);
// A kernel's fault: prints the text, once, and counts it. `kernel`: its name in the text, which is
// printed as it is written in C++; NULL: there is none.
void run_report_fault(const char *kernel, const char *text);
// A name as it is written in C++, to be freed; NULL: it is no such name, or the program has no C++
// library.
char *run_report_demangle(const char *name);
// The process has called cuInit.
void run_report_started(void);
// How many faults were counted.
unsigned run_report_faults(void);
// A launch of the calling thread failed: kept until the thread asks for its last error.
void run_report_launch_failed(const char *kernel, const char *text);
// A call of the calling thread failed: kept if it is the first one, until the thread asks for its
// last error. Returns whether it is.
bool run_report_call_failed(const char *text);
// That one was a launch.
void run_report_call_forget(void);
// The calling thread asked.
void run_report_errors_seen(void);
// Code is made for a launch with blocks of this shape. `flags`: enum KD_SPEC_*.
void run_report_shape(const char *kernel, const uint32_t block[3], uint32_t flags);

// The memory, for who runs a program; NULL: it cannot be had. *fd: its descriptor, closed on exec.
struct run_report *run_report_new(int *fd);
// In the process that becomes the program.
void run_report_give(int fd);

#endif
