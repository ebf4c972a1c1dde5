// Prefix combinations over the threads of a tile or a coalesced group (guide, 11.7.3.3).
#ifndef _COOPERATIVE_GROUPS_SCAN_H_
#define _COOPERATIVE_GROUPS_SCAN_H_

#if defined(__cplusplus) && defined(__CUDA__)

#include "kudzu/group_operators.h"

namespace cooperative_groups {

#define KUDZU_CG __attribute__((device, always_inline)) inline

// Each thread gets the combination of its own value with those of all lower ranks.
template <typename Group, typename T, typename Op>
KUDZU_CG auto inclusive_scan(const Group &group, T &&value, Op &&op) -> decltype(op(value, value)) {
    details::plain<T> sum = value;
    unsigned int rank = group.thread_rank(), count = group.num_threads();
    for (unsigned int distance = 1; distance < count; distance *= 2) {
        details::plain<T> below = group.shfl_up(sum, distance);
        sum = rank >= distance ? (details::plain<T>)op(below, sum) : sum;
    }
    return sum;
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
    Value sum = inclusive_scan(group, value, op);
    Value below = group.shfl_up(sum, 1);
    return group.thread_rank() == 0 ? details::identity<Value, details::plain<Op>>::value() : below;
}

template <typename Group, typename T>
KUDZU_CG details::plain<T> exclusive_scan(const Group &group, T &&value) {
    return exclusive_scan(group, value, plus<details::plain<T>>());
}

#undef KUDZU_CG

} // namespace cooperative_groups

#endif
#endif
