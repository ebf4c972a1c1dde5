// What extended lambdas may capture (guide 18.7.2, rule 12): copies of variables, arrays of up to
// seven dimensions among them; no packs, no types that are local, private or protected, nothing for
// the first time where `if constexpr` decides.
#include "rules.h"

using namespace clang;

namespace rules {

constexpr unsigned MostDimensions = 7;

static unsigned dimensions(const ASTContext &context, QualType type) {
    unsigned n = 0;
    for (; const ArrayType *array = context.getAsArrayType(type); n++)
        type = array->getElementType();
    return n;
}

static void refusePack(Checker &c, const ValueDecl *v, SourceLocation at,
                       const std::string &lambda) {
    c.error(at, lambda + " cannot capture elements of the parameter pack " + quoted(v));
}

static void checkCopy(Checker &c, const VarDecl *v, SourceLocation at, const std::string &lambda) {
    QualType type = v->getType().getNonReferenceType();
    if (dimensions(c.context, type) > MostDimensions)
        c.error(at, lambda + " cannot capture the array " + quoted(v) + ": it has more than " +
                        Twine(MostDimensions) + " dimensions");
    if (v->isParameterPack())
        refusePack(c, v, at, lambda);
    std::string why = localOrHiddenPart(c, type);
    if (!why.empty())
        c.error(at, lambda + " cannot capture " + quoted(v) + ": in its type is " + why);
}

static void checkInitialised(Checker &c, const VarDecl *v, SourceLocation at, bool host,
                             const std::string &lambda) {
    if (host)
        c.error(at, lambda + " cannot have captures with initialisers");
    else if (isInitializerList(v->getType()))
        c.error(at, lambda + " cannot capture a std::initializer_list by an initialiser");
}

namespace {

// The variables around a lambda by the places where its body names them first.
class FirstUses {
    const LambdaExpr *lambda;
    llvm::SmallPtrSet<const VarDecl *, 8> named;
    int conditional = 0;

    static const VarDecl *variable(const LambdaCapture &capture) {
        return capture.capturesVariable() ? cast<VarDecl>(capture.getCapturedVar()) : nullptr;
    }
    // NULL: `this`.
    void add(const VarDecl *v, const Expr *e) {
        if (named.insert(v).second && conditional)
            found.push_back(e);
    }
    void name(const DeclRefExpr *e) {
        auto *v = dyn_cast<VarDecl>(e->getDecl());
        if (v && v->hasLocalStorage() && e->isNonOdrUse() != NOUR_Unevaluated &&
            !lambda->getCallOperator()->Encloses(v->getDeclContext())) {
            add(v, e);
            if (v->isParameterPack())
                packs.push_back(e);
        }
    }
    // Its implicit captures are what its body names.
    void walkLambda(const LambdaExpr *l) {
        for (auto [capture, init] : llvm::zip(l->captures(), l->capture_inits()))
            if (capture.isExplicit())
                walk(init);
        walk(l->getBody());
    }

  public:
    SmallVector<const Expr *, 4> found; // under `if constexpr`
    SmallVector<const DeclRefExpr *, 4> packs;

    explicit FirstUses(const LambdaExpr *l) : lambda(l) {
        for (const LambdaCapture &capture : l->explicit_captures())
            named.insert(variable(capture));
    }
    void walk(const Stmt *s) {
        if (!s || isa<UnaryExprOrTypeTraitExpr>(s))
            return;
        if (auto *l = dyn_cast<LambdaExpr>(s))
            return walkLambda(l);
        auto *branch = dyn_cast<IfStmt>(s);
        bool constant = branch && branch->isConstexpr();
        conditional += constant;
        if (auto *e = dyn_cast<DeclRefExpr>(s))
            name(e);
        else if (auto *e = dyn_cast<CXXThisExpr>(s))
            add(nullptr, e);
        for (const Stmt *part : s->children())
            walk(part);
        conditional -= constant;
    }
};

} // namespace

void checkLambdaCaptures(Checker &c, const LambdaExpr *l, const std::string &kind) {
    std::string lambda = "an extended " + kind + " lambda";
    bool host = isWritten(l->getCallOperator()->getAttr<CUDAHostAttr>());
    if (l->getCaptureDefault() == LCD_ByRef)
        c.error(l->getCaptureDefaultLoc(), lambda + " cannot capture by reference");
    for (const LambdaCapture &capture : l->captures()) {
        if (!capture.capturesVariable())
            continue;
        auto *v = cast<VarDecl>(capture.getCapturedVar());
        SourceLocation at = capture.getLocation();
        if (capture.getCaptureKind() == LCK_ByRef && capture.isExplicit())
            c.error(at, lambda + " cannot capture by reference");
        if (v->isInitCapture())
            checkInitialised(c, v, at, host, lambda);
        checkCopy(c, v, at, lambda);
    }
    if (l->getCaptureDefault() == LCD_None)
        return;
    FirstUses uses(l);
    uses.walk(l->getBody());
    for (const DeclRefExpr *e : uses.packs)
        refusePack(c, e->getDecl(), e->getLocation(), lambda);
    for (const Expr *e : uses.found)
        c.error(e->getExprLoc(),
                lambda + " cannot capture this variable for the first time in `if constexpr`");
}

} // namespace rules
