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

static void mark(FunctionDecl *f) {
    const FunctionDecl *last = f->getMostRecentDecl();
    bool host = !last->hasAttr<CUDADeviceAttr>() && !last->hasAttr<CUDAGlobalAttr>();
    if (host && !f->isDependentContext() && !f->getBuiltinID() && !f->hasAttr<SectionAttr>())
        f->addAttr(SectionAttr::CreateImplicit(f->getASTContext(), "kudzu.host"));
}

void rules::leaveToHost(Decl *d) {
    if (auto *t = dyn_cast<FunctionTemplateDecl>(d)) {
        for (FunctionDecl *made : t->specializations())
            leaveToHost(made);
    } else if (auto *t = dyn_cast<ClassTemplateDecl>(d)) {
        for (ClassTemplateSpecializationDecl *made : t->specializations())
            leaveToHost(made);
    } else if (auto *context = dyn_cast<DeclContext>(d)) {
        if (auto *f = dyn_cast<FunctionDecl>(d))
            mark(f);
        for (Decl *inner : context->noload_decls()) // local classes of functions, too
            leaveToHost(inner);
    }
}

void rules::acceptHostCalls(CompilerInstance &compiler, bool relocatable, BodyWatchers &watchers) {
    // What is an error so far stays one if it is asked to be a warning.
    for (auto severity : {diag::Severity::Ignored, diag::Severity::Warning})
        for (unsigned kind : {diag::err_ref_bad_target, diag::err_capture_bad_target})
            compiler.getDiagnostics().setSeverity(kind, severity, SourceLocation());
    if (!relocatable)
        watchers.push_back(waitForUse);
}
