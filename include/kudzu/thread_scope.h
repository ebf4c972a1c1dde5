// The threads that take part in a synchronisation, and the standard library's names in cuda::std.
#ifndef KUDZU_THREAD_SCOPE_H
#define KUDZU_THREAD_SCOPE_H

#include <atomic>
#include <cstddef>

namespace cuda {

enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};

namespace std {
// Whatever of the host's standard library is constexpr can be called on the device. What is
// declared in cuda::std itself takes precedence.
using namespace ::std;
} // namespace std

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

} // namespace cuda

#endif
