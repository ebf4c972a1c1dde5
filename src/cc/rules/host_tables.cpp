// Constant variables of the host in the device's code. clang takes those with constant values for
// __constant__ ones, too, whose values device code may read, and makes all of them that other files
// can see. As inline variables they are made where they are used, and tables of the host stay out
// of images and of constant memory's limit.
#include "rules.h"

using namespace clang;

namespace rules {

void deferHostTables(Decl *d) {
    if (auto *v = dyn_cast<VarDecl>(d)) {
        auto *constant = v->getAttr<CUDAConstantAttr>();
        if (constant && !isWritten(constant) && !v->isInline())
            v->setImplicitlyInline();
    } else if (isa<NamespaceDecl>(d) || isa<LinkageSpecDecl>(d)) {
        for (Decl *member : cast<DeclContext>(d)->decls())
            deferHostTables(member);
    }
}

} // namespace rules
