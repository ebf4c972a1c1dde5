// Prefix combinations over the threads of a tile or a coalesced group (guide, 11.7.3.3).
#ifndef _COOPERATIVE_GROUPS_SCAN_H_
#define _COOPERATIVE_GROUPS_SCAN_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include "kudzu/group_operators.h"

namespace cooperative_groups {
namespace __v1 {

#define KUDZU_CG __attribute__((device, always_inline)) inline

namespace details {

// Each thread gets the combination of its own value with those of all lower ranks.
template <typename Group, typename T, typename Op>
KUDZU_CG T scan_lanes(const Group &group, T value, Op &op) {
    unsigned int rank = group.thread_rank(), count = group.num_threads();
    for (unsigned int distance = 1; distance < count; distance *= 2) {
        T below = group.shfl_up(value, distance);
        value = rank >= distance ? (T)op(below, value) : value;
    }
    return value;
}

// Inclusive, and what all lower ranks give, which the first thread does not look at.
template <typename Group, typename T, typename Op>
KUDZU_CG T scan_both(const Group &group, T value, Op &op, T &below) {
    T sum = scan_lanes(group, value, op);
    below = group.shfl_up(sum, 1);
    return sum;
}
// Of a tile of several warps: first each warp, then the warps.
template <unsigned int Size, typename T, typename Op>
KUDZU_CG T scan_tile(const wide_tile<Size> &group, T value, Op &op, T &below) {
    thread_block_tile<32> warp(0, 1);
    T sum = scan_both(warp, value, op, below), before;
    if (group.combine_lower(sum, op, before)) {
        below = warp.thread_rank() == 0 ? before : (T)op(before, below);
        sum = op(before, sum);
    }
    return sum;
}
template <unsigned int Size, typename T, typename Op>
KUDZU_CG T scan_tile(const narrow_tile<Size> &group, T value, Op &op, T &below) {
    T sum = scan_lanes(group, value, op);
    below = group.shfl_up(sum, 1);
    return sum;
}
template <unsigned int Size, typename Parent, typename T, typename Op>
KUDZU_CG T scan_both(const thread_block_tile<Size, Parent> &group, T value, Op &op, T &below) {
    return scan_tile(group, value, op, below);
}

} // namespace details

template <typename Group, typename T, typename Op>
KUDZU_CG auto inclusive_scan(const Group &group, T &&value, Op &&op) -> decltype(op(value, value)) {
    details::plain<T> below;
    return details::scan_both(group, (details::plain<T>)value, op, below);
}

template <typename Group, typename T>
KUDZU_CG details::plain<T> inclusive_scan(const Group &group, T &&value) {
    return inclusive_scan(group, value, plus<details::plain<T>>());
}

// The same without its own value; the first thread gets the operator's identity, or a
// value-initialised result where that is not known.
template <typename Group, typename T, typename Op>
KUDZU_CG auto exclusive_scan(const Group &group, T &&value, Op &&op) -> decltype(op(value, value)) {
    using Value = details::plain<T>;
    Value below;
    details::scan_both(group, (Value)value, op, below);
    return group.thread_rank() == 0 ? details::identity<Value, details::plain<Op>>::value() : below;
}

template <typename Group, typename T>
KUDZU_CG details::plain<T> exclusive_scan(const Group &group, T &&value) {
    return exclusive_scan(group, value, plus<details::plain<T>>());
}

// The group's total goes into `atomic`, a cuda::atomic or cuda::atomic_ref; each thread gets the
// scan combined with what was there before.
template <typename Group, typename Atomic, typename T, typename Op>
KUDZU_CG auto inclusive_scan_update(const Group &group, Atomic &atomic, T &&value, Op &&op)
    -> decltype(op(value, value)) {
    using Value = details::plain<T>;
    Value below, sum = details::scan_both(group, (Value)value, op, below);
    return op(sum, details::add_total(group, atomic, sum, op));
}

template <typename Group, typename Atomic, typename T>
KUDZU_CG details::plain<T> inclusive_scan_update(const Group &group, Atomic &atomic, T &&value) {
    return inclusive_scan_update(group, atomic, value, plus<details::plain<T>>());
}

template <typename Group, typename Atomic, typename T, typename Op>
KUDZU_CG auto exclusive_scan_update(const Group &group, Atomic &atomic, T &&value, Op &&op)
    -> decltype(op(value, value)) {
    using Value = details::plain<T>;
    Value below, sum = details::scan_both(group, (Value)value, op, below);
    Value before = details::add_total(group, atomic, sum, op);
    return group.thread_rank() == 0 ? before : (Value)op(below, before);
}

template <typename Group, typename Atomic, typename T>
KUDZU_CG details::plain<T> exclusive_scan_update(const Group &group, Atomic &atomic, T &&value) {
    return exclusive_scan_update(group, atomic, value, plus<details::plain<T>>());
}

#undef KUDZU_CG

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
#endif
