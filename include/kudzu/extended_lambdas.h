// The traits of extended lambdas (guide 18.7.1). `kudzu cc -extended-lambda` includes this header where
// the source has such lambdas, with a list of where they stand in __KUDZU_EXTENDED_LAMBDAS.
#ifndef KUDZU_EXTENDED_LAMBDAS_H
#define KUDZU_EXTENDED_LAMBDAS_H
#if defined(__cplusplus) && __cplusplus >= 201402L

namespace kudzu {

struct extended_lambda {
    const char *where; // the end of how clang prints the closure's type
    int kind;          // 1: __device__, 3: the same with its return type preserved, 4: both sides
};

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

// "... [T = (lambda at dir/a.cu:4:17)]"
template <class T> constexpr int extended_lambda_kind() {
    constexpr extended_lambda known[] = {__KUDZU_EXTENDED_LAMBDAS};
    const char *name = __PRETTY_FUNCTION__, start[] = "[T = (lambda at ";
    unsigned long size = length_of(name), at = 0, same = 0;
    for (; at < size && same + 1 < sizeof start; at++)
        same = name[at] == start[same] ? same + 1 : name[at] == start[0];
    if (same + 1 != sizeof start)
        return 0;
    for (const extended_lambda &l : known)
        if (ends_with(name, size - 1, l.where))
            return l.kind;
    return 0;
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
