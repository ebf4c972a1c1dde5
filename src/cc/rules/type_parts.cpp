// The classes, enumerations and templates that a type is made of.
#include "rules.h"

using namespace clang;

namespace rules {

bool isHidden(const Decl *d) {
    return d->getAccess() == AS_private || d->getAccess() == AS_protected;
}

bool TypeParts::visitTag(const TagDecl *tag) {
    if (!seen.insert(tag).second)
        return true;
    if (!onTag(tag))
        return false;
    auto *record = dyn_cast<CXXRecordDecl>(tag);
    if (record && record->isLambda())
        return true;
    if (auto *instance = dyn_cast<ClassTemplateSpecializationDecl>(tag))
        if (!visitArguments(instance->getTemplateArgs().asArray()))
            return false;
    auto *outer = dyn_cast<CXXRecordDecl>(tag->getDeclContext());
    return !outer || visitTag(outer);
}

bool TypeParts::visitType(QualType type) {
    if (type.isNull())
        return true;
    type = type.getCanonicalType();
    if (auto *tag = type->getAsTagDecl())
        return visitTag(tag);
    if (auto *f = type->getAs<FunctionProtoType>())
        return visitType(f->getReturnType()) &&
               llvm::all_of(f->param_types(), [&](QualType p) { return visitType(p); });
    if (auto *member = type->getAs<MemberPointerType>())
        return (!member->getMostRecentCXXRecordDecl() ||
                visitTag(member->getMostRecentCXXRecordDecl())) &&
               visitType(member->getPointeeType());
    if (auto *array = context.getAsArrayType(type))
        return visitType(array->getElementType());
    return visitType(type->getPointeeType());
}

bool TypeParts::visitArguments(ArrayRef<TemplateArgument> list) {
    for (const TemplateArgument &a : list) {
        bool go = true;
        if (a.getKind() == TemplateArgument::Type)
            go = visitType(a.getAsType());
        else if (a.getKind() == TemplateArgument::Pack)
            go = visitArguments(a.pack_elements());
        else if (TemplateDecl *t = a.getKind() == TemplateArgument::Template
                                       ? a.getAsTemplate().getAsTemplateDecl()
                                       : nullptr)
            go = !onTemplate || onTemplate(t);
        if (!go)
            return false;
    }
    return true;
}

QualType typeOf(const ASTContext &context, const TagDecl *tag) {
#if CLANG_VERSION_MAJOR < 22
    return context.getTagDeclType(tag);
#else
    return context.getCanonicalTagType(tag);
#endif
}

std::string localOrHidden(const Checker &c, const TagDecl *tag) {
    auto *record = dyn_cast<CXXRecordDecl>(tag);
    if (record && record->isLambda() && isExtendedClosure(c, record))
        return "";
    const FunctionDecl *around = functionAround(tag->getDeclContext());
    if (around && isHostCode(around))
        return "the type " + quoted(typeOf(c.context, tag), c.context) +
               ", which is local to a function";
    for (const Decl *d = tag; d && !around; d = dyn_cast<CXXRecordDecl>(d->getDeclContext()))
        if (isHidden(d))
            return "the type " + quoted(cast<TagDecl>(d)) +
                   ", which is a private or protected member";
    return "";
}

std::string localOrHiddenPart(const Checker &c, QualType type) {
    std::string found;
    TypeParts parts(c.context, [&](const TagDecl *tag) {
        found = localOrHidden(c, tag);
        return found.empty();
    });
    parts.visitType(type);
    return found;
}

} // namespace rules
