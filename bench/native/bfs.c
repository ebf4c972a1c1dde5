#include <stdlib.h>
#include <string.h>

enum { BATCH = 1024 };

// Appends what a thread has found to the next frontier.
static int flush(int *next, int *next_count, const int *found, int n) {
    int at = __atomic_fetch_add(next_count, n, __ATOMIC_RELAXED);
    memcpy(next + at, found, (size_t)n * sizeof *found);
    return 0;
}

void native_bfs(const int *row, const int *column, int *distance, int *frontier, int *next, int n) {
    int count = 1, next_count = 0;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        distance[i] = -1;
    distance[0] = 0;
    frontier[0] = 0;
    for (int level = 1; count > 0; level++) {
#pragma omp parallel
        {
            int found[BATCH], k = 0;
#pragma omp for schedule(dynamic, 256) nowait
            for (int i = 0; i < count; i++) {
                int u = frontier[i];
                if (i + 8 < count)
                    __builtin_prefetch(&column[row[frontier[i + 8]]]);
                for (int e = row[u]; e < row[u + 1]; e++) {
                    int v = column[e], unseen = -1;
                    if (distance[v] >= 0 ||
                        !__atomic_compare_exchange_n(&distance[v], &unseen, level, 0,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                        continue;
                    found[k++] = v;
                    if (k == BATCH)
                        k = flush(next, &next_count, found, k);
                }
            }
            flush(next, &next_count, found, k);
        }
        int *t = frontier;
        frontier = next;
        next = t;
        count = next_count;
        next_count = 0;
    }
}
