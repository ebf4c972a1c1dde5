// Functions of the device whose return type is deduced, and so known where their body is compiled
// alone: only bodies of functions of the device may name them (guide 18.5.23.1), and for closures
// of extended lambdas the same (18.7.2, rule 14).
#include "rules.h"

using namespace clang;

namespace rules {

static bool hasDeviceResult(const Checker &c, const FunctionDecl *f) {
    auto *method = dyn_cast<CXXMethodDecl>(f);
    bool closure = method && method->getParent()->isLambda();
    return isWritten(f->getAttr<CUDADeviceAttr>()) && !f->hasAttr<CUDAHostAttr>() &&
           (closure ? c.deducedClosures.count(f) != 0
                    : !f->isConstexpr() && f->getDeclaredReturnType()->getContainedDeducedType());
}

// A closure without captures is called through its conversion to a pointer where its own function
// is of the other side.
static const FunctionDecl *called(const FunctionDecl *f) {
    auto *conversion = dyn_cast<CXXConversionDecl>(f);
    bool closure = conversion && conversion->getParent()->isLambda();
    return closure ? conversion->getParent()->getLambdaCallOperator() : f;
}

// Only what host code says counts: without __CUDA_ARCH__.
void checkDeducedResult(Checker &c, const FunctionDecl *f, const FunctionDecl *around,
                        SourceLocation at) {
    bool inDevice = around && isDeviceCode(around) && !around->hasAttr<CUDAHostAttr>();
    bool inInstance = around && around->isTemplateInstantiation();
    f = called(f);
    if (!c.devicePass && hasDeviceResult(c, f) && !inDevice && !inInstance)
        c.error(at, "the return type of the __device__ function " + quoted(f) +
                        " is deduced; only bodies of device functions can name it");
}

// std::result_of and std::invoke_result of such a closure.
void checkResultTrait(Checker &c, TemplateSpecializationTypeLoc type, const FunctionDecl *around) {
    const TemplateDecl *t = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    bool inDevice = around && isDeviceCode(around) && !around->hasAttr<CUDAHostAttr>();
    if (c.devicePass || inDevice || !t || !t->getIdentifier() || !t->isInStdNamespace() ||
        !(t->getName().starts_with("result_of") || t->getName().starts_with("invoke_result")))
        return;
    TypeParts parts(c.context, [&](const TagDecl *tag) {
        auto *closure = dyn_cast<CXXRecordDecl>(tag);
        const FunctionDecl *f =
            closure && closure->isLambda() ? closure->getLambdaCallOperator() : nullptr;
        if (f && hasDeviceResult(c, f))
            c.error(type.getBeginLoc(), "the return type of an extended __device__ lambda is "
                                        "deduced; only bodies of device functions can ask for it");
        return true;
    });
    parts.visitArguments(type.getTypePtr()->template_arguments());
}

} // namespace rules
