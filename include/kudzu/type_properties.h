// Properties of types that headers of kudzu's ask for where there is no C++ library: in programs compiled at run time.
#ifndef KUDZU_TYPE_PROPERTIES_H
#define KUDZU_TYPE_PROPERTIES_H

namespace kudzu {

template <bool Holds, typename T = void> struct type_if {};
template <typename T> struct type_if<true, T> {
    typedef T type;
};

template <bool First, typename A, typename B> struct choice {
    typedef A type;
};
template <typename A, typename B> struct choice<false, A, B> {
    typedef B type;
};

template <typename T> struct plain_type {
    typedef __remove_cv(__remove_reference_t(T)) type;
};

// The ends of a type's range, infinite ones if it has them; of a class T().
template <typename T, bool Integral = __is_integral(T), bool Floating = __is_floating_point(T)>
struct range_of {
    __attribute__((host, device)) static constexpr T highest() {
        return T();
    }
    __attribute__((host, device)) static constexpr T lowest() {
        return T();
    }
};
template <typename T> struct range_of<T, true, false> {
    static constexpr bool is_signed = T(-1) < T(0);
    __attribute__((host, device)) static constexpr T highest() {
        return is_signed ? T(((T(1) << (sizeof(T) * 8 - 2)) - 1) * 2 + 1) : T(-1);
    }
    __attribute__((host, device)) static constexpr T lowest() {
        return is_signed ? T(-highest() - 1) : T(0);
    }
};
template <typename T> struct range_of<T, false, true> {
    __attribute__((host, device)) static constexpr T highest() {
        return T(__builtin_huge_val());
    }
    __attribute__((host, device)) static constexpr T lowest() {
        return -T(__builtin_huge_val());
    }
};

} // namespace kudzu

#endif
