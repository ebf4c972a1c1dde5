// Textures (filtered, wrapped, of integers), atomics (shared, global, of doubles by
// compare-and-swap, scopes), cooperative groups (tiles, coalesced threads, a whole grid) and
// streams with events and a host function. Everything is compared with plain C on the host.
#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
namespace cg = cooperative_groups;

#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess) {                                                                   \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_));     \
            std::exit(2);                                                                          \
        }                                                                                          \
    } while (0)

constexpr int W = 96, H = 64, N = W * H, BINS = 32;

__global__ void sample(cudaTextureObject_t smooth, cudaTextureObject_t labels, float *out,
                       unsigned *seen, float dx, float dy) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    out[y * W + x] = tex2D<float>(smooth, (x + 0.5f + dx) / W, (y + 0.5f + dy) / H);
    // Border: one column beyond each side is zero.
    uchar4 l = tex2D<uchar4>(labels, x - 1, y);
    seen[y * W + x] = l.x + (l.y << 8) + (l.z << 16) + ((unsigned)l.w << 24);
}

__device__ double add_by_cas(double *address, double value) {
    unsigned long long *word = (unsigned long long *)address, old = *word, taken;
    do {
        taken = old;
        old = atomicCAS(word, taken,
                        (unsigned long long)__double_as_longlong(
                            value + __longlong_as_double((long long)taken)));
    } while (old != taken);
    return __longlong_as_double((long long)old);
}

__global__ void bins(const unsigned *seen, const float *in, unsigned *histogram, int *highest,
                     double *total, unsigned *kept, unsigned *count) {
    __shared__ unsigned mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        atomicAdd_block(&mine[seen[i] % BINS], 1u);
        atomicMax(highest, __float_as_int(in[i]));
        if (i % 7 == 0)
            add_by_cas(total, (double)(seen[i] & 0xffff));
        if (seen[i] & 1) {
            cg::coalesced_group odd = cg::coalesced_threads();
            unsigned place = 0;
            if (odd.thread_rank() == 0)
                place = atomicAdd(count, odd.size());
            place = odd.shfl(place, 0) + odd.thread_rank();
            kept[place] = i;
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&histogram[b], mine[b]);
}

// Sums of rows by tiles of 16, then, the grid together, each is divided by the largest.
__global__ void rows(const unsigned *seen, unsigned *sums, float *ratios, unsigned *largest) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int tiles = grid.size() / 16;
    for (int row = grid.thread_rank() / 16; row < H; row += tiles) {
        unsigned sum = 0;
        for (int x = tile.thread_rank(); x < W; x += 16)
            sum += seen[row * W + x] & 0xff;
        sum = cg::reduce(tile, sum, cg::plus<unsigned>());
        if (tile.thread_rank() == 0)
            sums[row] = sum;
    }
    grid.sync();
    for (int row = grid.thread_rank(); row < H; row += grid.size())
        atomicMax(largest, sums[row]);
    grid.sync();
    unsigned all = *(volatile unsigned *)largest;
    for (int row = grid.thread_rank(); row < H; row += grid.size())
        ratios[row] = (float)sums[row] / (float)all;
}

static int wrong = 0;
static void expect(bool right, const char *what) {
    std::printf("%s: %s\n", what, right ? "right" : "WRONG");
    wrong += !right;
}
static void CUDART_CB told(void *data) {
    *(int *)data = 42;
}

