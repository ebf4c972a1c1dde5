// The functions of libm that glibc 2.29 has in a new version, in their first one. They give the
// same results, and set errno besides; programs that call them run with older releases, too. Linked
// with --wrap (cmake/portable.cmake).
#if defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#else
#define FIRST "GLIBC_2.2.5"
#endif
#define OLD(type, name, parameters, arguments)                                                     \
    __asm__(".symver old_" #name "," #name "@" FIRST);                                             \
    type old_##name parameters;                                                                    \
    __attribute__((visibility("hidden"))) type __wrap_##name parameters;                           \
    type __wrap_##name parameters {                                                                \
        return old_##name arguments;                                                               \
    }

OLD(double, exp, (double x), (x))
OLD(double, exp2, (double x), (x))
OLD(double, log, (double x), (x))
OLD(double, log2, (double x), (x))
OLD(double, pow, (double x, double y), (x, y))
