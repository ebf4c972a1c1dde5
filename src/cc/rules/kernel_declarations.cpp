// How a kernel may be declared
// (guide 18.5.7, 18.5.10.3, 18.5.10.7, 18.5.10.8, 18.5.11.2, 18.5.22.6.1, 18.5.22.8, 18.5.23.1).
#include "rules.h"

using namespace clang;

namespace rules {

// As it is written: on the device va_list is another type, which programs may use for themselves.
static bool isVariableArguments(QualType type) {
    while (auto *named = type->getAs<TypedefType>()) {
        if (named->getDecl()->getName() == "__builtin_va_list")
            return true;
        type = named->getDecl()->getUnderlyingType();
    }
    type = type.getNonReferenceType();
    if (type->isPointerType() || type->isArrayType())
        type = QualType(type->getPointeeOrArrayElementType(), 0);
    auto *record = type->getAsRecordDecl();
    return record && record->getName() == "__va_list_tag";
}

// Its address a kernel may take and hand on.
static bool isLongDouble(const Checker &c, QualType type) {
    return c.context.hasSameUnqualifiedType(type, c.context.LongDoubleTy);
}

static void checkParameters(Checker &c, const FunctionDecl *f) {
    for (const ParmVarDecl *p : f->parameters()) {
        QualType type = p->getOriginalType();
        const char *what = isVariableArguments(type) ? "va_list"
                           : isInitializerList(type) ? "std::initializer_list"
                           : isLongDouble(c, type)   ? "long double"
                                                     : nullptr;
        // nvcc refuses these alone: of what an lvalue reference refers to the kernel gets the
        // address.
        if (type->isRValueReferenceType())
            c.error(
                p->getLocation(),
                "a parameter of the kernel " + quoted(f) +
                    " is an rvalue reference; kernels take values, pointers and lvalue references");
        else if (what)
            c.error(p->getLocation(), "the kernel " + quoted(f) + " has a parameter of the type " +
                                          what + ", which device code has not");
    }
}

static bool hasExceptionSpecification(const FunctionDecl *f) {
    ExceptionSpecificationType kind = f->getExceptionSpecType();
    return kind != EST_None && kind != EST_NoThrow;
}

void checkKernelDeclaration(Checker &c, const FunctionDecl *f) {
    SourceLocation at = f->getLocation();
    if (f->isOverloadedOperator())
        c.error(at, "the operator " + quoted(f) + " cannot be a kernel");
    if (f->getFriendObjectKind() != Decl::FOK_None && f->isThisDeclarationADefinition())
        c.error(at,
                "the kernel " + quoted(f) +
                    " is defined in a friend declaration; kernels are defined outside of classes");
    if (f->isCXXClassMember())
        c.error(at,
                "the kernel " + quoted(f) + " is a member of a class; kernels are free functions");
    if (f->isConstexpr())
        c.error(at, "the kernel " + quoted(f) + " cannot be " +
                        (f->isConsteval() ? "consteval" : "constexpr"));
    if (hasExceptionSpecification(f))
        c.error(at, "the kernel " + quoted(f) + " cannot have an exception specification");
    if (!f->isDependentContext() && f->getDeclaredReturnType()->getContainedDeducedType())
        c.error(at,
                "the return type of the kernel " + quoted(f) + " cannot be deduced; it is void");
    if (isInInlineUnnamedNamespace(f))
        c.error(at, "the kernel " + quoted(f) + " is declared in an inline unnamed namespace");
    if (f->isVariadic())
        c.error(at, "the kernel " + quoted(f) + " takes a variable number of arguments");
    checkParameters(c, f);
}

void checkKernelTemplate(Checker &c, const FunctionTemplateDecl *t) {
    const TemplateParameterList *list = t->getTemplateParameters();
    for (unsigned i = 0; i + 1 < list->size(); i++)
        if (list->getParam(i)->isParameterPack())
            return c.error(list->getParam(i)->getLocation(),
                           "the template of the kernel " + quoted(t) +
                               " has a parameter pack that is not its only one and its last "
                               "parameter");
}

} // namespace rules
