#include "shared_addresses.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>

using namespace llvm;

namespace {

constexpr unsigned SharedSpace = 3;

bool hasSharedAddress(const Constant *c) {
    if (auto *v = dyn_cast<GlobalVariable>(c))
        return v->getAddressSpace() == SharedSpace;
    if (isa<GlobalValue>(c))
        return false;
    return any_of(c->operands(), [](const Use &u) {
        auto *part = dyn_cast<Constant>(u.get());
        return part && hasSharedAddress(part);
    });
}

void storeParts(IRBuilder<> &b, Constant *c, Value *to, uint64_t offset) {
    const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    Type *type = c->getType();
    if (auto *s = dyn_cast<StructType>(type)) {
        for (unsigned i = 0; i < s->getNumElements(); i++)
            storeParts(b, c->getAggregateElement(i), to,
                       offset + layout.getStructLayout(s)->getElementOffset(i));
    } else if (auto *a = dyn_cast<ArrayType>(type)) {
        for (unsigned i = 0; i < a->getNumElements(); i++)
            storeParts(b, c->getAggregateElement(i), to,
                       offset + i * layout.getTypeAllocSize(a->getElementType()));
    } else if (!isa<UndefValue>(c)) {
        b.CreateStore(c, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), to, offset));
    }
}

// Users take the copy, whose address is generic, in place of the constant.
void replace(Value *old, Instruction *copy) {
    SmallVector<Use *, 8> uses;
    for (Use &u : old->uses())
        uses.push_back(&u);
    for (Use *u : uses) {
        auto *i = cast<Instruction>(u->getUser());
        if (old->getType() == copy->getType()) {
            u->set(copy);
        } else if (auto *cast = dyn_cast<AddrSpaceCastInst>(i)) {
            cast->replaceAllUsesWith(copy);
        } else if (auto *gep = dyn_cast<GetElementPtrInst>(i)) {
            auto *moved = gep->clone();
            moved->setOperand(0, copy);
            moved->mutateType(copy->getType());
            moved->insertBefore(gep->getIterator());
            replace(gep, moved);
        } else if (auto *transfer = dyn_cast<MemTransferInst>(i)) {
            IRBuilder<> b(transfer);
            b.CreateMemCpy(transfer->getRawDest(), transfer->getDestAlign(), copy,
                           transfer->getSourceAlign(), transfer->getLength(),
                           transfer->isVolatile());
            transfer->eraseFromParent();
        } else if (isa<LoadInst>(i)) {
            i->setOperand(0, copy);
        } else { // an address that goes elsewhere, perhaps into a phi: cast where it is made
            u->set(CastInst::Create(Instruction::AddrSpaceCast, copy, old->getType(), "",
                                    std::next(copy->getIterator())));
        }
    }
}

void moveIntoFunctions(GlobalVariable &v) {
    convertUsersOfConstantsToInstructions({&v});
    MapVector<Function *, SmallVector<Use *, 8>> uses;
    for (Use &u : v.uses())
        if (auto *i = dyn_cast<Instruction>(u.getUser()))
            uses[i->getFunction()].push_back(&u);
    for (auto &[f, list] : uses) {
        IRBuilder<> b(&f->getEntryBlock(), f->getEntryBlock().getFirstInsertionPt());
        AllocaInst *copy = b.CreateAlloca(v.getValueType());
        copy->setAlignment(v.getAlign().valueOrOne());
        storeParts(b, v.getInitializer(), copy, 0);
        // A stand-in of the constant's type holds the uses of this function alone.
        auto *one =
            new GlobalVariable(*v.getParent(), v.getValueType(), true, v.getLinkage(), nullptr, "",
                               nullptr, v.getThreadLocalMode(), v.getAddressSpace());
        for (Use *u : list)
            u->set(one);
        replace(one, copy);
        one->eraseFromParent();
    }
}

} // namespace

bool moveSharedAddresses(Module &m) {
    SmallVector<GlobalVariable *, 8> found;
    for (GlobalVariable &v : m.globals())
        if (v.isConstant() && v.hasLocalLinkage() && v.hasInitializer() && !v.use_empty() &&
            hasSharedAddress(v.getInitializer()))
            found.push_back(&v);
    for (GlobalVariable *v : found) {
        moveIntoFunctions(*v);
        if (v->use_empty())
            v->eraseFromParent();
    }
    return !found.empty();
}
