// A name of the host's that clang for x86 knows everywhere, where g++ has it from a header: a
// program that does not include one may have a function of its own by that name.
#include "rules.h"

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

using namespace clang;

namespace rules {

namespace {

class IntrinsicNames : public PPCallbacks {
    Preprocessor &lexer;
    IdentifierInfo *name = nullptr;
    unsigned builtin = 0; // what the name is where a header has brought it

    // Precompiled headers may have brought it, too.
    bool isIncluded() const {
        for (StringRef guard :
             {"__IA32INTRIN_H", "__X86GPRINTRIN_H", "__IMMINTRIN_H", "__X86INTRIN_H"})
            if (lexer.isMacroDefined(guard))
                return true;
        return false;
    }

    void forget() {
        name = lexer.getIdentifierInfo("__rdtsc");
        builtin = isIncluded() ? 0 : name->getBuiltinID();
        if (builtin)
            name->clearBuiltinID();
    }

  public:
    explicit IntrinsicNames(Preprocessor &lexer) : lexer(lexer) {
    }
    // The first file is entered when clang has set all names up, and before it reads any.
    void FileChanged(SourceLocation at, FileChangeReason reason, SrcMgr::CharacteristicKind,
                     FileID) override {
        if (!name)
            forget();
        if (!builtin || reason != EnterFile)
            return;
        StringRef path = lexer.getSourceManager().getFilename(at);
        for (StringRef header : {"ia32intrin.h", "x86gprintrin.h", "immintrin.h", "x86intrin.h"})
            if (path.ends_with(header))
                name->setBuiltinID(builtin);
    }
};

} // namespace

void hideIntrinsicNames(CompilerInstance &compiler) {
    Preprocessor &lexer = compiler.getPreprocessor();
    lexer.addPPCallbacks(std::make_unique<IntrinsicNames>(lexer));
}

} // namespace rules
