// Kernels launched by device code (guide 13.3.1.1). `kudzu cc` puts such launches into lambdas that
// are handed over here.
#ifndef KUDZU_DEVICE_LAUNCH_H
#define KUDZU_DEVICE_LAUNCH_H
#if __cplusplus >= 201103L

#if defined(__CUDACC_RTC__)
// As in registration.h. The compiler makes a call of it out of each <<<>>>.
extern "C" __attribute__((host)) unsigned int
__cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem = 0,
                            struct CUstream_st *stream = 0);
#endif

// clang follows calls to find out which functions run on the device, and refuses kernels that these
// name. It does not follow constants.
template <class Member, Member member> struct __kudzu_constant {
    static constexpr Member value = member;
};

template <class Launch>
__attribute__((host, device)) inline auto __kudzu_launch(const Launch &launch)
    -> decltype(launch()) {
    using Member = decltype(&Launch::operator());
    return (launch.*__kudzu_constant<Member, &Launch::operator()>::value)();
}

// The class of *this, of which `kudzu cc` names a static member (src/cc/compat/lenient_words.h).
template <class Object> struct __kudzu_class;
template <class Object> struct __kudzu_class<Object &> {
    using type = Object;
};

// What `kudzu cc` makes of __shared__ objects with constructors: none is called.
namespace kudzu {
template <class Object> union unset {
    Object object;
    __host__ __device__ unset() {
    }
    __host__ __device__ ~unset() {
    }
};
} // namespace kudzu

#elif defined(__cplusplus)

template <class Launch> __attribute__((host, device)) inline void __kudzu_launch(const Launch &) {
    _Static_assert(sizeof(Launch) == 0, "launches in device code need -std=c++11 or later");
}

#endif
#endif
