// The functions __nv_atomic_* (guide 10.14): where they may not stand, in the initialisers of a
// constructor and as arguments of templates, and what scopes an architecture has.
#include "rules.h"

using namespace clang;

namespace rules {

static bool isAtomicName(StringRef name) {
    return name.starts_with("__nv_atomic_");
}

void checkAtomicInitialiser(Checker &c, const FunctionDecl *f, SourceLocation at) {
    if (f->getIdentifier() && isAtomicName(f->getName()))
        c.error(at, f->getName() + " cannot be called in the initialisers of a constructor");
}

void checkAtomicArgument(Checker &c, const Expr *e) {
    e = e->IgnoreParenImpCasts();
    auto *overloaded = dyn_cast<OverloadExpr>(e);
    auto *name = dyn_cast<DeclRefExpr>(e);
    std::string text = overloaded ? overloaded->getName().getAsString()
                       : name     ? name->getDecl()->getDeclName().getAsString()
                                  : "";
    if (isAtomicName(text))
        c.error(e->getExprLoc(), text + " cannot be a template's argument");
}

// Clusters come with compute capability 9.0. The scope is always the last argument.
void checkAtomicScope(Checker &c, const CallExpr *e) {
    const FunctionDecl *f = e->getDirectCallee();
    if (!c.architecture || c.architecture >= 900 || !f || !f->getIdentifier() ||
        !isAtomicName(f->getName()) || !e->getNumArgs())
        return;
    auto *scope = dyn_cast<DeclRefExpr>(e->getArg(e->getNumArgs() - 1)->IgnoreParenImpCasts());
    auto *constant = scope ? dyn_cast<EnumConstantDecl>(scope->getDecl()) : nullptr;
    if (constant && constant->getName() == "__NV_THREAD_SCOPE_CLUSTER")
        c.warning(e->getExprLoc(),
                  "the scope of a cluster needs sm_90; that of the device is taken",
                  "cluster-scope");
}

} // namespace rules
