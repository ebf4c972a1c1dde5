// Default arguments that a member of a class template gets where it is defined outside of the
// class, `template <class T> void A<T>::f(int x = 3) {}`. The standard wants them in the class, and
// clang refuses them; nvcc takes them, and calls behind the definition do without these arguments.
#include "rules.h"

#include <clang/Basic/DiagnosticSema.h>

using namespace clang;

namespace {

// What has been made of the class already shares the expression until it is needed.
void giveToSpecialisations(const CXXMethodDecl *declared, unsigned i, Expr *value) {
    ClassTemplateDecl *pattern = declared->getParent()->getDescribedClassTemplate();
    if (!pattern)
        return;
    for (ClassTemplateSpecializationDecl *made : pattern->specializations())
        for (CXXMethodDecl *m : made->methods())
            if (m->getInstantiatedFromMemberFunction() == declared)
                m->getParamDecl(i)->setUninstantiatedDefaultArg(value);
}

// From the definition to the declarations before it.
void moveDefaults(FunctionDecl *f) {
    auto *defined = dyn_cast_or_null<CXXMethodDecl>(f);
    if (!defined || !defined->isOutOfLine() || !defined->isDependentContext() ||
        defined->getDescribedFunctionTemplate() || !defined->getPreviousDecl())
        return;
    CXXMethodDecl *declared = defined->getCanonicalDecl();
    for (unsigned i = 0; i < defined->getNumParams(); i++) {
        ParmVarDecl *from = defined->getParamDecl(i), *to = declared->getParamDecl(i);
        if (!from->hasDefaultArg() || from->hasUnparsedDefaultArg() || to->hasDefaultArg())
            continue;
        to->setDefaultArg(from->getDefaultArg());
        from->setHasInheritedDefaultArg();
        giveToSpecialisations(declared, i, to->getDefaultArg());
    }
}

} // namespace

void rules::acceptLateDefaults(CompilerInstance &compiler, BodyWatchers &watchers) {
    compiler.getDiagnostics().setSeverity(diag::err_param_default_argument_member_template_redecl,
                                          diag::Severity::Ignored, SourceLocation());
    watchers.push_back(moveDefaults);
}
