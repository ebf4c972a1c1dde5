#include "kernels.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

using namespace llvm;

#if LLVM_VERSION_MAJOR < 20

SmallPtrSet<const Function *, 16> kernelsOf(const Module &m) {
    SmallPtrSet<const Function *, 16> kernels;
    const NamedMDNode *facts = m.getNamedMetadata("nvvm.annotations");
    if (!facts)
        return kernels;
    for (const MDNode *fact : facts->operands()) {
        auto *f = fact->getNumOperands() && fact->getOperand(0)
                      ? mdconst::dyn_extract_or_null<Function>(fact->getOperand(0))
                      : nullptr;
        for (unsigned i = 1; f && i < fact->getNumOperands(); i++)
            if (auto *name = dyn_cast_or_null<MDString>(fact->getOperand(i).get()))
                if (name->getString() == "kernel")
                    kernels.insert(f);
    }
    return kernels;
}

bool isKernel(const Function &f) {
    return kernelsOf(*f.getParent()).contains(&f);
}

void markGridConstants(Function &f, const std::set<unsigned> &parameters) {
    LLVMContext &c = f.getContext();
    SmallVector<Metadata *, 8> numbers;
    for (unsigned i : parameters)
        numbers.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), i + 1)));
    Metadata *operands[] = {ConstantAsMetadata::get(&f), MDString::get(c, "grid_constant"),
                            MDNode::get(c, numbers)};
    f.getParent()
        ->getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(MDNode::get(c, operands));
}

#else

SmallPtrSet<const Function *, 16> kernelsOf(const Module &m) {
    SmallPtrSet<const Function *, 16> kernels;
    for (const Function &f : m)
        if (isKernel(f))
            kernels.insert(&f);
    return kernels;
}

bool isKernel(const Function &f) {
    return f.getCallingConv() == CallingConv::PTX_Kernel;
}

void markGridConstants(Function &f, const std::set<unsigned> &parameters) {
    for (unsigned i : parameters)
        f.addParamAttr(i, Attribute::get(f.getContext(), "nvvm.grid_constant"));
}

#endif
