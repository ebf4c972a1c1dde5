// Reductions over the threads of a tile or a coalesced group (guide, 11.7.3.1).
#ifndef _COOPERATIVE_GROUPS_REDUCE_H_
#define _COOPERATIVE_GROUPS_REDUCE_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include "kudzu/group_operators.h"

namespace cooperative_groups {
namespace __v1 {

#define KUDZU_CG __attribute__((device, always_inline)) inline

namespace details {

// All threads of a tile meet all others in log2(Size) exchanges, and all get the result.
template <unsigned int Size, typename T, typename Op>
KUDZU_CG T reduce_tile(const narrow_tile<Size> &group, T value, Op &op) {
    for (unsigned int distance = Size / 2; distance > 0; distance /= 2)
        value = op(value, group.shfl_xor(value, distance));
    return value;
}
// Of a tile of several warps: first each warp, then the warps.
template <unsigned int Size, typename T, typename Op>
KUDZU_CG T reduce_tile(const wide_tile<Size> &group, T value, Op &op) {
    for (unsigned int distance = 16; distance > 0; distance /= 2)
        value = op(value, shuffle_xor(0xffffffffu, value, distance, 32));
    return group.combine(value, op);
}
template <unsigned int Size, typename Parent, typename T, typename Op>
KUDZU_CG T reduce_lanes(const thread_block_tile<Size, Parent> &group, T value, Op &op) {
    return reduce_tile(group, value, op);
}

// Of a group of any size: halves are folded onto each other, the last thread's result goes to all.
template <typename T, typename Op>
KUDZU_CG T reduce_lanes(const coalesced_group &group, T value, Op &op) {
    unsigned int rank = group.thread_rank();
    for (unsigned int left = group.num_threads(); left > 1;) {
        unsigned int half = (left + 1) / 2;
        T other = group.shfl_down(value, half);
        value = rank + half < left ? op(value, other) : value;
        left = half;
    }
    return group.shfl(value, 0);
}

// 32-bit integers and the operators that the warp can reduce in one instruction.
template <typename T>
using enable_integer = typename kudzu::type_if<__is_integral(T) && sizeof(T) == 4, T>::type;
template <typename T>
using enable_other = typename kudzu::type_if<!(__is_integral(T) && sizeof(T) == 4), T>::type;

template <typename T>
using warp_type = typename kudzu::choice<__is_signed(T), int, unsigned int>::type;

// Groups for whose lanes one instruction serves: smaller tiles would take turns.
template <typename Group> struct has_warp_reduction {};
template <> struct has_warp_reduction<coalesced_group> {
    typedef void type;
};
template <typename Parent> struct has_warp_reduction<thread_block_tile<32, Parent>> {
    typedef void type;
};

template <typename Group, typename T, typename Op>
KUDZU_CG T reduce_with(const Group &group, T value, Op &op) {
    return reduce_lanes(group, value, op);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define KUDZU_WARP_REDUCE(op_name, warp_function, word)                                            \
    template <typename Group, typename T, typename = typename has_warp_reduction<Group>::type>     \
    KUDZU_CG enable_integer<T> reduce_with(const Group &group, T value, op_name<T> &) {            \
        return (T)warp_function(group.lanes(), (word)value);                                       \
    }                                                                                              \
    template <typename Group, typename T, typename = typename has_warp_reduction<Group>::type>     \
    KUDZU_CG enable_integer<T> reduce_with(const Group &group, T value, const op_name<T> &) {      \
        return (T)warp_function(group.lanes(), (word)value);                                       \
    }
KUDZU_WARP_REDUCE(plus, __reduce_add_sync, warp_type<T>)
KUDZU_WARP_REDUCE(less, __reduce_min_sync, warp_type<T>)
KUDZU_WARP_REDUCE(greater, __reduce_max_sync, warp_type<T>)
KUDZU_WARP_REDUCE(bit_and, __reduce_and_sync, unsigned int)
KUDZU_WARP_REDUCE(bit_or, __reduce_or_sync, unsigned int)
KUDZU_WARP_REDUCE(bit_xor, __reduce_xor_sync, unsigned int)
#undef KUDZU_WARP_REDUCE
#endif

} // namespace details

// The combination of all threads' values, returned to each of them.
template <typename Group, typename T, typename Op>
KUDZU_CG auto reduce(const Group &group, T &&value, Op &&op) -> decltype(op(value, value)) {
    using Value = details::plain<T>;
    return details::reduce_with(group, (Value)value, op);
}

template <typename Group, typename T>
KUDZU_CG details::plain<T> reduce(const Group &group, T &&value) {
    return reduce(group, value, plus<details::plain<T>>());
}

// The result is stored by one thread, to be read after the group has synchronised.
template <typename Group, typename T, typename Op>
KUDZU_CG void reduce_store_async(const Group &group, details::plain<T> *destination, T &&value,
                                 Op &&op) {
    details::plain<T> result = reduce(group, value, op);
    if (group.thread_rank() == 0)
        *destination = result;
}

// The same into a cuda::atomic or cuda::atomic_ref, stored or combined with what is there.
template <typename Group, typename Atomic, typename T, typename Op>
KUDZU_CG typename kudzu::type_if<__is_class(Atomic)>::type
reduce_store_async(const Group &group, Atomic &atomic, T &&value, Op &&op) {
    details::plain<T> result = reduce(group, value, op);
    if (group.thread_rank() == 0)
        atomic.store(result, details::relaxed_order());
}

template <typename Group, typename Atomic, typename T, typename Op>
KUDZU_CG void reduce_update_async(const Group &group, Atomic &atomic, T &&value, Op &&op) {
    details::plain<T> result = reduce(group, value, op);
    if (group.thread_rank() == 0)
        details::update_atomic(atomic, result, op);
}

#undef KUDZU_CG

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
#endif
