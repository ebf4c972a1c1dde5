// Walks over what the program has written once it is parsed, before code is generated.
#include "rules.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

using namespace clang;
using namespace rules;
using llvm::function_ref;

namespace {

class Visitor : public RecursiveASTVisitor<Visitor> {
    using Base = RecursiveASTVisitor<Visitor>;
    Checker &c;
    const FunctionDecl *owner = nullptr;  // the declaration that is walked over
    const FunctionDecl *around = nullptr; // whose body is
    HostConstants constants;
    int unevaluated = 0, constant = 0; // expressions around that have no value, or a constant one
    bool inInitialiser = false;        // of a constructor

    bool within(const FunctionDecl *f, function_ref<bool()> walk) {
        const FunctionDecl *outer = around;
        around = f;
        bool go = walk();
        around = outer;
        return go;
    }

    void checkFunctionName(const ValueDecl *d, SourceLocation at) {
        auto *f = dyn_cast<FunctionDecl>(d);
        if (f && isKernel(f))
            checkKernelReference(c, f, at);
        else if (f)
            checkDeducedResult(c, f, around, at);
    }

    bool withoutValue(function_ref<bool()> walk) {
        unevaluated++;
        bool go = walk();
        unevaluated--;
        return go;
    }
    bool asConstant(function_ref<bool()> walk) {
        constant++;
        bool go = walk();
        constant--;
        return go;
    }
    void checkCall(const FunctionDecl *f, SourceLocation at) {
        if (!unevaluated)
            checkConstexprCall(c, f, around, at);
        if (inInitialiser)
            checkAtomicInitialiser(c, f, at);
    }
    void checkArgument(const Expr *e) {
        checkTemplateArgument(c, e);
        checkAtomicArgument(c, e);
    }

  public:
    explicit Visitor(Checker &c) : c(c) {
    }

    bool TraverseDecl(Decl *d) {
        if (!d || c.isForeign(d->getLocation()))
            return true;
        const FunctionDecl *outer = owner;
        owner = dyn_cast<FunctionDecl>(d);
        bool go = Base::TraverseDecl(d);
        owner = outer;
        return go;
    }
    bool TraverseStmt(Stmt *s, DataRecursionQueue *queue = nullptr) {
        bool body = s && owner && owner->doesThisDeclarationHaveABody() && s == owner->getBody();
        return body ? within(owner, [&] { return Base::TraverseStmt(s); })
                    : Base::TraverseStmt(s, queue);
    }
    bool TraverseConstructorInitializer(CXXCtorInitializer *i) {
        inInitialiser = true;
        bool go = within(owner, [&] { return Base::TraverseConstructorInitializer(i); });
        inInitialiser = false;
        return go;
    }
    bool TraverseLambdaExpr(LambdaExpr *l) {
        const CXXMethodDecl *call = l->getCallOperator();
        bool marked = isWritten(call->getAttr<CUDADeviceAttr>());
        return within(marked ? call : around, [&] { return Base::TraverseLambdaExpr(l); });
    }
    bool VisitFunctionDecl(FunctionDecl *f) {
        if (isKernel(f))
            checkKernelDeclaration(c, f);
        checkBounds(c, f);
        checkGridConstants(c, f);
        constants.addBody(c, f);
        return true;
    }
    bool VisitFunctionTemplateDecl(FunctionTemplateDecl *t) {
        if (isKernel(t->getTemplatedDecl())) {
            checkKernelTemplate(c, t);
            checkInstantiations(c, t);
        }
        return true;
    }
    bool VisitVarDecl(VarDecl *v) {
        checkVariable(c, v);
        constants.addVariable(c, v);
        return true;
    }
    bool TraverseVarDecl(VarDecl *v) {
        return v->isConstexpr() ? asConstant([&] { return Base::TraverseVarDecl(v); })
                                : Base::TraverseVarDecl(v);
    }
    bool VisitDecltypeTypeLoc(DecltypeTypeLoc type) {
        checkDecltype(c, type.getUnderlyingExpr());
        return true;
    }
    bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc &a) {
        if (a.getArgument().getKind() != TemplateArgument::Expression)
            return Base::TraverseTemplateArgumentLoc(a);
        checkArgument(a.getSourceExpression());
        return asConstant([&] { return Base::TraverseTemplateArgumentLoc(a); });
    }
    bool TraverseConstantExpr(ConstantExpr *e) {
        return asConstant([&] { return Base::TraverseConstantExpr(e); });
    }
    bool TraverseStaticAssertDecl(StaticAssertDecl *d) {
        return asConstant([&] { return Base::TraverseStaticAssertDecl(d); });
    }
    // Newer releases of clang hand on whether what qualifies the type is visited (`more`).
    template <typename... More>
    bool TraverseConstantArrayTypeLoc(ConstantArrayTypeLoc type, More... more) {
        return asConstant([&] { return Base::TraverseConstantArrayTypeLoc(type, more...); });
    }
    template <typename... More>
    bool TraverseDependentSizedArrayTypeLoc(DependentSizedArrayTypeLoc type, More... more) {
        return asConstant([&] { return Base::TraverseDependentSizedArrayTypeLoc(type, more...); });
    }
    bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) {
        checkResultTrait(c, type, around);
        return true;
    }
    bool VisitExpr(Expr *e) {
        if (!unevaluated)
            checkLongDouble(c, e, around);
        return true;
    }
    bool VisitDeclRefExpr(DeclRefExpr *e) {
        if (constant)
            checkConstantName(c, e);
        checkFunctionName(e->getDecl(), e->getLocation());
        return true;
    }
    bool VisitMemberExpr(MemberExpr *e) {
        checkFunctionName(e->getMemberDecl(), e->getMemberLoc());
        return true;
    }
    bool VisitLambdaExpr(LambdaExpr *l) {
        checkLambda(c, l);
        constants.addBody(c, l->getCallOperator());
        return true;
    }
    bool VisitCallExpr(CallExpr *e) {
        if (FunctionDecl *f = e->getDirectCallee())
            checkCall(f, e->getExprLoc());
        checkAtomicScope(c, e);
        return true;
    }
    bool VisitCXXForRangeStmt(CXXForRangeStmt *s) { // its calls of begin and end are not written
        for (DeclStmt *d : {s->getBeginStmt(), s->getEndStmt()}) {
            auto *v = d ? dyn_cast<VarDecl>(d->getSingleDecl()) : nullptr;
            auto *e =
                v && v->getInit() ? dyn_cast<CallExpr>(v->getInit()->IgnoreImplicit()) : nullptr;
            if (FunctionDecl *f = e ? e->getDirectCallee() : nullptr)
                checkCall(f, s->getColonLoc());
        }
        return true;
    }
    bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *e) {
        checkLaunch(c, e, around);
        return true;
    }
    bool VisitCXXConstructExpr(CXXConstructExpr *e) {
        checkCall(e->getConstructor(), e->getLocation());
        return true;
    }
    bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *e) {
        return withoutValue([&] { return Base::TraverseUnaryExprOrTypeTraitExpr(e); });
    }
    bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *e) {
        return withoutValue([&] { return Base::TraverseCXXNoexceptExpr(e); });
    }
    template <typename... More> bool TraverseDecltypeTypeLoc(DecltypeTypeLoc type, More... more) {
        return withoutValue([&] { return Base::TraverseDecltypeTypeLoc(type, more...); });
    }
    void finish() {
        constants.report(c);
    }
};

