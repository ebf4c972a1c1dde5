// kudzu-clang: clang++, ld.lld, kudzu-device-linker and kudzu-nvvm-compiler as one program that needs
// no library of LLVM, for packages that bring all along. clang's plugin is linked in. The program's name decides.
#include <lld/Common/Driver.h>
#include <llvm/Support/InitLLVM.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "tools.h"

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace {

// Host code, code of 64-bit Arm's hosts, device code. For the others see left_out.cpp.
void initialiseTargets() {
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
    InitializeAllAsmParsers();
}

} // namespace

int main(int argc, char **argv) {
    StringRef name = sys::path::filename(argv[0]);
    if (name == "kudzu-device-linker")
        return device_linker(argc, argv);
    if (name == "kudzu-nvvm-compiler")
        return nvvm_compiler(argc, argv);
    InitLLVM init(argc, argv);
    initialiseTargets();
    SmallVector<const char *, 256> arguments(argv, argv + argc);
    if (name == "ld.lld")
        return lld::elf::link(arguments, outs(), errs(), true, false) ? 0 : 1;
    return runDriver(arguments);
}
