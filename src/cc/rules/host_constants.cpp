// Constants of the host in device code (guide 18.5.14, 18.5.22.5): their values are free, but there
// is no object of theirs to refer to. Code counts that is generated: functions that others may
// call, and what they call, unless such a call is itself a constant.
#include "rules.h"

using namespace clang;

namespace rules {

namespace {

bool isHostConstant(const Checker &c, const VarDecl *v) {
    return v->hasGlobalStorage() && !v->isStaticLocal() && !memorySpace(v) &&
           !isa<ParmVarDecl>(v) && !c.isForeign(v->getLocation()) &&
           (v->isConstexpr() || v->getType().isConstQualified() || v->getType()->isReferenceType());
}

// What the code of one body refers to and calls.
class Body {
    Checker &c;
    HostConstants::Node &node;
    bool initialises; // a variable, for which all values are known when it is compiled

    bool isConstant(const Expr *e) {
        return !e->isValueDependent() && !e->isTypeDependent() &&
               (e->isPRValue() && e->getType()->isScalarType() ? e->isEvaluatable(c.context)
                                                               : e->isCXX11ConstantExpr(c.context));
    }
    void addCall(const FunctionDecl *f) {
        node.calls.push_back(f->getCanonicalDecl());
    }

  public:
    Body(Checker &c, HostConstants::Node &node, bool initialises = false)
        : c(c), node(node), initialises(initialises) {
    }

    void walk(Stmt *s) {
        if (!s || isa<ConstantExpr, UnaryExprOrTypeTraitExpr, CXXNoexceptExpr>(s) ||
            (isa<Expr>(s) && isConstantPart(cast<Expr>(s))))
            return;
        if (auto *e = dyn_cast<DeclRefExpr>(s))
            add(e, e->getDecl(), e->isNonOdrUse(), e->getLocation());
        else if (auto *e = dyn_cast<MemberExpr>(s))
            add(e, e->getMemberDecl(), e->isNonOdrUse(), e->getMemberLoc());
        else if (auto *e = dyn_cast<CXXConstructExpr>(s))
            addCall(e->getConstructor());
        if (auto *branch = dyn_cast<IfStmt>(s); branch && branch->isConstexpr()) {
            walk(branch->getInit());
            walkTaken(branch->getCond(), branch->getThen(), branch->getElse(), nullptr);
        } else if (auto *e = dyn_cast<ConditionalOperator>(s)) {
            walkTaken(e->getCond(), e->getTrueExpr(), e->getFalseExpr(), e);
        } else if (auto *declarations = dyn_cast<DeclStmt>(s)) {
            for (Decl *d : declarations->decls()) // other functions' bodies are their own
                if (auto *v = dyn_cast<VarDecl>(d); v && !v->isConstexpr())
                    walk(v->getInit());
        } else if (auto *l = dyn_cast<LambdaExpr>(s)) {
            for (Expr *e : l->capture_inits())
                walk(e);
        } else {
            walkParts(s);
        }
    }

