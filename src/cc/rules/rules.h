// What CUDA forbids and clang 19 accepts, found in the syntax tree: the guide's restrictions, with
// nvcc's reading where the two differ. Each family of rules is a file of its own; all are called
// for declarations that the program has written and for what its templates become.
#ifndef KUDZU_CC_RULES_H
#define KUDZU_CC_RULES_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>

namespace rules {

// From now on clang's compilations in this process keep the rules.
void registerRules();

// The compilation, and what has been said about it.
struct Checker {
    clang::CompilerInstance &compiler;
    clang::ASTContext &context;
    bool extendedLambdas, relaxedConstexpr, relocatable, devicePass;
    bool hostInitializerList, hostMoveForward; // their functions are the host's alone
    unsigned architecture;                     // 900: compute capability 9.0; 0: the host's pass
    std::set<std::pair<unsigned, std::string>> said;
    std::set<const clang::FunctionDecl *> deducedClosures; // whose return type is not written
    std::set<const clang::FunctionDecl *> warnedOfLongDouble;

    Checker(clang::CompilerInstance &compiler, clang::ASTContext &context);
    void error(clang::SourceLocation at, const llvm::Twine &message);
    // `flag`: as in warning_numbers.c, which knows the number.
    void warning(clang::SourceLocation at, const llvm::Twine &message, const char *flag);
    void note(clang::SourceLocation at, const llvm::Twine &message);
    // Whether it stands in a header of the toolkit or the system.
    bool isForeign(clang::SourceLocation at) const;
};

bool isKernel(const clang::Decl *d);
bool isWritten(const clang::Attr *a); // not clang's own idea
// Marked __device__ (or __host__ __device__) in the source, or a kernel.
bool isDeviceCode(const clang::FunctionDecl *f);
// Runs on the host, for all that its specifiers say; the same function may run on the device, too.
bool isHostCode(const clang::FunctionDecl *f);
// The function that the declaration is in, lambdas left out; NULL: none.
const clang::FunctionDecl *functionAround(const clang::DeclContext *c);
bool hasAnnotation(const clang::Decl *d, llvm::StringRef text);
bool isManaged(const clang::VarDecl *v);
// __device__, __constant__, __managed__ or __shared__ as it is written; NULL: none.
const char *memorySpace(const clang::VarDecl *v);
// In an unnamed namespace that is inline.
bool isInInlineUnnamedNamespace(const clang::Decl *d);
clang::QualType typeOf(const clang::ASTContext &context, const clang::TagDecl *tag);
bool isInitializerList(clang::QualType type); // or a reference to one
std::string quoted(const clang::NamedDecl *d);
std::string quoted(clang::QualType type, const clang::ASTContext &context);

// kernel_declarations.cpp
void checkKernelDeclaration(Checker &c, const clang::FunctionDecl *f);
void checkKernelTemplate(Checker &c, const clang::FunctionTemplateDecl *t);
// kernel_bounds.cpp
void checkBounds(Checker &c, const clang::FunctionDecl *f);
// grid_constants.cpp
void checkGridConstants(Checker &c, const clang::FunctionDecl *f);
void checkInstantiations(Checker &c, const clang::FunctionTemplateDecl *t);
// memory_space_variables.cpp
void checkVariable(Checker &c, const clang::VarDecl *v);
void checkDecltype(Checker &c, const clang::Expr *e);
void checkTemplateArgument(Checker &c, const clang::Expr *e);
// kernel_template_arguments.cpp
void checkKernelReference(Checker &c, const clang::FunctionDecl *f, clang::SourceLocation at);
// extended_lambda_places.cpp, extended_lambda_captures.cpp
void checkLambda(Checker &c, const clang::LambdaExpr *l);
bool isExtendedClosure(const Checker &c, const clang::CXXRecordDecl *closure);
void checkLambdaCaptures(Checker &c, const clang::LambdaExpr *l, const std::string &kind);
// deduced_results.cpp
void checkDeducedResult(Checker &c, const clang::FunctionDecl *f, const clang::FunctionDecl *around,
                        clang::SourceLocation at);
void checkResultTrait(Checker &c, clang::TemplateSpecializationTypeLoc type,
                      const clang::FunctionDecl *around);
// constant_warp_size.cpp
void checkConstantName(Checker &c, const clang::DeclRefExpr *e); // in a constant expression
// long_double.cpp: of an expression in the function `around`
void checkLongDouble(Checker &c, const clang::Expr *e, const clang::FunctionDecl *around);
// launches.cpp
void checkLaunch(Checker &c, const clang::CUDAKernelCallExpr *e, const clang::FunctionDecl *around);
// atomic_functions.cpp
void checkAtomicInitialiser(Checker &c, const clang::FunctionDecl *f, clang::SourceLocation at);
void checkAtomicArgument(Checker &c, const clang::Expr *e);
void checkAtomicScope(Checker &c, const clang::CallExpr *e);
// host_tables.cpp
void deferHostTables(clang::Decl *d); // before code is generated for it, in the device's pass
// abi_pragma.cpp
void addAbiPragma(clang::CompilerInstance &compiler);
// bodies.cpp: they are called for each function whose body begins, before the body is read
using BodyWatcher = void (*)(clang::FunctionDecl *);
using BodyWatchers = llvm::SmallVector<BodyWatcher, 2>;
void watchBodies(clang::CompilerInstance &compiler, BodyWatchers watchers);
// late_defaults.cpp: before the source is read
void acceptLateDefaults(clang::CompilerInstance &compiler, BodyWatchers &watchers);
// intrinsic_names.cpp
void hideIntrinsicNames(clang::CompilerInstance &compiler);
// device_operators.cpp: before the source is read
void openOperators(BodyWatchers &watchers);
// host_calls.cpp: before the source is read; relocatable: others may call the code's functions
void acceptHostCalls(clang::CompilerInstance &compiler, bool relocatable, BodyWatchers &watchers);
// Marks the host's functions in it. Where device code names one, clang declares it, or makes code
// of what was defined in a class: the mark is how pass_plugin.cpp knows it.
void leaveToHost(clang::Decl *d);
// compiler_macros.cpp: `own`: a folder whose headers see them, as those of the system do
void hideCompilerMacros(clang::CompilerInstance &compiler, llvm::StringRef own);
// constexpr_calls.cpp
void checkConstexprCall(Checker &c, const clang::FunctionDecl *f, const clang::FunctionDecl *around,
                        clang::SourceLocation at);

// Uses of the host's constants as objects, by the functions of the device that they stand in.
class HostConstants {
  public:
    struct Node {
        const clang::FunctionDecl *body = nullptr;
        std::vector<std::pair<const clang::VarDecl *, clang::SourceLocation>> uses;
        std::vector<const clang::FunctionDecl *> calls;
    };
    void addBody(Checker &c, const clang::FunctionDecl *f);
    void addVariable(Checker &c, const clang::VarDecl *v);
    void report(Checker &c);

  private:
    std::map<const clang::FunctionDecl *, Node> nodes;
    Node initialisers; // of the device's variables
};

// Calls onTag for each class and enumeration of a type, those around it and its template arguments
// among them, once each; onTemplate for template arguments that are templates. Either ends the walk
// by false.
class TypeParts {
    const clang::ASTContext &context;
    llvm::SmallPtrSet<const clang::TagDecl *, 8> seen;
    bool visitTag(const clang::TagDecl *tag);

  public:
    std::function<bool(const clang::TagDecl *)> onTag;
    std::function<bool(const clang::TemplateDecl *)> onTemplate;

    TypeParts(const clang::ASTContext &context, std::function<bool(const clang::TagDecl *)> onTag)
        : context(context), onTag(std::move(onTag)) {
    }
    bool visitType(clang::QualType type);
    bool visitArguments(llvm::ArrayRef<clang::TemplateArgument> list);
};

bool isHidden(const clang::Decl *d); // a private or protected member
// "the type 'S', which is local to a function" of the host, or which is a hidden member; "":
// neither.
std::string localOrHidden(const Checker &c, const clang::TagDecl *tag);
std::string localOrHiddenPart(const Checker &c, clang::QualType type);

} // namespace rules

#endif
