// The linker puts these in the place of the C library's functions for what is linked into this
// library: where LLVM, or C++'s library for it, would end the process, the compilation ends
// (codegen/llvm_failure.h).
#include "codegen/llvm_failure.h"

_Noreturn void __real_abort(void);
_Noreturn void __real_exit(int status);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_exit(int status);

_Noreturn void __wrap_abort(void) {
    llvm_failure_leave("LLVM gave up without saying why");
    __real_abort();
}

_Noreturn void __wrap_exit(int status) {
    llvm_failure_leave("LLVM asked for the end of the process");
    __real_exit(status);
}
