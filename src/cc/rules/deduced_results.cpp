// Functions of the device whose return type is deduced, and so known where their body is compiled
// alone: only bodies of functions of the device may name them (guide 18.5.23.1), and for closures
// of extended lambdas the same (18.7.2, rule 14).
#include "rules.h"

using namespace clang;

namespace rules {

static bool hasDeviceResult(const Checker &c, const FunctionDecl *f) {
    auto *method = dyn_cast<CXXMethodDecl>(f);
    bool closure = method && method->getParent()->isLambda();
    return isWritten(f->getAttr<CUDADeviceAttr>()) && !f->hasAttr<CUDAHostAttr>() &&
           (closure ? c.deducedClosures.count(f) != 0
                    : !f->isConstexpr() && f->getDeclaredReturnType()->getContainedDeducedType());
}

// A closure without captures is called through its conversion to a pointer where its own function
// is of the other side.
static const FunctionDecl *called(const FunctionDecl *f) {
    auto *conversion = dyn_cast<CXXConversionDecl>(f);
    bool closure = conversion && conversion->getParent()->isLambda();
    return closure ? conversion->getParent()->getLambdaCallOperator() : f;
}

// Only what host code says counts: without __CUDA_ARCH__.
void checkDeducedResult(Checker &c, const FunctionDecl *f, const FunctionDecl *around,
                        SourceLocation at) {
    bool inDevice = around && isDeviceCode(around) && !around->hasAttr<CUDAHostAttr>();
    bool inInstance = around && around->isTemplateInstantiation();
    f = called(f);
    if (!c.devicePass && hasDeviceResult(c, f) && !inDevice && !inInstance)
        c.error(at, "the return type of the __device__ function " + quoted(f) +
                        " is deduced; only bodies of device functions can name it");
}

} // namespace rules
