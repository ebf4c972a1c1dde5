// The version of libcudart.so.13. Every entry point of it exists; docs/api.md lists what answers
// "not supported".
#include "runtime/runtime.h"

const int rt_version = 13000;
