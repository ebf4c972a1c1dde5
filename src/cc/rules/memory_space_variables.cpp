// Variables in the device's memory: what they may be
// (guide 18.5.3.1, 18.5.3.2, 18.5.22.6.1, 18.5.22.9, 18.5.24.1, 18.5.24.2), and where managed ones
// may not stand.
#include "rules.h"

using namespace clang;

namespace rules {

static void checkManaged(Checker &c, const VarDecl *v) {
    QualType type = c.context.getBaseElementType(v->getType());
    if (v->isConstexpr())
        c.error(v->getLocation(), "the __managed__ variable " + quoted(v) + " cannot be constexpr");
    else if (type.isConstQualified() && !type->isDependentType())
        c.error(v->getLocation(), "the __managed__ variable " + quoted(v) + " cannot be const");
    if (v->getType()->isReferenceType())
        c.error(v->getLocation(),
                "the __managed__ variable " + quoted(v) + " cannot be a reference");
    if (v->hasAttr<CUDASharedAttr>() || v->hasAttr<CUDAConstantAttr>())
        c.error(v->getLocation(), "the __managed__ variable " + quoted(v) +
                                      " cannot be __shared__ or __constant__, too");
}

static bool isInline(const VarDecl *v) {
    return v->isInlineSpecified() && v->getFormalLinkage() == Linkage::External;
}

// Whether a pragma of clang's puts the variable on the device, as it does where that is where all
// belongs that has no specifier (NVRTC's -default-device). What a program may not write is then not
// written.
static bool isByPragma(const Checker &c, const VarDecl *v) {
    auto *a = v->getAttr<CUDADeviceAttr>();
    if (!a || a->getLocation().isInvalid())
        return false;
    auto [file, offset] = c.context.getSourceManager().getDecomposedExpansionLoc(a->getLocation());
    StringRef before = c.context.getSourceManager().getBufferData(file).take_front(offset);
    return before.substr(before.rfind('\n') + 1).ltrim().starts_with("#");
}

void checkVariable(Checker &c, const VarDecl *v) {
    const char *space = memorySpace(v);
    if (!space)
        return;
    std::string what = "the " + std::string(space) + " variable " + quoted(v);
    SourceLocation at = v->getLocation();
    if (isa<DecompositionDecl>(v))
        return c.error(at, Twine("a structured binding cannot be ") + space);
    if (isManaged(v))
        checkManaged(c, v);
    if (isInInlineUnnamedNamespace(v))
        c.error(at, what + " is declared in an inline unnamed namespace");
    if (isByPragma(c, v))
        return;
    if (v->isStaticDataMember())
        c.error(at, what + " is a member of a class; members are in no memory space of their own");
    else if (!c.relocatable && StringRef(space) != "__shared__" && isInline(v))
        c.error(at, what + " is inline and visible in other files, which needs -rdc=true");
}

static const VarDecl *managedVariable(const Expr *e) {
    auto *name = dyn_cast_or_null<DeclRefExpr>(e);
    auto *v = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return v && isManaged(v) ? v : nullptr;
}

void checkDecltype(Checker &c, const Expr *e) {
    if (const VarDecl *v = managedVariable(e))
        c.error(e->getExprLoc(), "decltype of the __managed__ variable " + quoted(v) +
                                     ", which needs parentheses around its name");
}

// The variable that an address or a reference is made of.
static const Expr *objectOf(const Expr *e) {
    for (;;) {
        e = e->IgnoreParenImpCasts();
        if (auto *op = dyn_cast<UnaryOperator>(e))
            e = op->getSubExpr();
        else if (auto *element = dyn_cast<ArraySubscriptExpr>(e))
            e = element->getBase();
        else if (auto *member = dyn_cast<MemberExpr>(e))
            e = member->getBase();
        else
            return e;
    }
}

void checkTemplateArgument(Checker &c, const Expr *e) {
    if (const VarDecl *v = managedVariable(objectOf(e)))
        c.error(e->getExprLoc(), "the address of the __managed__ variable " + quoted(v) +
                                     " is no constant and cannot be a template's argument");
}

} // namespace rules
