// Which loops have a version for the last lanes: test_last_lanes.py. Each "no" differs from a "yes"
// in what it stands there for.

// Gathers in a loop that lanes leave by what they find.
extern "C" __global__ void yes_walk(const int *next, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    for (int p = i; p >= 0; p = next[p])
        n++;
    out[i] = n;
}

// Two ways out, of which one ends the thread.
extern "C" __global__ void yes_probe(const int *query, const int *key, int *out, int mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = query[i], h = k & mask;
    while (key[h] != k) {
        if (key[h] < 0)
            return;
        h = (h + 1) & mask;
    }
    out[i] = h;
}

// All lanes make the same number of iterations.
extern "C" __global__ void no_counted(const int *next, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, p = i;
    for (int k = 0; k < n; k++)
        p = next[p];
    out[i] = p;
}

// Lanes leave by their index, the last one an iteration behind the first.
extern "C" __global__ void no_strides(const int *next, int *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[next[i]] = i;
}

// Arithmetic alone: a vector takes as long as one lane.
extern "C" __global__ void no_arithmetic(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    float x = 0, y = 0, cx = i % 64 * 0.05f - 2, cy = i / 64 * 0.05f - 1;
    while (x * x + y * y < 4 && n < 500) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        n++;
    }
    out[i] = n;
}

// Lanes exchange values in each iteration.
extern "C" __global__ void no_exchange(const int *next, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    for (int p = i; p >= 0; p = next[p])
        n += __popc(__activemask());
    out[i] = n;
}