int main() {
    std::vector<float> image(N);
    std::vector<uchar4> marks(N);
    unsigned state = 12345;
    auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
    for (auto &v : image)
        v = (next() & 0xff) / 4.0f;
    for (auto &m : marks) {
        unsigned r = next();
        m = make_uchar4(r, r >> 3, r >> 5, r >> 7);
    }

    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(),
                          bytes = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &floats, W, H));
    OK(cudaMallocArray(&b, &bytes, W, H));
    cudaStream_t first, second;
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&second));
    cudaEvent_t ready;
    OK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    OK(cudaMemcpy2DToArrayAsync(a, 0, 0, image.data(), W * sizeof(float), W * sizeof(float), H,
                                cudaMemcpyHostToDevice, first));
    OK(cudaMemcpy2DToArrayAsync(b, 0, 0, marks.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice,
                                first));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear;
    how.readMode = cudaReadModeElementType;
    how.normalizedCoords = 1;
    cudaTextureObject_t smooth, labels;
    OK(cudaCreateTextureObject(&smooth, &resource, &how, nullptr));
    resource.res.array.array = b;
    how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    OK(cudaCreateTextureObject(&labels, &resource, &how, nullptr));

    float *out, *ratios;
    unsigned *seen, *histogram, *kept, *count, *sums, *largest;
    int *highest;
    double *total;
    OK(cudaMalloc(&out, N * sizeof *out));
    OK(cudaMalloc(&seen, N * sizeof *seen));
    OK(cudaMallocAsync((void **)&histogram, BINS * sizeof *histogram, first));
    OK(cudaMalloc(&kept, N * sizeof *kept));
    OK(cudaMallocManaged(&count, sizeof *count));
    OK(cudaMallocManaged(&highest, sizeof *highest));
    OK(cudaMallocManaged(&total, sizeof *total));
    OK(cudaMalloc(&sums, H * sizeof *sums));
    OK(cudaMalloc(&ratios, H * sizeof *ratios));
    OK(cudaMalloc(&largest, sizeof *largest));
    *count = 0, *highest = 0, *total = 0;
    OK(cudaMemsetAsync(histogram, 0, BINS * sizeof *histogram, first));
    OK(cudaMemsetAsync(largest, 0, sizeof *largest, second));

    const float dx = 0.25f, dy = 0.5f; // eighths are exact in the filter's fractions
    sample<<<dim3((W + 31) / 32, (H + 7) / 8), dim3(32, 8), 0, first>>>(smooth, labels, out, seen,
                                                                        dx, dy);
    OK(cudaGetLastError());
    OK(cudaEventRecord(ready, first));
    OK(cudaStreamWaitEvent(second, ready, 0));
    bins<<<(N + 255) / 256, 256, 0, first>>>(seen, out, histogram, highest, total, kept, count);
    OK(cudaGetLastError());
    int per = 0;
    cudaDeviceProp device;
    OK(cudaGetDeviceProperties(&device, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, rows, 64, 0));
    int blocks = std::min(4, per * device.multiProcessorCount);
    void *args[] = {&seen, &sums, &ratios, &largest};
    OK(cudaLaunchCooperativeKernel((const void *)rows, dim3(blocks), dim3(64), args, 0, second));
    int flag = 0;
    OK(cudaLaunchHostFunc(second, told, &flag));
    std::vector<float> got(N), got_ratios(H);
    std::vector<unsigned> got_seen(N), got_bins(BINS), got_kept(N), got_sums(H);
    OK(cudaMemcpyAsync(got.data(), out, N * 4, cudaMemcpyDeviceToHost, first));
    OK(cudaMemcpyAsync(got_seen.data(), seen, N * 4, cudaMemcpyDeviceToHost, first));
    OK(cudaMemcpyAsync(got_bins.data(), histogram, BINS * 4, cudaMemcpyDeviceToHost, first));
    OK(cudaMemcpyAsync(got_kept.data(), kept, N * 4, cudaMemcpyDeviceToHost, first));
    OK(cudaMemcpyAsync(got_sums.data(), sums, H * 4, cudaMemcpyDeviceToHost, second));
    OK(cudaMemcpyAsync(got_ratios.data(), ratios, H * 4, cudaMemcpyDeviceToHost, second));
    OK(cudaFreeAsync(histogram, first));
    OK(cudaStreamSynchronize(second));
    OK(cudaStreamSynchronize(first));
    std::printf("%s, %d blocks together\n", device.name, blocks);

    // On the host, as the guide's section on texture fetching defines linear filtering.
    bool filtered = true, bordered = true;
    float want_highest = 0;
    double want_total = 0;
    std::vector<unsigned> want_bins(BINS), want_kept, want_sums(H);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            auto at = [&](int i, int j) { return image[(j % H) * W + i % W]; };
            float v = (1 - dx) * (1 - dy) * at(x, y) + dx * (1 - dy) * at(x + 1, y) +
                      (1 - dx) * dy * at(x, y + 1) + dx * dy * at(x + 1, y + 1);
            float value = got[y * W + x];
            filtered = filtered && std::fabs(value - v) <= 64 / 256.0f * 2;
            want_highest = std::max(want_highest, value);
            uchar4 m = x ? marks[y * W + x - 1] : make_uchar4(0, 0, 0, 0);
            unsigned word = m.x + (m.y << 8) + (m.z << 16) + ((unsigned)m.w << 24), i = y * W + x;
            bordered = bordered && got_seen[i] == word;
            want_bins[word % BINS]++;
            if (i % 7 == 0)
                want_total += word & 0xffff;
            if (word & 1)
                want_kept.push_back(i);
            want_sums[y] += word & 0xff;
        }
    expect(filtered, "filtered texture");
    expect(bordered, "texture of bytes with a border");
    expect(want_bins == got_bins, "histogram by atomics of a block");
    expect(std::memcmp(highest, &want_highest, 4) == 0, "atomic maximum");
    expect(*total == want_total, "sum of doubles by compare-and-swap");
    got_kept.resize(std::min<unsigned>(*count, N));
    std::sort(got_kept.begin(), got_kept.end());
    expect(got_kept == want_kept, "places by coalesced threads");
    expect(got_sums == want_sums, "sums by tiles");
    unsigned most = *std::max_element(want_sums.begin(), want_sums.end());
    bool ratio = true;
    for (int y = 0; y < H; y++)
        ratio = ratio && got_ratios[y] == (float)want_sums[y] / (float)most;
    expect(ratio, "ratios after the grid's barrier");
    expect(flag == 42, "host function");
    unsigned hash = 2166136261u;
    for (int i = 0; i < N; i++) {
        unsigned w;
        std::memcpy(&w, &got[i], 4);
        hash = (hash ^ w) * 16777619u;
    }
    std::printf("hash of the filtered image: %08x\n%s\n", hash,
                wrong ? "FAILED" : "checked: all right");
    return wrong != 0;
}
