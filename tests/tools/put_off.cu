// Operations on memory that a run of blocks keeps, and others that look like them.
#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x

__global__ void histogram(unsigned *bins, const unsigned char *x) {
    INDEX;
    atomicAdd(&bins[x[i]], 1); // window
}

__global__ void maxima(long long *most, const int *x) {
    INDEX;
    atomicMax(&most[x[i] & 63], (long long)x[i]); // window
}

struct table {
    int n;
    unsigned *flags;
};

__global__ void flags(const table *t, const unsigned *x) {
    INDEX;
    if (i < t->n)
        atomicOr(&t->flags[x[i] >> 5 & 255], 1u << (x[i] & 31)); // window
}

__global__ void extent(int n, int *low, int *high, const int *x) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicMin(low, x[i]);  // lanes
        atomicMax(high, x[i]); // lanes
    }
}

__global__ void old_value(unsigned *bins, unsigned *places, const unsigned *x) {
    INDEX;
    places[i] = atomicAdd(&bins[x[i] & 63], 1); // not: old_value
}

__global__ void floats(float *sums, const unsigned *x) {
    INDEX;
    atomicAdd(&sums[x[i] & 63], 1.0f); // not: floats
}

__global__ void host_waits(unsigned *bins, const unsigned *x) {
    INDEX;
    atomicAdd_system(&bins[x[i] & 63], 1); // not: host_waits
}

__global__ void published(unsigned *bins, unsigned *done, const unsigned *x) {
    INDEX;
    atomicAdd(&bins[x[i] & 63], 1); // not: published
    __threadfence();
    atomicAdd(done, 1); // not: published
}

__global__ void watched(unsigned *bins, volatile unsigned *stop, const unsigned *x) {
    INDEX;
    if (!*stop)
        atomicAdd(&bins[x[i] & 63], 1); // not: watched
}

// One operation for many accesses, each of which would be compared with what is kept.
__global__ void rare(int n, unsigned *count, float *y, const float *x) {
    INDEX;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[i + k * 1024];
    y[i] = sum;
    if (threadIdx.x == 0)
        atomicAdd(count, 1); // not: rare
}
