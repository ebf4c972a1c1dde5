// A call of the host's function from a function of both sides is a warning (messages/host_calls.h).
#include "rules.h"

#include <clang/Basic/DiagnosticSema.h>

using namespace clang;

namespace {

// clang takes a function with external linkage for one that code is made of, and its calls for
// ones that are made. Without -rdc=true nobody else can call it: code is made of it where a kernel
// comes to it, as of an inline function.
void waitForUse(FunctionDecl *f) {
    if (f->hasAttr<CUDADeviceAttr>() && f->hasAttr<CUDAHostAttr>() && !f->isInlined() &&
        !f->isDependentContext() && f->isExternallyVisible())
        f->setImplicitlyInline();
}

} // namespace

void rules::leaveToHost(FunctionDecl *f) {
    if (isa<CXXMethodDecl>(f) && !f->hasAttr<CUDADeviceAttr>() && !f->isConstexpr() &&
        !f->hasAttr<SectionAttr>())
        f->addAttr(SectionAttr::CreateImplicit(f->getASTContext(), "kudzu.host"));
}

void rules::acceptHostCalls(CompilerInstance &compiler, bool relocatable, BodyWatchers &watchers) {
    // What is an error so far stays one if it is asked to be a warning.
    for (auto severity : {diag::Severity::Ignored, diag::Severity::Warning})
        compiler.getDiagnostics().setSeverity(diag::err_ref_bad_target, severity, SourceLocation());
    if (!relocatable)
        watchers.push_back(waitForUse);
}
