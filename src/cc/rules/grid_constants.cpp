// __grid_constant__ (guide 10.2.4): on const parameters of kernels that are no references, and the
// same in each declaration, specialisation and explicit instantiation of one kernel.
#include "rules.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>

using namespace clang;

namespace rules {

constexpr StringRef Annotation = "kudzu.grid_constant";

// Whether this declaration says so itself; clang hands it on from the one before.
static bool isMarked(const ParmVarDecl *p) {
    for (auto *a : p->specific_attrs<AnnotateAttr>())
        if (a->getAnnotation() == Annotation && !a->isInherited())
            return true;
    return false;
}

static void compare(Checker &c, const FunctionDecl *f, const FunctionDecl *before,
                    const char *kind) {
    for (unsigned i = 0; before && i < f->getNumParams() && i < before->getNumParams(); i++) {
        const ParmVarDecl *mine = f->getParamDecl(i), *other = before->getParamDecl(i);
        if (isMarked(mine) == isMarked(other))
            continue;
        c.error(mine->getLocation(), Twine("__grid_constant__ on parameter ") + Twine(i + 1) +
                                         " of the kernel " + quoted(f) + " differs in this " +
                                         kind);
        c.note(other->getLocation(), "the parameter was declared here before");
    }
}

// The parameters of `template __global__ void k<int>(const int);`, of which the syntax tree knows
// nothing: from the kernel's name on, whether each names __grid_constant__. False: the text does
// not tell.
static bool readInstantiation(Checker &c, SourceLocation at, SmallVectorImpl<bool> &marked) {
    const SourceManager &sources = c.context.getSourceManager();
    Preprocessor &macros = c.compiler.getPreprocessor();
    if (at.isInvalid() || at.isMacroID())
        return false;
    std::pair<FileID, unsigned> place = sources.getDecomposedLoc(at);
    StringRef text = sources.getBufferData(place.first);
    Lexer lexer(sources.getLocForStartOfFile(place.first), c.context.getLangOpts(), text.begin(),
                text.data() + place.second, text.end());
    int depth = 0, angles = 0;
    bool current = false;
    for (Token t; !lexer.LexFromRawLexer(t) && !t.is(tok::semi);) {
        if (t.isOneOf(tok::less, tok::greater, tok::greatergreater))
            angles += t.is(tok::less) ? 1 : t.is(tok::greater) ? -1 : -2;
        else if (t.isOneOf(tok::l_paren, tok::r_paren) && !angles)
            depth += t.is(tok::l_paren) ? 1 : -1;
        bool ends = !angles && (t.is(tok::comma) ? depth == 1 : t.is(tok::r_paren) && depth == 0);
        if (ends) {
            marked.push_back(current);
            current = false;
            if (depth == 0)
                return true;
        } else if (t.is(tok::raw_identifier) && depth == 1) {
            bool known = t.getRawIdentifier() == "__grid_constant__";
            current |= known;
            if (!known && macros.getMacroInfo(macros.getIdentifierInfo(t.getRawIdentifier())))
                return false;
        }
    }
    return false;
}

static void compareInstantiation(Checker &c, const FunctionDecl *f, const FunctionDecl *pattern) {
    SmallVector<bool, 8> marked;
    SourceLocation at = f->getPointOfInstantiation();
    if (!readInstantiation(c, at, marked))
        return;
    for (unsigned i = 0; i < marked.size() && i < pattern->getNumParams(); i++)
        if (!pattern->getParamDecl(i)->isParameterPack() &&
            marked[i] != isMarked(pattern->getParamDecl(i))) {
            c.error(at, Twine("__grid_constant__ on parameter ") + Twine(i + 1) +
                            " of the kernel " + quoted(f) + " differs in this instantiation");
            c.note(pattern->getParamDecl(i)->getLocation(),
                   "the parameter was declared here before");
        }
}

void checkGridConstants(Checker &c, const FunctionDecl *f) {
    for (const ParmVarDecl *p : f->parameters()) {
        if (!isMarked(p))
            continue;
        QualType type = p->getType();
        if (!isKernel(f))
            c.error(p->getLocation(),
                    "__grid_constant__ is for parameters of kernels, " + quoted(f) + " is none");
        else if (!type->isDependentType() && (type->isReferenceType() || !type.isConstQualified()))
            c.error(p->getLocation(),
                    "a __grid_constant__ parameter must be const and no reference");
    }
    if (!isKernel(f))
        return;
    bool special = f->getTemplateSpecializationKind() == TSK_ExplicitSpecialization;
    const FunctionDecl *before = f->getPreviousDecl();
    if (!before && special && f->getPrimaryTemplate())
        before = f->getPrimaryTemplate()->getTemplatedDecl();
    compare(c, f, before, special ? "specialisation" : "redeclaration");
}

void checkInstantiations(Checker &c, const FunctionTemplateDecl *t) {
    for (const FunctionDecl *f : t->specializations())
        if (f->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDefinition ||
            f->getTemplateSpecializationKind() == TSK_ExplicitInstantiationDeclaration)
            compareInstantiation(c, f, t->getTemplatedDecl());
}

} // namespace rules
