// OpenMP on one thread: the benchmark's C side gives results to check against here, not times, and
// needs no library.
#ifndef KUDZU_ONE_THREAD_OMP_H
#define KUDZU_ONE_THREAD_OMP_H

static inline int omp_get_thread_num(void) {
    return 0;
}
static inline int omp_get_num_threads(void) {
    return 1;
}
static inline int omp_get_max_threads(void) {
    return 1;
}

#endif