  private:
    void walkParts(Stmt *s) {
        // As it was written a list's elements are not converted yet: constants are no values there.
        if (auto *list = dyn_cast<InitListExpr>(s); list && !list->isSemanticForm())
            s = list->getSemanticForm();
        for (Stmt *part : s->children())
            walk(part);
    }
    void walkTaken(Expr *condition, Stmt *then, Stmt *otherwise, Stmt *unknown) {
        bool taken;
        if (!condition->isValueDependent() &&
            condition->EvaluateAsBooleanCondition(taken, c.context))
            walk(taken ? then : otherwise);
        else if (unknown)
            walkParts(unknown);
    }
    bool isConstantPart(Expr *e) {
        if (auto *cast = dyn_cast<CStyleCastExpr>(e))
            return cast->getCastKind() == CK_ToVoid;
        if (auto *binary = dyn_cast<BinaryOperator>(e))
            return binary->isComparisonOp() && isConstant(e);
        if (auto *call = dyn_cast<CallExpr>(e))
            return isConstantCall(call);
        if (auto *construct = dyn_cast<CXXConstructExpr>(e))
            return isConstantCopy(construct);
        auto *cast = dyn_cast<ImplicitCastExpr>(e);
        bool number = initialises && e->getType()->isArithmeticType();
        return cast && cast->getCastKind() == CK_LValueToRValue &&
               (number || isConstantName(cast->getSubExpr())) && isConstant(e);
    }
    bool isConstantCall(CallExpr *e) {
        const FunctionDecl *f = e->getDirectCallee();
        return f && f->isConstexpr() && isConstant(e);
    }
    // The value of a constant, of a class or behind a cast to a reference, is a constant, too.
    bool isConstantCopy(CXXConstructExpr *e) {
        CXXConstructorDecl *f = e->getConstructor();
        return f->isCopyOrMoveConstructor() && f->isTrivial() && isConstantName(e->getArg(0));
    }
    bool isConstantName(const Expr *e) {
        auto *name = dyn_cast<DeclRefExpr>(e->IgnoreParenCasts());
        auto *v = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
        return v && isHostConstant(c, v) && (v->isConstexpr() || !v->getType()->isPointerType());
    }
    // An element of an array is no constant for nvcc, whatever its index.
    void add(const Expr *e, const ValueDecl *d, NonOdrUseReason reason, SourceLocation at) {
        if (auto *f = dyn_cast<FunctionDecl>(d))
            addCall(f);
        auto *v = dyn_cast<VarDecl>(d);
        bool array = v && v->getType()->isArrayType() && reason == NOUR_Constant;
        if (v && isHostConstant(c, v) && (reason == NOUR_None || array))
            node.uses.push_back({v, at});
    }
};

} // namespace

void HostConstants::addBody(Checker &c, const FunctionDecl *f) {
    bool device = f->hasAttr<CUDADeviceAttr>() || isKernel(f);
    if (!device || !c.devicePass || f->isDependentContext() || !f->doesThisDeclarationHaveABody())
        return;
    Node &node = nodes[f->getCanonicalDecl()];
    if (node.body)
        return;
    node.body = f;
    Body body(c, node);
    if (auto *constructor = dyn_cast<CXXConstructorDecl>(f))
        for (CXXCtorInitializer *i : constructor->inits())
            body.walk(i->getInit());
    body.walk(f->getBody());
}

void HostConstants::addVariable(Checker &c, const VarDecl *v) {
    Body body(c, initialisers, true);
    if (c.devicePass && memorySpace(v) && v->hasInit() && !v->isConstexpr() &&
        !v->getDeclContext()->isDependentContext() && v->hasConstantInitialization())
        body.walk(const_cast<Expr *>(v->getInit()));
}

// Those that nvcc generates code for although nothing in this file calls them.
static bool isRoot(const FunctionDecl *f) {
    return isKernel(f) || (isDeviceCode(f) && f->isExternallyVisible() && !f->isInlined() &&
                           !f->isTemplateInstantiation());
}

static void report(Checker &c, const HostConstants::Node &node) {
    for (auto &[v, at] : node.uses)
        if (!c.isForeign(at))
            c.error(at, "the constant " + quoted(v) +
                            " of the host is undefined in device code: only its value can be used "
                            "there");
}

void HostConstants::report(Checker &c) {
    std::vector<const FunctionDecl *> reached;
    std::set<const FunctionDecl *> seen;
    for (auto &[f, node] : nodes)
        if (node.body && isRoot(node.body) && seen.insert(f).second)
            reached.push_back(f);
    rules::report(c, initialisers);
    while (!reached.empty()) {
        const Node &node = nodes[reached.back()];
        reached.pop_back();
        rules::report(c, node);
        for (const FunctionDecl *f : node.calls)
            if (nodes.count(f) && seen.insert(f).second)
                reached.push_back(f);
    }
}

} // namespace rules
