// The function objects for reductions and scans over groups (guide, 11.7.3.2).
#ifndef KUDZU_GROUP_OPERATORS_H
#define KUDZU_GROUP_OPERATORS_H

#include <cooperative_groups.h>
#ifndef __CUDACC_RTC__
#include <limits>
#endif

#include "type_properties.h"

namespace cooperative_groups {
namespace __v1 {

#define KUDZU_CG __attribute__((device, always_inline)) inline

#define KUDZU_OPERATOR(name, expression)                                                           \
    template <typename T> struct name {                                                            \
        KUDZU_CG T operator()(const T &a, const T &b) const {                                      \
            return expression;                                                                     \
        }                                                                                          \
    }
KUDZU_OPERATOR(plus, a + b);
KUDZU_OPERATOR(less, (b < a ? b : a));
KUDZU_OPERATOR(greater, (a < b ? b : a));
KUDZU_OPERATOR(bit_and, a &b);
KUDZU_OPERATOR(bit_xor, a ^ b);
KUDZU_OPERATOR(bit_or, a | b);
#undef KUDZU_OPERATOR

namespace details {

template <typename T> using plain = typename kudzu::plain_type<T>::type;

#ifdef __CUDACC_RTC__
template <typename T> using range_of = kudzu::range_of<T>;
#else // classes of the program's, too
template <typename T> struct range_of {
    typedef std::numeric_limits<T> limits;
    KUDZU_CG static T highest() {
        return limits::has_infinity ? limits::infinity() : limits::max();
    }
    KUDZU_CG static T lowest() {
        return limits::has_infinity ? -limits::infinity() : limits::lowest();
    }
};
#endif

// What an operator leaves a value unchanged with: the result of the first thread in an exclusive
// scan. Other function objects start from a value-initialised T.
template <typename T, typename Op> struct identity {
    KUDZU_CG static T value() {
        return T();
    }
};
template <typename T> struct identity<T, less<T>> {
    KUDZU_CG static T value() {
        return range_of<T>::highest();
    }
};
template <typename T> struct identity<T, greater<T>> {
    KUDZU_CG static T value() {
        return range_of<T>::lowest();
    }
};
template <typename T> struct identity<T, bit_and<T>> {
    KUDZU_CG static T value() {
        return (T)~T();
    }
};

// Relaxed in any library's memory_order, in which it is first: programs may bring a cuda::atomic of their own.
struct relaxed_order {
    template <typename Order> KUDZU_CG constexpr operator Order() const {
        return (Order)0;
    }
};

// Combines `value` into an atomic object, a cuda::atomic or cuda::atomic_ref, in relaxed order.
template <typename Atomic, typename T, typename Op>
KUDZU_CG T update_atomic(Atomic &atomic, T value, Op &op) {
    T old = atomic.load(relaxed_order());
    while (!atomic.compare_exchange_weak(old, op(old, value), relaxed_order(), relaxed_order()))
        ;
    return old;
}
#define KUDZU_UPDATE(Operator, function)                                                           \
    template <typename Atomic, typename T>                                                         \
    KUDZU_CG T update_atomic(Atomic &atomic, T value, Operator<T> &) {                             \
        return atomic.function(value, relaxed_order());                                            \
    }                                                                                              \
    template <typename Atomic, typename T>                                                         \
    KUDZU_CG T update_atomic(Atomic &atomic, T value, const Operator<T> &) {                       \
        return atomic.function(value, relaxed_order());                                            \
    }
KUDZU_UPDATE(plus, fetch_add)
KUDZU_UPDATE(less, fetch_min)
KUDZU_UPDATE(greater, fetch_max)
KUDZU_UPDATE(bit_and, fetch_and)
KUDZU_UPDATE(bit_or, fetch_or)
KUDZU_UPDATE(bit_xor, fetch_xor)
#undef KUDZU_UPDATE

// The last thread's `sum`, the group's total, goes into the object; all get what was there before.
template <typename Group, typename Atomic, typename T, typename Op>
KUDZU_CG T add_total(const Group &group, Atomic &atomic, T sum, Op &op) {
    unsigned int last = (unsigned int)group.num_threads() - 1;
    T old = T();
    if (group.thread_rank() == last)
        old = update_atomic(atomic, sum, op);
    return group.shfl(old, last);
}

} // namespace details

#undef KUDZU_CG

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups

#endif