// NVRTC's -default-device makes clang take a kernel for a function of host and device, too. An
// explicit instantiation of it, which says __global__ again, would then contradict itself.
void keepKernelsKernels(Decl *d) {
    if (auto *space = dyn_cast<DeclContext>(d); space && (isa<NamespaceDecl, LinkageSpecDecl>(d))) {
        for (Decl *member : space->decls())
            keepKernelsKernels(member);
        return;
    }
    auto *pattern = dyn_cast<FunctionTemplateDecl>(d);
    Decl *f = pattern ? pattern->getTemplatedDecl() : d;
    if (!isKernel(f))
        return;
    if (auto *a = f->getAttr<CUDAHostAttr>(); a && a->isImplicit())
        f->dropAttr<CUDAHostAttr>();
    if (auto *a = f->getAttr<CUDADeviceAttr>(); a && a->isImplicit())
        f->dropAttr<CUDADeviceAttr>();
}

class Consumer : public ASTConsumer {
    CompilerInstance &compiler;
    llvm::SetVector<Decl *> declarations;
    bool hostCalls;

    bool leavesToHost() const {
        return hostCalls && compiler.getLangOpts().CUDAIsDevice;
    }

  public:
    Consumer(CompilerInstance &compiler, bool hostCalls)
        : compiler(compiler), hostCalls(hostCalls) {
    }

    bool HandleTopLevelDecl(DeclGroupRef group) override {
        for (Decl *d : group) {
            declarations.insert(d);
            keepKernelsKernels(d);
            if (leavesToHost()) // before code is made of it
                leaveToHost(d);
            if (compiler.getLangOpts().CUDAIsDevice)
                deferHostTables(d);
        }
        return true;
    }
    // Where there are errors clang's own are enough: another attempt may be made for them.
    void HandleTranslationUnit(ASTContext &context) override {
        if (compiler.getDiagnostics().hasErrorOccurred())
            return;
        if (leavesToHost()) // what was made of templates since
            leaveToHost(context.getTranslationUnitDecl());
        Checker checker(compiler, context);
        Visitor visitor(checker);
        for (unsigned i = 0; i < declarations.size(); i++)
            visitor.TraverseDecl(declarations[i]);
        visitor.finish();
    }
};

// For clang, PTX has no __float128. It has what quad_precision.cpp makes of it.
struct QuadTarget : TargetInfo {
    static void add(TargetInfo &target) {
        bool TargetInfo::*has = &QuadTarget::HasFloat128;
        target.*has = true;
    }
};

class Action : public PluginASTAction {
    bool quads = false;     // the architecture has quad precision
    bool hostCalls = false; // those from functions of both sides are taken
    bool operators = false; // the device's are the host's, too
    std::string ownHeaders; // their folder, where programs do not see clang's macros

  protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
        addAbiPragma(compiler);
        BodyWatchers watchers;
        acceptLateDefaults(compiler, watchers);
        hideIntrinsicNames(compiler);
        if (hostCalls)
            acceptHostCalls(compiler, compiler.getLangOpts().GPURelocatableDeviceCode, watchers);
        if (operators && compiler.getLangOpts().CUDAIsDevice)
            openOperators(watchers);
        watchBodies(compiler, std::move(watchers));
        if (!ownHeaders.empty())
            hideCompilerMacros(compiler, ownHeaders);
        if (quads && compiler.getLangOpts().CUDAIsDevice)
            QuadTarget::add(compiler.getTarget());
        return std::make_unique<Consumer>(compiler, hostCalls);
    }
    bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &arguments) override {
        for (StringRef argument : arguments) {
            quads |= argument == "quad-precision";
            hostCalls |= argument == "host-calls";
            operators |= argument == "device-operators";
            if (argument.consume_front("own-headers="))
                ownHeaders = argument.str();
        }
        return true;
    }
    ActionType getActionType() override {
        return AddBeforeMainAction;
    }
};

} // namespace

void rules::registerRules() {
    static FrontendPluginRegistry::Add<Action> registration("kudzu-rules",
                                                            "the guide's restrictions");
}
