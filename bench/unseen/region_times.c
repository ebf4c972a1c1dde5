// A tool of OpenMP's runtime (OMPT): the seconds that a program spends in parallel regions, printed
// when it ends. Loaded by OMP_TOOL_LIBRARIES.
#include <omp-tools.h>
#include <stdio.h>
#include <time.h>

static unsigned depth;
static double since, seconds;
static unsigned long regions;
static _Thread_local int is_initial; // regions within regions are their part

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void began(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
                  unsigned requested, int flags, const void *address) {
    (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)address;
    if (is_initial && depth++ == 0)
        since = now();
}

static void ended(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address) {
    (void)parallel, (void)task, (void)flags, (void)address;
    if (is_initial && --depth == 0) {
        seconds += now() - since;
        regions++;
    }
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_parallel_begin, (ompt_callback_t)began);
    set(ompt_callback_parallel_end, (ompt_callback_t)ended);
    is_initial = 1;
    return 1;
}

static void finalize(ompt_data_t *data) {
    (void)data;
    fprintf(stderr, "regions: %lu, at work: %.9f s\n", regions, seconds);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
