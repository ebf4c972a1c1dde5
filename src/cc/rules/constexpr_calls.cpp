// Calls of constexpr functions of the host in device code (guide 18.8), which need
// -expt-relaxed-constexpr even where the result is a constant. For clang they are functions of both
// sides.
#include "rules.h"

using namespace clang;

namespace rules {

// Functions of the standard library that an option leaves to the host (guide 18.5.22.2, 18.5.22.3).
static bool isLeftToHost(const Checker &c, const FunctionDecl *f) {
    if (auto *method = dyn_cast<CXXMethodDecl>(f))
        return c.hostInitializerList && method->getParent()->isInStdNamespace() &&
               method->getParent()->getName() == "initializer_list";
    return c.hostMoveForward && f->isInStdNamespace() && f->getIdentifier() &&
           f->getNumParams() == 1 && (f->getName() == "move" || f->getName() == "forward");
}

// Of the host alone for nvcc: constexpr, and the source names no execution space.
static bool isHostConstexpr(const Checker &c, const FunctionDecl *f) {
    if (isLeftToHost(c, f))
        return true;
    auto *method = dyn_cast<CXXMethodDecl>(f);
    auto *device = f->getAttr<CUDADeviceAttr>();
    return f->isConstexpr() && !f->isConsteval() && device && device->isImplicit() &&
           !f->isDefaulted() && !f->isImplicit() && !(method && method->getParent()->isLambda()) &&
           !c.isForeign(f->getLocation());
}

void checkConstexprCall(Checker &c, const FunctionDecl *f, const FunctionDecl *around,
                        SourceLocation at) {
    if (c.relaxedConstexpr || !around || around->isDependentContext() || !isDeviceCode(around) ||
        !isHostConstexpr(c, f))
        return;
    std::string what = "the constexpr __host__ function " + quoted(f) + " is called in the ";
    const char *advice = "; -expt-relaxed-constexpr allows it";
    if (around->hasAttr<CUDAHostAttr>())
        c.warning(at, what + "__host__ __device__ function " + quoted(around) + advice,
                  "constexpr-host-call");
    else
        c.error(at, what + (isKernel(around) ? "__global__" : "__device__") + " function " +
                        quoted(around) + advice);
}

} // namespace rules
