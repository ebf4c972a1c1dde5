// OpenMP's functions, from the compiler's own header. In the device pass its pragmas are passed
// over, and what that header makes of `declare variant` would be a second definition.
#if !__has_include_next(<omp.h>)
#error "OpenMP's header is missing: install libomp-19-dev (or run `make deps`)"
#endif
#if defined(__CUDA_ARCH__) && defined(_OPENMP)
#pragma push_macro("_OPENMP")
#undef _OPENMP
#include_next <omp.h>
#pragma pop_macro("_OPENMP")
#else
#include_next <omp.h>
#endif
