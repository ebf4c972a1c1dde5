// Types of kernels that are used: those of parameters are complete (guide 18.5.10.3). Types in the
// template arguments of a kernel (guide 18.5.12, 18.5.22.1): not those that are local
// to a function of the host, unnamed, or private or protected members; closures only of extended
// lambdas. Types of functions that run on the device are free.
#include "rules.h"

#include <clang/Sema/Sema.h>

using namespace clang;

namespace rules {

// Why the type is refused; empty: it is not.
static std::string reasonAgainst(const Checker &c, const TagDecl *tag) {
    auto *record = dyn_cast<CXXRecordDecl>(tag);
    QualType type = typeOf(c.context, tag);
    const FunctionDecl *around = functionAround(tag->getDeclContext());
    if (around && isDeviceCode(around))
        return "";
    if (record && record->isLambda())
        return isExtendedClosure(c, record) ? ""
                                            : "the type of the lambda " + quoted(type, c.context) +
                                                  ", which is not an extended one,";
    if (!around && !tag->hasNameForLinkage())
        return "the unnamed type " + quoted(type, c.context);
    std::string reason = localOrHidden(c, tag);
    return reason.empty() ? reason : reason + ",";
}

static void checkParameterTypes(Checker &c, const FunctionDecl *f, SourceLocation at) {
    for (const ParmVarDecl *p : f->parameters())
        if (!p->getType()->isDependentType() &&
            !c.compiler.getSema().isCompleteType(at, p->getType()))
            c.error(at, "the kernel " + quoted(f) + " is used, whose parameter has the type " +
                            quoted(p->getType(), c.context) + ", which is incomplete");
}

void checkKernelReference(Checker &c, const FunctionDecl *f, SourceLocation at) {
    checkParameterTypes(c, f, at);
    const TemplateArgumentList *list = f->getTemplateSpecializationArgs();
    auto refuse = [&](const std::string &what) {
        if (!what.empty())
            c.error(at, what + " cannot be in a template argument of the kernel " + quoted(f));
        return true;
    };
    TypeParts parts(c.context, [&](const TagDecl *tag) { return refuse(reasonAgainst(c, tag)); });
    parts.onTemplate = [&](const TemplateDecl *t) {
        return !isHidden(t) ||
               refuse("the template " + quoted(t) + ", which is a private or protected member,");
    };
    if (list)
        parts.visitArguments(list->asArray());
}

} // namespace rules
