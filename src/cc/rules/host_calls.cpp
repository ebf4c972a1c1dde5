// A call of the host's function from a function of both sides is a warning (messages/host_calls.h).
#include "rules.h"

#include <clang/Basic/DiagnosticSema.h>

using namespace clang;

namespace {

// clang takes a function with external linkage for one that code is made of, and its calls for
// ones that are made. Nobody else can call it without -rdc=true: code is made of it where a kernel
// comes to it, as of an inline function.
bool waitForUse(FunctionDecl *f) {
    bool waits = f->hasAttr<CUDADeviceAttr>() && f->hasAttr<CUDAHostAttr>() && !f->isInlined() &&
                 !f->isDependentContext() && f->isExternallyVisible();
    if (waits)
        f->setImplicitlyInline();
    return waits;
}
// With it code is made of it all the same, behind the file.
void waitForEnd(FunctionDecl *f) {
    if (waitForUse(f))
        f->addAttr(UsedAttr::CreateImplicit(f->getASTContext()));
}

} // namespace

static constexpr char Host[] = "kudzu.host";

// What is made of a template gets the mark from it.
static void mark(FunctionDecl *f) {
    const FunctionDecl *last = f->getMostRecentDecl();
    bool host = !last->hasAttr<CUDADeviceAttr>() && !last->hasAttr<CUDAGlobalAttr>();
    auto *section = f->getAttr<SectionAttr>();
    if (host && !section && !f->getBuiltinID())
        f->addAttr(SectionAttr::CreateImplicit(f->getASTContext(), Host));
    else if (!host && section && section->getName() == Host)
        f->dropAttr<SectionAttr>();
}

void rules::leaveToHost(Decl *d) {
    if (auto *t = dyn_cast<FunctionTemplateDecl>(d)) {
        leaveToHost(t->getTemplatedDecl());
        for (FunctionDecl *made : t->specializations())
            leaveToHost(made);
    } else if (auto *t = dyn_cast<ClassTemplateDecl>(d)) {
        leaveToHost(t->getTemplatedDecl());
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
    if (relocatable)
        watchers.push_back(waitForEnd);
    else
        watchers.push_back([](FunctionDecl *f) { waitForUse(f); });
}
