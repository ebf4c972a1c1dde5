// libstdc++'s algorithms (std::stable_sort, std::stable_partition, std::inplace_merge) call its
// own std::get_temporary_buffer, which C++17 deprecates: clang warns of it, gcc does not. Calls of
// the user's own are still warned of.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include_next <bits/stl_tempbuf.h>
#pragma GCC diagnostic pop
