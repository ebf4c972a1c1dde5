// <cuda/annotated_ptr>: pointers with access properties behave as pointers, copies take them, and
// properties convert as documented.
#include <cooperative_groups.h>
#include <cuda/access_property>
#include <cuda/annotated_ptr>
#include <cuda/barrier>
#include <cuda/memory>
#include <cuda/pipeline>

#include "check.h"

using property = cuda::access_property;
template <typename T, typename P = property> using pointer = cuda::annotated_ptr<T, P>;

static_assert(sizeof(pointer<int, property::persisting>) == sizeof(int *));
static_assert(sizeof(pointer<int, property::shared>) == sizeof(int *));
static_assert(sizeof(pointer<int>) == 2 * sizeof(int *));
static_assert(sizeof(property) == 8);
static_assert((cudaAccessProperty)property::streaming{} == cudaAccessPropertyStreaming);
static_assert((cudaAccessProperty)property::persisting{} == cudaAccessPropertyPersisting);
static_assert((cudaAccessProperty)property::normal{} == cudaAccessPropertyNormal);
static_assert(std::is_convertible_v<property::normal, property> &&
              !std::is_convertible_v<property::shared, property>);
static_assert(std::is_convertible_v<pointer<int, property::normal>, pointer<const int>> &&
              !std::is_convertible_v<int *, pointer<int>>);
constexpr property half(property::persisting{}, 0.5f, property::streaming{});
static_assert((std::uint64_t)half != (std::uint64_t)property(property::persisting{}));

struct pair {
    int a, b;
};

template <typename P> __device__ int sum(pointer<const int, P> p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

__global__ void use(int *data, int n, int *out) {
    namespace cg = cooperative_groups;
    __shared__ int tile[64], other[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    pointer<const int, property::streaming> from{data};
    pointer<int, property::shared> to{tile};
    cuda::memcpy_async(block, to, from, sizeof tile, bar);
    bar.arrive_and_wait();
    cuda::memcpy_async(block, other, from, cuda::aligned_size_t<16>(sizeof other), bar);
    bar.arrive_and_wait();
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&other[threadIdx.x], pointer<const int>(data + threadIdx.x), sizeof(int),
                       pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    pipe.consumer_release();
    block.sync();
    if (block.thread_rank() != 0)
        return;
    pointer<int> dynamic(data,
                         property(data, 64, 256, property::persisting{}, property::streaming{}));
    pointer<int> copy = dynamic, none;
    cuda::apply_access_property(data, n * sizeof(int), property::persisting{});
    int *same = cuda::associate_access_property(data, property::normal{});
    cuda::discard_memory(out, 0);
    pair both = {3, 4};
    pointer<pair, property::global> p{&both};
    p->b += 1;
    (*p).a = 7;
    out[0] = sum(from, n);
    out[1] = sum<property::shared>(to, 64);
    out[2] = sum<property>(copy, n) + other[63];
    out[3] = (bool)none + 2 * (bool)copy + 4 * (same == data) + 8 * (none.get() == nullptr);
    out[4] = (int)(pointer<int>(data + 9) - pointer<int>(data));
    out[5] = both.a * 10 + both.b;
    dynamic[5] = 100;
    cuda::apply_access_property(data, n * sizeof(int), property::normal{});
}

int main() {
    int *data = shared_array<int>(64), *out = shared_array<int>(6);
    for (int i = 0; i < 64; i++)
        data[i] = i;
    use<<<1, 64>>>(data, 64, out);
    CUDA(cudaDeviceSynchronize());
    CHECK(out[0] == 2016 && out[1] == 2016 && out[2] == 2016 + 63 && out[3] == 14);
    CHECK(out[4] == 9 && out[5] == 75 && data[5] == 100);
    pointer<int, property::normal> host{data};
    pointer<const int> any = host;
    CHECK(*any == 0 && host[5] == 100 && any.get() == data);
    cudaAccessPolicyWindow window = {};
    window.hitProp = property::persisting{};
    CHECK(window.hitProp == cudaAccessPropertyPersisting);
    return failures != 0;
}
