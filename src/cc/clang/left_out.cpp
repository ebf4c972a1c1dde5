// What the archives refer to and the program does without.
#include <llvm/Passes/PassPlugin.h>

// lld and LLVM's own lists start up every target of LLVM. Those that no code is compiled for are
// left out: starting them does nothing.
#define NOTHING(name)                                                                              \
    extern "C" void name();                                                                        \
    extern "C" void name() {                                                                       \
    }
#define TARGET(name)                                                                               \
    NOTHING(LLVMInitialize##name##TargetInfo)                                                      \
    NOTHING(LLVMInitialize##name##Target)                                                          \
    NOTHING(LLVMInitialize##name##TargetMC)                                                        \
    NOTHING(LLVMInitialize##name##AsmPrinter)                                                      \
    NOTHING(LLVMInitialize##name##AsmParser)

TARGET(AMDGPU)
TARGET(ARM)
TARGET(AVR)
TARGET(BPF)
TARGET(Hexagon)
TARGET(Lanai)
TARGET(LoongArch)
TARGET(M68k)
TARGET(MSP430)
TARGET(Mips)
TARGET(PowerPC)
TARGET(RISCV)
TARGET(Sparc)
TARGET(SystemZ)
TARGET(VE)
TARGET(WebAssembly)
TARGET(XCore)
TARGET(Xtensa)

// A plugin that Debian's clang links in.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "none", "1", [](llvm::PassBuilder &) {}};
}

// lld's archive may come from a newer release of Debian than the C and C++ libraries: what its code
// expects of them beyond that. Weak: a library's own is as good.
extern "C" {
__attribute__((weak)) char __libc_single_threaded = 0;
}

namespace std {
void __throw_bad_array_new_length();
__attribute__((weak)) void __throw_bad_array_new_length() {
    __builtin_trap();
}
} // namespace std
