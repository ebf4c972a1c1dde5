// What `kudzu run` is told by the program that it runs: faults of kernels, and launches that failed
// and that nobody asked about. KUDZU_REPORT holds the number of a descriptor of the memory that
// both share; with any other value but 0 faults are printed and counted nowhere.
#ifndef KUDZU_SUPPORT_RUN_REPORT_H
#define KUDZU_SUPPORT_RUN_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RUN_REPORT_VARIABLE "KUDZU_REPORT"
#define RUN_REPORT_MAGIC "kudzu report 1"

enum { RUN_REPORT_LAUNCHES = 32, RUN_REPORT_TEXT = 1000 };

struct run_report {
    char magic[16];
    atomic_uint faults; // all that were printed
    atomic_uint lost;   // launches that failed and found no place below
    struct run_report_launch {
        _Atomic(int32_t) owner; // the thread whose launch it was; 0: free
        atomic_uint ready;      // the text is whole
        atomic_uint times;      // launches that failed so
        char text[RUN_REPORT_TEXT];
    } launches[RUN_REPORT_LAUNCHES];
};

// Whether somebody wants to know.
bool run_report_on(void);
// A kernel's fault: prints the text, once, and counts it. `kernel`: its name in the text, which is
// printed as it is written in C++; NULL: there is none.
void run_report_fault(const char *kernel, const char *text);
// How many were counted.
unsigned run_report_faults(void);
// A launch of the calling thread failed: kept until the thread asks for its last error.
void run_report_launch_failed(const char *kernel, const char *text);
// The calling thread asked.
void run_report_launches_seen(void);

// The memory, for `kudzu run`; NULL: it cannot be had. *fd: its descriptor, closed on exec.
struct run_report *run_report_new(int *fd);

#endif
