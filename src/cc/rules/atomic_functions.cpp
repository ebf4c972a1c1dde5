// Where the functions __nv_atomic_* may not stand (guide 10.14): in the initialisers of a
// constructor and as arguments of templates.
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

} // namespace rules
