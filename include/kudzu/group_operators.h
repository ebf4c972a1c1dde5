// The function objects for reductions and scans over groups (guide, 11.7.3.2).
#ifndef KUDZU_GROUP_OPERATORS_H
#define KUDZU_GROUP_OPERATORS_H

#include <cooperative_groups.h>
#include <limits>

namespace cooperative_groups {

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

template <typename T>
using plain = typename std::remove_cv<typename std::remove_reference<T>::type>::type;

// What an operator leaves a value unchanged with: the result of the first thread in an exclusive
// scan. Other function objects start from a value-initialised T.
template <typename T, typename Op> struct identity {
    KUDZU_CG static T value() {
        return T();
    }
};
template <typename T> struct identity<T, less<T>> {
    KUDZU_CG static T value() {
        return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::max();
    }
};
template <typename T> struct identity<T, greater<T>> {
    KUDZU_CG static T value() {
        return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::lowest();
    }
};
template <typename T> struct identity<T, bit_and<T>> {
    KUDZU_CG static T value() {
        return (T)~T();
    }
};

} // namespace details

#undef KUDZU_CG

} // namespace cooperative_groups

#endif
