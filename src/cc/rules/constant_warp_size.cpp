// warpSize is a variable whose value is known when the program runs (guide 5.4.4.2): no constant
// expression may depend on it. kudzu's is a constant, and so it does not show by itself.
#include "rules.h"

using namespace clang;

namespace rules {

// The first name in the expression that leads to warpSize, also by constants made of it.
static bool dependsOnWarpSize(const Stmt *s) {
    if (auto *name = dyn_cast_or_null<DeclRefExpr>(s)) {
        auto *v = dyn_cast<VarDecl>(name->getDecl());
        if (!v || !v->getType().isConstQualified())
            return false;
        if (v->getIdentifier() && v->getName() == "warpSize" &&
            v->getDeclContext()->isTranslationUnit())
            return true;
        // What is in scope was initialised before, and so the chain ends.
        return !v->isConstexpr() && v->getAnyInitializer() != s &&
               dependsOnWarpSize(v->getAnyInitializer());
    }
    return s &&
           llvm::any_of(s->children(), [](const Stmt *child) { return dependsOnWarpSize(child); });
}

void checkConstantName(Checker &c, const DeclRefExpr *e) {
    if (dependsOnWarpSize(e))
        c.error(e->getLocation(), "warpSize is no constant, and " + quoted(e->getDecl()) +
                                      " cannot be in a constant expression");
}

} // namespace rules
