// The traits of extended lambdas (guide 18.7.1). `kudzu cc -extended-lambda` includes this header
// where the source has such lambdas, with a list of where they stand in __KUDZU_EXTENDED_LAMBDAS.
#ifndef KUDZU_EXTENDED_LAMBDAS_H
#define KUDZU_EXTENDED_LAMBDAS_H
#if defined(__cplusplus) && __cplusplus >= 201402L

namespace kudzu {

struct extended_lambda {
    const char *where; // the end of how clang prints the closure's type
    int kind; // 0: not extended, 1: __device__, 3: the same with its return type preserved, 4: both
};

// Whether host code can call it: of overloaded functions a function of the host finds none that is
// the device's alone. Generic lambdas have no type of their function to ask for.
enum sides { unknown, device_alone, also_host };

struct other_argument;
template <class F> struct overloaded : F {
    using F::operator();
    void operator()(other_argument &);
};
template <class F, class Call>
__host__ constexpr auto sides_of_call(int)
    -> decltype(static_cast<Call>(&overloaded<F>::operator()), also_host) {
    return also_host;
}
template <class F, class Call> __host__ constexpr sides sides_of_call(...) {
    return device_alone;
}
template <class F> constexpr auto sides_of(int) -> decltype(&F::operator(), unknown) {
    return sides_of_call<F, decltype(&F::operator())>(0);
}
template <class F> constexpr sides sides_of(...) {
    return unknown;
}

constexpr unsigned long length_of(const char *text) {
    unsigned long n = 0;
    while (text[n])
        n++;
    return n;
}

// Behind a path's last part.
constexpr bool ends_with(const char *text, unsigned long size, const char *end) {
    unsigned long n = length_of(end);
    if (n + 1 > size || (text[size - n - 1] != '/' && text[size - n - 1] != ' '))
        return false;
    for (unsigned long i = 0; i < n; i++)
        if (text[size - n + i] != end[i])
            return false;
    return true;
}

// "... [T = (lambda at dir/a.cu:4:17)]". All lambdas of a macro stand where its name does: the
// first whose kind can be called from where this one can.
template <class T> constexpr int extended_lambda_kind() {
    constexpr extended_lambda known[] = {__KUDZU_EXTENDED_LAMBDAS};
    const char *name = __PRETTY_FUNCTION__, start[] = "[T = (lambda at ";
    unsigned long size = length_of(name), at = 0, same = 0;
    for (; at < size && same + 1 < sizeof start; at++)
        same = name[at] == start[same] ? same + 1 : name[at] == start[0];
    if (same + 1 != sizeof start)
        return 0;
    int first = -1;
    for (const extended_lambda &l : known) {
        if (!ends_with(name, size - 1, l.where))
            continue;
        sides where = sides_of<T>(0);
        if (where == unknown || (where == device_alone) == ((l.kind & 1) != 0))
            return l.kind;
        first = first < 0 ? l.kind : first;
    }
    return first < 0 ? 0 : first;
}

template <class T> struct without_qualifiers {
    typedef T type;
};
template <class T> struct without_qualifiers<const T> {
    typedef T type;
};
template <class T> struct without_qualifiers<volatile T> {
    typedef T type;
};
template <class T> struct without_qualifiers<const volatile T> {
    typedef T type;
};

} // namespace kudzu

#undef __nv_is_extended_device_lambda_closure_type
#undef __nv_is_extended_device_lambda_with_preserved_return_type
#undef __nv_is_extended_host_device_lambda_closure_type
#define KUDZU_LAMBDA_KIND(...)                                                                     \
    ::kudzu::extended_lambda_kind<typename ::kudzu::without_qualifiers<__VA_ARGS__>::type>()
#define __nv_is_extended_device_lambda_closure_type(...) ((KUDZU_LAMBDA_KIND(__VA_ARGS__) & 1) != 0)
#define __nv_is_extended_device_lambda_with_preserved_return_type(...)                             \
    (KUDZU_LAMBDA_KIND(__VA_ARGS__) == 3)
#define __nv_is_extended_host_device_lambda_closure_type(...) (KUDZU_LAMBDA_KIND(__VA_ARGS__) == 4)

#endif
#endif
