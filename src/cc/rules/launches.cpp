// What a launch may pass to a kernel: from device code no object with a copy constructor of its own
// (guide 18.5.10.3.1), from host code no nvstd::function (18.6).
#include "rules.h"

using namespace clang;

namespace rules {

static bool copiesByItself(const CXXRecordDecl *record) {
    return llvm::any_of(record->ctors(), [](const CXXConstructorDecl *f) {
        return f->isCopyConstructor() && f->isUserProvided();
    });
}

static bool isDeviceFunctionObject(const CXXRecordDecl *record) {
    auto *space = dyn_cast<NamespaceDecl>(record->getDeclContext());
    return record->getName() == "function" && space && space->getName() == "nvstd";
}

void checkLaunch(Checker &c, const CUDAKernelCallExpr *e, const FunctionDecl *around) {
    const FunctionDecl *kernel = e->getDirectCallee();
    bool device = around && isDeviceCode(around) && !around->hasAttr<CUDAHostAttr>();
    if (!kernel || !around || around->isDependentContext())
        return;
    for (const ParmVarDecl *p : kernel->parameters()) {
        const CXXRecordDecl *record = p->getType()->getAsCXXRecordDecl();
        if (!record || !record->hasDefinition())
            continue;
        if (device && copiesByItself(record))
            c.error(e->getExprLoc(),
                    "the argument of the type " + quoted(record) +
                        ", which has a copy constructor of its own, cannot be passed "
                        "to a kernel that device code launches");
        if (!device && isDeviceFunctionObject(record))
            c.error(e->getExprLoc(),
                    "an nvstd::function cannot be passed from host code to the kernel " +
                        quoted(kernel));
    }
}

} // namespace rules
