// Where an extended lambda may stand, and what its declaration may say (guide 18.7 and 18.7.2,
// rules 1 to 9). One is written with __device__ or __host__ __device__ in a function that runs on
// the host.
#include "rules.h"

#include <clang/Lex/Lexer.h>

using namespace clang;

namespace rules {

static bool isOfBothSides(const CXXMethodDecl *f) {
    return isWritten(f->getAttr<CUDADeviceAttr>()) && isWritten(f->getAttr<CUDAHostAttr>());
}

static bool isExtended(const Checker &c, const CXXMethodDecl *call) {
    const FunctionDecl *around = functionAround(call->getParent()->getDeclContext());
    return c.extendedLambdas && isWritten(call->getAttr<CUDADeviceAttr>()) && around &&
           isHostCode(around);
}

bool isExtendedClosure(const Checker &c, const CXXRecordDecl *closure) {
    const CXXMethodDecl *call = closure->getLambdaCallOperator();
    return call && isExtended(c, call);
}

// The lambda's body that the declaration is in; NULL: none.
static const CXXMethodDecl *lambdaAround(const DeclContext *context) {
    for (; context && !context->isTranslationUnit(); context = context->getParent())
        if (auto *method = dyn_cast<CXXMethodDecl>(context))
            return method->getParent()->isLambda() ? method : nullptr;
    return nullptr;
}

// What is refused, with the lambda's kind and its place.
struct Place {
    Checker &c;
    SourceLocation at;
    std::string kind;

    void refuse(const Twine &what) {
        c.error(at, "an extended " + kind + " lambda " + what);
    }
};

static void checkOuterLambdas(Place &p, const CXXMethodDecl *call) {
    const DeclContext *context = call->getParent()->getDeclContext();
    for (const CXXMethodDecl *outer; (outer = lambdaAround(context));
         context = outer->getParent()->getDeclContext()) {
        if (isExtended(p.c, outer) && isOfBothSides(outer))
            p.refuse("cannot stand in an extended __host__ __device__ lambda");
        if (outer->getParent()->isGenericLambda())
            p.refuse("cannot stand in a generic lambda");
    }
}

static void checkMember(Place &p, const CXXMethodDecl *f) {
    if (isHidden(f))
        p.refuse("cannot stand in the private or protected function " + quoted(f));
    if (functionAround(f->getParent()->getDeclContext()))
        p.refuse("cannot stand in " + quoted(f) + ", a member of a class in a function");
    for (const Decl *d = f->getParent(); d; d = dyn_cast<CXXRecordDecl>(d->getDeclContext()))
        if (isHidden(d))
            p.refuse("cannot stand in the private or protected class " +
                     quoted(cast<CXXRecordDecl>(d)));
}

static bool hasUnnamedParameter(const TemplateParameterList *list) {
    return llvm::any_of(*list, [](const NamedDecl *parameter) {
        return !parameter->getIdentifier() && !parameter->isImplicit();
    });
}

static bool hasPackBeforeOthers(const TemplateParameterList *list) {
    for (unsigned i = 0; i + 1 < list->size(); i++)
        if (list->getParam(i)->isParameterPack())
            return true;
    return false;
}

static void checkArguments(Place &p, const TemplateArgumentList &list) {
    std::string found;
    TypeParts parts(p.c.context, [&](const TagDecl *tag) {
        found = localOrHidden(p.c, tag);
        return found.empty();
    });
    parts.visitArguments(list.asArray());
    if (!found.empty())
        p.refuse("cannot stand in a template with such an argument: " + found);
}

// Of templates the names of their parameters, of what they become the rest. Classes around the
// function are free for nvcc.
static void checkTemplates(Place &p, const FunctionDecl *f) {
    const FunctionTemplateDecl *t = f->getDescribedFunctionTemplate();
    if (t && hasUnnamedParameter(t->getTemplateParameters()))
        p.refuse("cannot stand in a template with a parameter that has no name");
    if (f->getPrimaryTemplate() &&
        hasPackBeforeOthers(f->getPrimaryTemplate()->getTemplateParameters()))
        p.refuse("cannot stand in a template with a parameter pack before other parameters");
    if (const TemplateArgumentList *list = f->getTemplateSpecializationArgs())
        checkArguments(p, *list);
}

static void checkFunction(Place &p, const FunctionDecl *f) {
    if (isa<CXXConstructorDecl>(f) || isa<CXXDestructorDecl>(f))
        p.refuse("cannot stand in a constructor or destructor, which has no address");
    else if (auto *method = dyn_cast<CXXMethodDecl>(f))
        checkMember(p, method);
    if (f->getDeclaredReturnType()->getContainedDeducedType())
        p.refuse("cannot stand in " + quoted(f) + ", whose return type is deduced");
    checkTemplates(p, f);
}

// Every lambda may be a constant's: whether this one's text says so, between its parameters and its
// body.
static bool saysConstexpr(const Checker &c, const LambdaExpr *l) {
    const SourceManager &sources = c.context.getSourceManager();
    SourceLocation begin = sources.getSpellingLoc(l->getIntroducerRange().getEnd());
    SourceLocation end = sources.getSpellingLoc(l->getCompoundStmtBody()->getLBracLoc());
    std::pair<FileID, unsigned> from = sources.getDecomposedLoc(begin),
                                to = sources.getDecomposedLoc(end);
    if (from.first != to.first || from.second > to.second)
        return false;
    StringRef text = sources.getBufferData(from.first);
    Lexer lexer(sources.getLocForStartOfFile(from.first), c.context.getLangOpts(), text.begin(),
                text.data() + from.second, text.end());
    int depth = 0;
    for (Token t;
         !lexer.LexFromRawLexer(t) && sources.getFileOffset(t.getLocation()) < to.second;) {
        depth += t.is(tok::l_paren) - t.is(tok::r_paren);
        if (!depth && t.is(tok::raw_identifier) &&
            (t.getRawIdentifier() == "constexpr" || t.getRawIdentifier() == "consteval"))
            return true;
    }
    return false;
}

void checkLambda(Checker &c, const LambdaExpr *l) {
    const CXXMethodDecl *call = l->getCallOperator();
    bool device = isWritten(call->getAttr<CUDADeviceAttr>());
    bool host = isWritten(call->getAttr<CUDAHostAttr>());
    if (!l->hasExplicitResultType())
        c.deducedClosures.insert(call);
    if ((device || host) && !c.extendedLambdas)
        return c.error(l->getBeginLoc(),
                       "a lambda with __host__ or __device__ needs -extended-lambda");
    if (!device)
        return;
    Place p{c, l->getBeginLoc(), host ? "__host__ __device__" : "__device__"};
    const FunctionDecl *around = functionAround(call->getParent()->getDeclContext());
    if (!around && lambdaAround(call->getParent()->getDeclContext()))
        return p.refuse("cannot stand in a lambda that is in no function");
    if (!isExtended(c, call))
        return;
    checkOuterLambdas(p, call);
    checkFunction(p, around);
    if (host && l->isGenericLambda())
        p.refuse("cannot be generic");
    if (saysConstexpr(c, l))
        p.refuse("cannot be constexpr");
    checkLambdaCaptures(c, l, p.kind);
}

} // namespace rules
