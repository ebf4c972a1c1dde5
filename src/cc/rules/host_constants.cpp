// Constants of the host in device code (guide 18.5.14, 18.5.22.5): their values are free, but there
// is no object of theirs to refer to. Code counts that is generated: functions that others may
// call, and what they call, unless such a call is itself a constant.
#include "rules.h"

#include <clang/AST/RecursiveASTVisitor.h>

using namespace clang;

namespace rules {

namespace {

bool isHostConstant(const Checker &c, const VarDecl *v) {
    return v->hasGlobalStorage() && !v->isStaticLocal() && !memorySpace(v) &&
           !isa<ParmVarDecl>(v) && !c.isForeign(v->getLocation()) &&
           (v->isConstexpr() || v->getType().isConstQualified() || v->getType()->isReferenceType());
}

// What one body refers to and calls.
class Body : public RecursiveASTVisitor<Body> {
    using Base = RecursiveASTVisitor<Body>;
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

    bool TraverseDecl(Decl *d) { // other functions' bodies are their own
        auto *v = dyn_cast_or_null<VarDecl>(d);
        if (!v || v->isConstexpr())
            return true;
        return Base::TraverseDecl(d);
    }
    template <typename... More> bool TraverseTypeLoc(TypeLoc, More...) {
        return true;
    }
    bool TraverseConstantExpr(ConstantExpr *) {
        return true;
    }
    bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) {
        return true;
    }
    bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *) {
        return true;
    }
    bool TraverseStaticAssertDecl(StaticAssertDecl *) {
        return true;
    }
    // As it was written a list's elements are not converted yet: constants are no values there.
    bool TraverseInitListExpr(InitListExpr *e) {
        InitListExpr *list = e->isSemanticForm() ? e : e->getSemanticForm();
        return llvm::all_of(list->inits(), [&](Expr *i) { return !i || TraverseStmt(i); });
    }
    bool TraverseLambdaExpr(LambdaExpr *l) {
        return llvm::all_of(l->capture_inits(), [&](Expr *e) { return !e || TraverseStmt(e); });
    }
    bool TraverseCStyleCastExpr(CStyleCastExpr *e) {
        return e->getCastKind() == CK_ToVoid || Base::TraverseCStyleCastExpr(e);
    }
    bool TraverseIfStmt(IfStmt *s) {
        if (!s->isConstexpr())
            return Base::TraverseIfStmt(s);
        bool taken;
        TraverseStmt(s->getInit());
        if (s->getCond()->isValueDependent() ||
            !s->getCond()->EvaluateAsBooleanCondition(taken, c.context))
            return true;
        return TraverseStmt(taken ? s->getThen() : s->getElse());
    }
    bool TraverseConditionalOperator(ConditionalOperator *e) {
        bool taken;
        if (e->getCond()->isValueDependent() ||
            !e->getCond()->EvaluateAsBooleanCondition(taken, c.context))
            return Base::TraverseConditionalOperator(e);
        return TraverseStmt(taken ? e->getTrueExpr() : e->getFalseExpr());
    }
    bool TraverseBinaryOperator(BinaryOperator *e) {
        return (e->isComparisonOp() && isConstant(e)) || Base::TraverseBinaryOperator(e);
    }
    bool TraverseCallExpr(CallExpr *e) {
        return isConstantCall(e) || Base::TraverseCallExpr(e);
    }
    bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *e) {
        return isConstantCall(e) || Base::TraverseCXXMemberCallExpr(e);
    }
    bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr *e) {
        return isConstantCall(e) || Base::TraverseCXXOperatorCallExpr(e);
    }
    bool isConstantCall(CallExpr *e) {
        const FunctionDecl *f = e->getDirectCallee();
        return f && f->isConstexpr() && isConstant(e);
    }
    // The value of a constant, of a class or behind a cast to a reference, is a constant, too.
    bool TraverseCXXConstructExpr(CXXConstructExpr *e) {
        CXXConstructorDecl *f = e->getConstructor();
        if (f->isCopyOrMoveConstructor() && f->isTrivial() && isConstantName(e->getArg(0)))
            return true;
        addCall(f);
        return Base::TraverseCXXConstructExpr(e);
    }
    bool TraverseImplicitCastExpr(ImplicitCastExpr *e) {
        bool number = initialises && e->getType()->isArithmeticType();
        return (e->getCastKind() == CK_LValueToRValue &&
                (number || isConstantName(e->getSubExpr())) && isConstant(e)) ||
               Base::TraverseImplicitCastExpr(e);
    }
    bool isConstantName(const Expr *e) {
        auto *name = dyn_cast<DeclRefExpr>(e->IgnoreParenCasts());
        auto *v = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
        return v && isHostConstant(c, v) && (v->isConstexpr() || !v->getType()->isPointerType());
    }
    bool VisitDeclRefExpr(DeclRefExpr *e) {
        if (auto *f = dyn_cast<FunctionDecl>(e->getDecl()))
            addCall(f);
        add(e, e->getDecl(), e->isNonOdrUse(), e->getLocation());
        return true;
    }
    bool VisitMemberExpr(MemberExpr *e) {
        if (auto *f = dyn_cast<FunctionDecl>(e->getMemberDecl()))
            addCall(f);
        add(e, e->getMemberDecl(), e->isNonOdrUse(), e->getMemberLoc());
        return true;
    }
    // An element of an array is no constant for nvcc, whatever its index.
    void add(const Expr *e, const ValueDecl *d, NonOdrUseReason reason, SourceLocation at) {
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
            body.TraverseStmt(i->getInit());
    body.TraverseStmt(f->getBody());
}

void HostConstants::addVariable(Checker &c, const VarDecl *v) {
    Body body(c, initialisers, true);
    if (c.devicePass && memorySpace(v) && v->hasInit() && !v->isConstexpr() &&
        !v->getDeclContext()->isDependentContext() && v->hasConstantInitialization())
        body.TraverseStmt(const_cast<Expr *>(v->getInit()));
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
