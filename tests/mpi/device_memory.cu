// What CUDA-aware MPI promises (docs/mpi.md): pointers to device, managed, pooled and mapped memory
// in calls for two ranks, collective ones, reductions, datatypes and windows. Four ranks.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <vector>

static int rank, ranks, failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && failures++ < 20)                                                       \
            printf("%s:%d: rank %d: %s\n", __FILE__, __LINE__, rank, #condition);                  \
    } while (0)

__global__ void fill(int *a, int n, int base) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = base + i;
}
__global__ void compare(const int *a, int n, int base, int factor, int *wrong) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] != base + factor * i)
        atomicAdd(wrong, 1);
}

static int *wrong; // managed

static void set(int *a, int n, int base) {
    fill<<<(n + 255) / 256, 256>>>(a, n, base);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
}
// a[i] == base + factor * i?
static bool is(const int *a, int n, int base, int factor = 1) {
    *wrong = 0;
    compare<<<(n + 255) / 256, 256>>>(a, n, base, factor, wrong);
    return cudaDeviceSynchronize() == cudaSuccess && *wrong == 0;
}

static int *mapped(size_t bytes) {
    CUmemAllocationProp prop = {};
    CUmemGenericAllocationHandle handle;
    CUmemAccessDesc access = {};
    CUdeviceptr at = 0;
    size_t unit = 0;
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK(!cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    bytes = (bytes + unit - 1) / unit * unit;
    CHECK(!cuMemAddressReserve(&at, bytes, 0, 0, 0));
    CHECK(!cuMemCreate(&handle, bytes, &prop, 0));
    CHECK(!cuMemMap(at, bytes, 0, handle, 0));
    CHECK(!cuMemSetAccess(at, bytes, &access, 1));
    return (int *)at;
}

// In a ring: small messages, which are copied at once, and large ones, which a rank reads from the
// memory of the other.
static void pairs(int *a, int *b, int n) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int count = 1; count <= n; count *= 7) {
        set(a, count, rank * 1000);
        set(b, count, -1);
        MPI_Sendrecv(a, count, MPI_INT, next, 0, b, count, MPI_INT, before, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK(is(b, count, before * 1000));
    }
    MPI_Request r[2];
    set(a, n, rank);
    MPI_Irecv(b, n, MPI_INT, before, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, n, MPI_INT, next, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(is(b, n, before));
    // Every second element goes to a place without gaps.
    MPI_Datatype second;
    MPI_Type_vector(n / 2, 1, 2, MPI_INT, &second);
    MPI_Type_commit(&second);
    MPI_Sendrecv(a, 1, second, next, 2, b, n / 2, MPI_INT, before, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(is(b, n / 2, before, 2));
    MPI_Type_free(&second);
}

static void together(int *a, int *b, int n) {
    int sum = ranks * (ranks - 1) / 2;
    set(a, n, rank);
    MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(is(b, n, sum, ranks));
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(is(a, n, sum, ranks));
    set(a, n, rank == 2 % ranks ? 5000 : -1);
    MPI_Bcast(a, n, MPI_INT, 2 % ranks, MPI_COMM_WORLD);
    CHECK(is(a, n, 5000));
    int part = n / ranks;
    set(a, n, rank * 7);
    MPI_Alltoall(a, part, MPI_INT, b, part, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < ranks; k++)
        CHECK(is(b + k * part, part, k * 7 + rank * part));
    set(a, part, rank * part);
    MPI_Allgather(a, part, MPI_INT, b, part, MPI_INT, MPI_COMM_WORLD);
    CHECK(is(b, ranks * part, 0));
}

static void windows(int *a, int *b, int n) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Win w;
    set(a, n, rank * 100);
    set(b, n, 0);
    MPI_Win_create(b, (MPI_Aint)n * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    MPI_Put(a, n, MPI_INT, next, 0, n, MPI_INT, w);
    MPI_Win_fence(0, w);
    CHECK(is(b, n, before * 100));
    MPI_Win_fence(0, w); // the neighbour has looked at its part
    MPI_Accumulate(a, n, MPI_INT, next, 0, n, MPI_INT, MPI_SUM, w);
    MPI_Win_fence(0, w);
    CHECK(is(b, n, before * 200, 2));
    set(a, n, 0);
    // Not between fences: MPICH 4.0.2 of Debian comes back from the second one before all has
    // arrived, with memory of malloc in programs without kudzu too (docs/mpi.md).
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, w);
    MPI_Get(a, n, MPI_INT, next, 0, n, MPI_INT, w);
    MPI_Win_unlock(next, w);
    CHECK(is(a, n, rank * 200, 2));
    MPI_Barrier(MPI_COMM_WORLD); // all have read
    MPI_Win_free(&w);
}

// A kernel's result goes to the next rank when its event has happened, while another kernel runs.
static void beside_kernels(int *a, int *b, int n) {
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, half = n / 2;
    cudaStream_t s;
    cudaEvent_t e;
    CHECK(!cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) && !cudaEventCreate(&e));
    fill<<<(half + 255) / 256, 256, 0, s>>>(a, half, rank * 3);
    CHECK(!cudaEventRecord(e, s));
    fill<<<(half + 255) / 256, 256, 0, s>>>(a + half, half, rank * 5);
    CHECK(!cudaEventSynchronize(e));
    MPI_Sendrecv(a, half, MPI_INT, next, 3, b, half, MPI_INT, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(!cudaStreamSynchronize(s));
    CHECK(is(b, half, before * 3) && is(a + half, half, rank * 5));
    CHECK(!cudaStreamDestroy(s) && !cudaEventDestroy(e));
}

int main(int argc, char **argv) {
    const int n = 300000;
    const size_t bytes = n * sizeof(int);
    int *a[4], *b[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(!cudaMallocManaged(&wrong, sizeof *wrong));
    CHECK(!cudaMalloc(&a[0], bytes) && !cudaMalloc(&b[0], bytes));
    CHECK(!cudaMallocManaged(&a[1], bytes) && !cudaMallocManaged(&b[1], bytes));
    CHECK(!cudaMallocAsync(&a[2], bytes, 0) && !cudaMallocAsync(&b[2], bytes, 0));
    a[3] = mapped(bytes), b[3] = mapped(bytes);
    for (int k = 0; k < 4; k++) {
        int *to = b[(k + rank) % 4]; // of another kind than the sender's
        pairs(a[k], to, n);
        together(a[k], to, n);
        windows(a[k], to, n);
        beside_kernels(a[k], to, n);
    }
    int all;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d checks failed on %d ranks\n", all, ranks);
    MPI_Finalize();
    return all != 0;
}
