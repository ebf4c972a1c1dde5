// options: --extended-lambda -std=c++17
#include <type_traits>
template <class F> using result = typename std::invoke_result<F, int>::type;
void host() {
    auto d = [] __device__(int i) { return i; };
    auto t = [] __device__(int i) -> int { return i; };
    auto b = [] __host__ __device__(int i) { return i; };
    auto h = [](int i) { return i; };
    std::invoke_result<decltype(d), int>::type r1; // error: return type of an extended
    std::invoke_result_t<decltype(d), int> r2; // error: return type of an extended
    std::result_of<decltype(d)(int)>::type r3; // error: return type of an extended
    std::invoke_result_t<decltype(t), int> r4 = 0;
    std::invoke_result_t<decltype(b), int> r5 = 0;
    std::result_of<decltype(h)(int)>::type r6 = 0;
    result<decltype(t)> r7 = r4 + r5 + r6;
    (void)r7;
}
