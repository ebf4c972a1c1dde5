// cuda::std and the small parts of cuda:: on device and host, against the host's own library.
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/cassert>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/warp>

#include "check.h"

namespace cs = cuda::std;

static_assert(cs::is_same<cs::remove_cv_t<const int>, int>::value, "type traits");
static_assert(cs::is_same<cs::uint8_t, unsigned char>::value, "integer types");

struct results {
    cs::array<int, 4> array;
    cs::tuple<int, double, char> tuple;
    cs::pair<int, float> pair;
    cs::complex<float> product, quotient;
    int optional, variant, bits[10], span, swapped[2], old, rounded[3], chosen[2];
    float cast, greatest;
    unsigned long long limit;
    long long milliseconds;
    bool clock;
};

__host__ __device__ int sum(cs::span<const int> s) {
    int total = 0;
    for (int v : s)
        total += v;
    return total;
}

__host__ __device__ void everything(results *r, int seed) {
    cs::array<int, 4> a = {seed, 2, 3, 4};
    a[1] += a.size();
    for (int &v : a)
        v = 9;
    a.back() = 9;
    r->array = a;
    auto t = cs::make_tuple(seed, 2.5, 'x');
    cs::get<0>(t) += 7;
    cs::get<0>(r->tuple) = cs::get<0>(t), cs::get<1>(r->tuple) = cs::get<1>(t);
    cs::get<2>(r->tuple) = cs::get<2>(t);
    cs::pair<int, float> p1(seed + 1, 0.5f);
    r->pair.first = p1.first, r->pair.second = p1.second;
    cs::complex<float> x(1, (float)seed), y(3, -4);
    r->product = x * y;
    r->quotient = x / y;
    cs::optional<int> o;
    r->optional = o.value_or(5);
    o = seed;
    r->optional += *o * 100 + (o ? 1000 : 0);
    cs::variant<int, float> v = 2.0f;
    r->variant = (int)v.index() * 10 + (cs::get_if<float>(&v) ? 1 : 0);
    unsigned int word = 0x00f0000cu + (unsigned int)seed;
    int bits[] = {cs::popcount(word),       cs::countl_zero(word),
                  cs::countr_zero(word),    cs::bit_width(word),
                  (int)cs::bit_floor(word), (int)cs::bit_ceil(word),
                  (int)cs::rotl(word, 9),   cs::countl_zero((unsigned short)word),
                  cs::has_single_bit(word), cs::countr_one((unsigned char)7)};
    for (int i = 0; i < 10; i++)
        r->bits[i] = bits[i];
    r->span = sum(cs::span<const int>(bits, 3)) + sum(cs::span<int>(a).subspan(1, 2));
    int p = seed, q = 8;
    cs::swap(p, q);
    r->swapped[0] = p, r->swapped[1] = q;
    r->old = cs::exchange(p, 77) + p * 1000;
    r->rounded[0] = cuda::ceil_div(10 + seed, 4), r->rounded[1] = cuda::round_up(10 + seed, 4);
    r->rounded[2] = cuda::round_down(10 + seed, 4);
    r->chosen[0] = cuda::maximum<int>()(seed, 2), r->chosen[1] = cuda::minimum<>()(seed, 2);
    r->cast = cs::bit_cast<float>(0x40490fdbu);
    r->greatest = cs::numeric_limits<float>::max();
    r->limit = cs::numeric_limits<unsigned long long>::max() - cs::identity()(1ull);
    r->milliseconds = cs::chrono::duration_cast<cs::chrono::milliseconds>(
                          cs::chrono::seconds(seed) + cs::chrono::microseconds(2500))
                          .count();
    auto before = cs::chrono::system_clock::now();
    auto after = cs::chrono::high_resolution_clock::now();
    r->clock = after >= before && before.time_since_epoch().count() > 0;
}

__global__ void kernel(results *r, int seed) {
    everything(r, seed);
}

static void expect(const results &r) {
    CHECK(r.array[0] == 9 && r.array[1] == 9 && r.array[2] == 9 && r.array[3] == 9);
    CHECK(std::get<0>(r.tuple) == 10 && std::get<1>(r.tuple) == 2.5 && std::get<2>(r.tuple) == 'x');
    CHECK(r.pair.first == 4 && r.pair.second == 0.5f);
    CHECK(r.product.real() == 15 && r.product.imag() == 5);
    CHECK(fabsf(r.quotient.real() + 9 / 25.f) < 1e-6f &&
          fabsf(r.quotient.imag() - 13 / 25.f) < 1e-6f);
    CHECK(r.optional == 1305 && r.variant == 11);
    // 0x00f0000f
    CHECK(r.bits[0] == 8 && r.bits[1] == 8 && r.bits[2] == 0 && r.bits[3] == 24);
    CHECK(r.bits[4] == 0x800000 && r.bits[5] == 0x1000000 && r.bits[6] == (int)0xe0001e01u);
    CHECK(r.bits[7] == 12 && r.bits[8] == 0 && r.bits[9] == 3);
    CHECK(r.span == 16 + 18 && r.swapped[0] == 8 && r.swapped[1] == 3 && r.old == 77008);
    CHECK(r.rounded[0] == 4 && r.rounded[1] == 16 && r.rounded[2] == 12);
    CHECK(r.chosen[0] == 3 && r.chosen[1] == 2);
    CHECK(r.cast == 3.14159274f && r.greatest == 3.40282347e38f && r.limit == ~0ull - 1);
    CHECK(r.milliseconds == 3002 && r.clock);
}

struct wide {
    double a;
    int b, c[3];
};

__global__ void shuffles(int *bad) {
    int lane = (int)threadIdx.x;
    wide mine = {lane * 0.5, lane, {lane + 1, lane + 2, lane + 3}};
    wide first = cuda::device::warp_shuffle_idx(mine, 5);
    auto up = cuda::device::warp_shuffle_up<8>(mine, 2);
    auto down = cuda::device::warp_shuffle_down(mine, 3);
    wide other = cuda::device::warp_shuffle_xor(mine, 9);
    bool good = first.a == 2.5 && first.c[2] == 8;
    good &= up.data.b == (lane % 8 >= 2 ? lane - 2 : lane) && up.pred == (lane % 8 >= 2);
    good &= down.data.b == (lane + 3 < 32 ? lane + 3 : lane) && down.pred == (lane + 3 < 32);
    good &= other.a == (lane ^ 9) * 0.5;
    good &= cuda::device::warp_match_all(first) && !cuda::device::warp_match_all(mine);
    if (!good)
        atomicAdd(bad, 1);
}

int main() {
    results *r = shared_array<results>(1);
    kernel<<<1, 1>>>(r, 3);
    CUDA(cudaDeviceSynchronize());
    expect(*r);
    results here;
    everything(&here, 3);
    expect(here);
    int *bad = shared_array<int>(1);
    shuffles<<<1, 32>>>(bad);
    CUDA(cudaDeviceSynchronize());
    CHECK(*bad == 0);
    auto twice = cuda::proclaim_return_type<int>([](int v) { return v * 2; });
    static_assert(cs::is_same<decltype(twice(1)), int>::value, "what was proclaimed");
    CHECK(twice(4) == 8);
    return failures != 0;
}
