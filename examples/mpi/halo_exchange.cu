// Heat in a plate that is cut into pieces, one for each rank of an MPI program: a rank computes its
// piece on its device and exchanges the edges with its neighbours. Device pointers go into MPI's
// calls, rows as they lie and columns by a datatype. Four kinds of memory, one after the other.
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <vector>

#define CHECK(call)                                                                                \
    if (cudaError_t e = (call)) {                                                                  \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));                                 \
        MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
    }
#define CHECK_DRIVER(call)                                                                         \
    if (CUresult e = (call)) {                                                                     \
        fprintf(stderr, "%s: error %d\n", #call, (int)e);                                          \
        MPI_Abort(MPI_COMM_WORLD, 1);                                                              \
    }

const int W = 480, H = 360, steps = 60; // of the whole plate

// A piece of w * h elements with one more all around. Its first element is (x0, y0) of the plate,
// whose own edge stays as it is.
struct piece {
    int w, h, x0, y0;
};

__global__ void step(const float *in, float *out, piece p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int pitch = p.w + 2, at = (y + 1) * pitch + x + 1, gx = p.x0 + x, gy = p.y0 + y;
    if (x >= p.w || y >= p.h)
        return;
    bool inside = gx > 0 && gy > 0 && gx < W - 1 && gy < H - 1;
    out[at] =
        inside ? 0.25f * ((in[at - 1] + in[at + 1]) + (in[at - pitch] + in[at + pitch])) : in[at];
}

__host__ __device__ float initial(int x, int y) {
    return y == 0 ? 100.0f : (float)((x * 7 + y * 13) % 10);
}

__global__ void fill(float *out, piece p) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < p.w && y < p.h)
        out[(y + 1) * (p.w + 2) + x + 1] = initial(p.x0 + x, p.y0 + y);
}

// ---- Kinds of memory ----------------------------------------------------------------------

