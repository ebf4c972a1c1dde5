// Default arguments that a member of a class template gets where it is defined outside of the
// class, `template <class T> void A<T>::f(int x = 3) {}`. The standard wants them in the class, and
// clang refuses them; nvcc takes them, and calls behind the definition do without these arguments.
#include "rules.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Sema.h>

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

// clang has no call for a function that begins. When the token behind a brace is read, clang knows
// the function whose body the brace has opened.
void rules::acceptLateDefaults(CompilerInstance &compiler) {
    compiler.getDiagnostics().setSeverity(diag::err_param_default_argument_member_template_redecl,
                                          diag::Severity::Ignored, SourceLocation());
    compiler.getPreprocessor().setTokenWatcher([&compiler, brace = false](const Token &t) mutable {
        if (brace && compiler.hasSema())
            moveDefaults(compiler.getSema().getCurFunctionDecl());
        brace = t.is(tok::l_brace);
    });
}
