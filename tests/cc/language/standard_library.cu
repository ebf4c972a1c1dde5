// Parts of the standard library that work in device code, as with clang's CUDA support.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
// CHECK: entry
template <typename T> __global__ void use(T *out, int n) {
    std::pair<int, T> p{n, out[0]};
    auto q = std::move(p);
    out[0] = std::max(q.second, out[1]);
    out[1] = std::min(out[2], T(3));
    out[5] = std::numeric_limits<T>::max();
    std::array<int, 4> a = {1, 2, 3, 4};
    out[6] = a[n & 3];
    if constexpr (std::is_floating_point_v<T>)
        out[7] = std::sqrt(out[8]);
    std::uint32_t u = n;
    out[9] = std::size_t(u);
    std::complex<float> c(1, 2), d(3, 4);
    c = c * d + std::complex<float>(n, n);
    out[10] = c.real() + std::abs(d);
}
int main() {
    std::vector<float> v(16, 1.0f);
    std::map<std::string, int> m{{"a", 1}};
    std::unique_ptr<int> owner(new int(3));
    std::mt19937 generator(1);
    std::cout << v[0] << m["a"] << *owner << std::accumulate(v.begin(), v.end(), 0.0f) << "\n";
    use<<<1, 1>>>(v.data(), 1);
    return int(generator()) * 0;
}