enum kind { DEVICE, MANAGED, POOLED, MAPPED, KINDS };
const char *const names[KINDS] = {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cuMemMap"};

struct memory {
    kind k;
    float *p;
    size_t bytes;
    CUmemGenericAllocationHandle handle;
};

static void map(memory *m) {
    CUmemAllocationProp prop = {};
    CUdevice device;
    size_t granularity;
    CUdeviceptr at;
    CHECK_DRIVER(cuCtxGetDevice(&device));
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = device;
    CHECK_DRIVER(
        cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    m->bytes = (m->bytes + granularity - 1) / granularity * granularity;
    CHECK_DRIVER(cuMemAddressReserve(&at, m->bytes, 0, 0, 0));
    CHECK_DRIVER(cuMemCreate(&m->handle, m->bytes, &prop, 0));
    CHECK_DRIVER(cuMemMap(at, m->bytes, 0, m->handle, 0));
    CUmemAccessDesc access = {};
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_DRIVER(cuMemSetAccess(at, m->bytes, &access, 1));
    m->p = (float *)at;
}

static memory allocate(kind k, size_t bytes) {
    memory m = {k, nullptr, bytes, 0};
    if (k == DEVICE)
        CHECK(cudaMalloc(&m.p, bytes));
    if (k == MANAGED)
        CHECK(cudaMallocManaged(&m.p, bytes));
    if (k == POOLED)
        CHECK(cudaMallocAsync(&m.p, bytes, 0));
    if (k == MAPPED)
        map(&m);
    CHECK(cudaMemset(m.p, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    return m;
}

static void release(const memory &m) {
    if (m.k == POOLED) {
        CHECK(cudaFreeAsync(m.p, 0));
        CHECK(cudaStreamSynchronize(0));
    } else if (m.k != MAPPED) {
        CHECK(cudaFree(m.p));
    } else {
        CHECK_DRIVER(cuMemUnmap((CUdeviceptr)m.p, m.bytes));
        CHECK_DRIVER(cuMemRelease(m.handle));
        CHECK_DRIVER(cuMemAddressFree((CUdeviceptr)m.p, m.bytes));
    }
}

// ---- The exchange -------------------------------------------------------------------------

struct neighbours {
    MPI_Comm comm;
    int up, down, left, right; // MPI_PROC_NULL: none
    MPI_Datatype column;
};

// The kernel that wrote `a` has ended. What is received lies in the ring around the piece.
static void exchange(float *a, piece p, const neighbours &n) {
    int pitch = p.w + 2;
    float *first = a + pitch + 1, *last_row = a + p.h * pitch + 1, *last_column = a + pitch + p.w;
    MPI_Request r[8];
    MPI_Irecv(first - pitch, p.w, MPI_FLOAT, n.up, 0, n.comm, &r[0]);
    MPI_Irecv(last_row + pitch, p.w, MPI_FLOAT, n.down, 1, n.comm, &r[1]);
    MPI_Irecv(first - 1, 1, n.column, n.left, 2, n.comm, &r[2]);
    MPI_Irecv(last_column + 1, 1, n.column, n.right, 3, n.comm, &r[3]);
    MPI_Isend(last_row, p.w, MPI_FLOAT, n.down, 0, n.comm, &r[4]);
    MPI_Isend(first, p.w, MPI_FLOAT, n.up, 1, n.comm, &r[5]);
    MPI_Isend(last_column, 1, n.column, n.right, 2, n.comm, &r[6]);
    MPI_Isend(first, 1, n.column, n.left, 3, n.comm, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

static piece cut(const int grid[2], const int at[2]) {
    piece p;
    p.x0 = W * at[1] / grid[1];
    p.y0 = H * at[0] / grid[0];
    p.w = W * (at[1] + 1) / grid[1] - p.x0;
    p.h = H * (at[0] + 1) / grid[0] - p.y0;
    return p;
}

// The piece's elements after all steps, without the ring.
static std::vector<float> compute(kind k, piece p, const neighbours &n) {
    size_t all = (size_t)(p.w + 2) * (p.h + 2);
    memory a[2] = {allocate(k, all * sizeof(float)), allocate(k, all * sizeof(float))};
    dim3 block(32, 8), grid((p.w + 31) / 32, (p.h + 7) / 8);
    fill<<<grid, block>>>(a[0].p, p);
    for (int s = 0; s < steps; s++) {
        CHECK(cudaDeviceSynchronize());
        exchange(a[s % 2].p, p, n);
        step<<<grid, block>>>(a[s % 2].p, a[1 - s % 2].p, p);
    }
    std::vector<float> whole(all), own((size_t)p.w * p.h);
    CHECK(cudaMemcpy(whole.data(), a[steps % 2].p, all * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < p.h; y++)
        memcpy(&own[(size_t)y * p.w], &whole[(size_t)(y + 1) * (p.w + 2) + 1], p.w * sizeof(float));
    release(a[0]);
    release(a[1]);
    return own;
}

// ---- The check ----------------------------------------------------------------------------

static std::vector<float> serial() {
    std::vector<float> a(W * H), b;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            a[y * W + x] = initial(x, y);
    for (int s = 0; s < steps; s++) {
        b = a;
        for (int y = 1; y < H - 1; y++)
            for (int x = 1; x < W - 1; x++)
                b[y * W + x] = 0.25f * ((a[y * W + x - 1] + a[y * W + x + 1]) +
                                        (a[(y - 1) * W + x] + a[(y + 1) * W + x]));
        a.swap(b);
    }
    return a;
}

int main(int argc, char **argv) {
    int rank, ranks, grid[2] = {0, 0}, whole[2] = {0, 0}, at[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, grid);
    neighbours n;
    MPI_Cart_create(MPI_COMM_WORLD, 2, grid, whole, 1, &n.comm);
    MPI_Comm_rank(n.comm, &rank);
    MPI_Cart_coords(n.comm, rank, 2, at);
    MPI_Cart_shift(n.comm, 0, 1, &n.up, &n.down);
    MPI_Cart_shift(n.comm, 1, 1, &n.left, &n.right);
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaSetDevice(rank % devices));
    piece p = cut(grid, at);
    MPI_Type_vector(p.h, 1, p.w + 2, MPI_FLOAT, &n.column);
    MPI_Type_commit(&n.column);
    std::vector<float> right = serial();
    int wrong = 0, all_wrong;
    for (int k = 0; k < KINDS; k++) {
        double begin = MPI_Wtime();
        std::vector<float> own = compute((kind)k, p, n);
        double seconds = MPI_Wtime() - begin;
        for (int y = 0; y < p.h; y++)
            for (int x = 0; x < p.w; x++)
                wrong += fabsf(own[y * p.w + x] - right[(p.y0 + y) * W + p.x0 + x]) > 1e-4f;
        if (rank == 0)
            printf("%s: %d steps of %d x %d on %d x %d ranks in %.3f s\n", names[k], steps, W, H,
                   grid[1], grid[0], seconds);
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, n.comm);
    if (rank == 0)
        printf(all_wrong ? "FAILED: %d elements differ\n" : "checked: %d elements differ\n",
               all_wrong);
    MPI_Type_free(&n.column);
    MPI_Comm_free(&n.comm);
    MPI_Finalize();
    return all_wrong != 0;
}
