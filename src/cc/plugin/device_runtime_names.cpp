#include "device_runtime_names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

#include "abi/generated_code.h"

using namespace llvm;

// What NVIDIA's library has under both names. Functions of graphs are the driver's own.
static bool isRenamed(const Function &f) {
#define NAME(name, ...) #name,
    static const StringRef names[] = {KD_DEVICE_FUNCTIONS(NAME)};
#undef NAME
    StringRef name = f.getName();
    name.consume_back("_ptsz");
    return f.isDeclaration() && name.starts_with("cuda") && !name.contains("Graph") &&
           is_contained(names, name);
}

void nameDeviceRuntime(Module &m) {
    if (m.getFunction("cudaDeviceSynchronize"))
        return;
    SmallVector<Function *, 8> renamed;
    for (Function &f : m)
        if (isRenamed(f))
            renamed.push_back(&f);
    for (Function *f : renamed) {
        std::string name = ("__cudaCDP2" + f->getName().drop_front(4)).str();
        if (Function *same = m.getFunction(name)) {
            f->replaceAllUsesWith(same);
            f->eraseFromParent();
        } else {
            f->setName(name);
        }
    }
}
