__kernel void bfs_start(__global int *distance, __global int *frontier, __global int *counts,
                        int n) {
    int i = get_global_id(0);
    if (i < n)
        distance[i] = i == 0 ? 0 : -1;
    if (i == 0) {
        frontier[0] = 0;
        counts[0] = 1;
        counts[1] = 0;
    }
}

__kernel void bfs_level(__global const int *row, __global const int *column,
                        __global volatile int *distance, __global const int *frontier, int count,
                        __global int *next, __global volatile int *counts, int level) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    int u = frontier[i], end = row[u + 1];
    for (int e = row[u]; e < end; e++) {
        int v = column[e];
        if (distance[v] < 0 && atomic_cmpxchg(&distance[v], -1, level) == -1)
            next[atomic_inc(&counts[1])] = v;
    }
}
