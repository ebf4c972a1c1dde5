// Shuffles of values of any trivially copyable type of up to 32 bytes, word by word.
#ifndef KUDZU_GROUP_SHUFFLE_H
#define KUDZU_GROUP_SHUFFLE_H

namespace cooperative_groups {
namespace __v1 {
namespace details {

#define KUDZU_CG __attribute__((device, always_inline)) inline

// A value that exists before anything was assigned to it.
template <typename T> union holder {
    T value;
    KUDZU_CG holder() {
    }
};

// Types for which the warp functions have an overload of their own.
template <typename T> struct is_register {
    static const bool value = __is_arithmetic(T) && (sizeof(T) == 4 || sizeof(T) == 8);
};

template <typename T> struct words {
    _Static_assert(__is_trivially_copyable(T), "a shuffled type is trivially copyable");
    _Static_assert(sizeof(T) <= 32, "a shuffled type has up to 32 bytes");
    static const unsigned int count = (sizeof(T) + 3) / 4;
    unsigned int word[count];
};

// One function for each way to shuffle; `Argument` is a lane, a distance or a mask.
#define KUDZU_GROUP_SHUFFLE(name, warp_function, argument_type)                                    \
    template <typename T>                                                                          \
    KUDZU_CG typename kudzu::only_if<is_register<T>::value, T>::type name(                         \
        unsigned int mask, T value, unsigned int argument, unsigned int width = 32) {              \
        return warp_function(mask, value, (argument_type)argument, (int)width);                    \
    }                                                                                              \
    template <typename T>                                                                          \
    KUDZU_CG typename kudzu::only_if<!is_register<T>::value, T>::type name(                        \
        unsigned int mask, T value, unsigned int argument, unsigned int width = 32) {              \
        words<T> w = {};                                                                           \
        __builtin_memcpy(w.word, &value, sizeof(T));                                               \
        for (unsigned int i = 0; i < words<T>::count; i++)                                         \
            w.word[i] = warp_function(mask, w.word[i], (argument_type)argument, (int)width);       \
        holder<T> result;                                                                          \
        __builtin_memcpy((void *)&result.value, w.word, sizeof(T));                                \
        return result.value;                                                                       \
    }
KUDZU_GROUP_SHUFFLE(shuffle, __shfl_sync, int)
KUDZU_GROUP_SHUFFLE(shuffle_up, __shfl_up_sync, unsigned int)
KUDZU_GROUP_SHUFFLE(shuffle_down, __shfl_down_sync, unsigned int)
KUDZU_GROUP_SHUFFLE(shuffle_xor, __shfl_xor_sync, int)
#undef KUDZU_GROUP_SHUFFLE

#undef KUDZU_CG

} // namespace details
} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
