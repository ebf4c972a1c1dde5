#include "rules.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Preprocessor.h>

using namespace clang;

namespace rules {

static bool isDefined(CompilerInstance &compiler, StringRef macro) {
    return compiler.getPreprocessor().isMacroDefined(macro);
}

// Of a macro that expands to one; 0: it does not.
static unsigned numberOf(CompilerInstance &compiler, StringRef macro) {
    Preprocessor &p = compiler.getPreprocessor();
    const MacroInfo *info = p.getMacroInfo(p.getIdentifierInfo(macro));
    unsigned number = 0;
    if (info && info->getNumTokens() == 1)
        StringRef(p.getSpelling(info->getReplacementToken(0))).getAsInteger(10, number);
    return number;
}

Checker::Checker(CompilerInstance &compiler, ASTContext &context)
    : compiler(compiler), context(context),
      extendedLambdas(isDefined(compiler, "__CUDACC_EXTENDED_LAMBDA__")),
      relaxedConstexpr(isDefined(compiler, "__CUDACC_RELAXED_CONSTEXPR__")),
      relocatable(compiler.getLangOpts().GPURelocatableDeviceCode),
      devicePass(compiler.getLangOpts().CUDAIsDevice),
      hostInitializerList(isDefined(compiler, "__KUDZU_HOST_INITIALIZER_LIST__")),
      hostMoveForward(isDefined(compiler, "__KUDZU_HOST_MOVE_FORWARD__")),
      architecture(numberOf(compiler, "__CUDA_ARCH__")) {
}

bool Checker::isForeign(SourceLocation at) const {
    const SourceManager &sources = context.getSourceManager();
    return at.isInvalid() || sources.isInSystemHeader(sources.getExpansionLoc(at));
}

static void report(Checker &c, SourceLocation at, DiagnosticsEngine::Level level,
                   const std::string &message) {
    DiagnosticsEngine &engine = c.compiler.getDiagnostics();
    SourceLocation place = c.context.getSourceManager().getExpansionLoc(at);
    if (c.said.insert({place.getRawEncoding(), message}).second)
        engine.Report(place,
                      engine.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Level(level), "%0"))
            << message;
}

void Checker::error(SourceLocation at, const Twine &message) {
    report(*this, at, DiagnosticsEngine::Error, message.str());
}

void Checker::warning(SourceLocation at, const Twine &message, const char *flag) {
    report(*this, at, DiagnosticsEngine::Warning, (message + " [-W" + flag + "]").str());
}

void Checker::note(SourceLocation at, const Twine &message) {
    report(*this, at, DiagnosticsEngine::Note, message.str());
}

bool isKernel(const Decl *d) {
    return d->hasAttr<CUDAGlobalAttr>();
}

bool isWritten(const Attr *a) {
    return a && !a->isImplicit();
}

bool isDeviceCode(const FunctionDecl *f) {
    return isKernel(f) || isWritten(f->getAttr<CUDADeviceAttr>());
}

bool isHostCode(const FunctionDecl *f) {
    return f->hasAttr<CUDAHostAttr>() || !isDeviceCode(f);
}

const FunctionDecl *functionAround(const DeclContext *c) {
    for (; c && !c->isTranslationUnit(); c = c->getParent()) {
        auto *f = dyn_cast<FunctionDecl>(c);
        auto *method = dyn_cast<CXXMethodDecl>(c);
        if (f && !(method && method->getParent()->isLambda()))
            return f;
    }
    return nullptr;
}

bool hasAnnotation(const Decl *d, StringRef text) {
    for (auto *a : d->specific_attrs<AnnotateAttr>())
        if (a->getAnnotation() == text)
            return true;
    return false;
}

bool isManaged(const VarDecl *v) {
    auto *section = v->getAttr<SectionAttr>();
    return section && section->getName() == "kudzu.managed";
}

const char *memorySpace(const VarDecl *v) {
    if (isManaged(v))
        return "__managed__";
    if (isWritten(v->getAttr<CUDASharedAttr>()))
        return "__shared__";
    if (isWritten(v->getAttr<CUDAConstantAttr>()))
        return "__constant__";
    return isWritten(v->getAttr<CUDADeviceAttr>()) ? "__device__" : nullptr;
}

bool isInInlineUnnamedNamespace(const Decl *d) {
    for (const DeclContext *c = d->getDeclContext(); c && !c->isTranslationUnit();
         c = c->getParent())
        if (auto *n = dyn_cast<NamespaceDecl>(c))
            if (n->isAnonymousNamespace() && n->isInline())
                return true;
    return false;
}

bool isInitializerList(QualType type) {
    type = type.getNonReferenceType();
    const RecordDecl *record = type->getAsRecordDecl();
    if (auto *instance = type->getAs<TemplateSpecializationType>())
        if (TemplateDecl *t = instance->getTemplateName().getAsTemplateDecl())
            record = dyn_cast_or_null<RecordDecl>(t->getTemplatedDecl());
    return record && record->getName() == "initializer_list" && record->isInStdNamespace();
}

std::string quoted(const NamedDecl *d) {
    return "'" + d->getQualifiedNameAsString() + "'";
}

std::string quoted(QualType type, const ASTContext &context) {
    return "'" + type.getAsString(context.getPrintingPolicy()) + "'";
}

} // namespace rules
