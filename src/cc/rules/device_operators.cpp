// A function of the host finds operators of the device, as nvcc's does where it compiles for the
// device (cc/compat/device_operators.h).
#include "rules.h"

using namespace clang;

static void openToHost(FunctionDecl *f) {
    if (f->isOverloadedOperator() && f->hasAttr<CUDADeviceAttr>() && !f->hasAttr<CUDAHostAttr>())
        f->addAttr(CUDAHostAttr::CreateImplicit(f->getASTContext()));
}

void rules::openOperators(BodyWatchers &watchers) {
    watchers.push_back(openToHost);
}
