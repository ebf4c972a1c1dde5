// `#pragma nv_abi` (guide 10.43), which has arguments.
#include "rules.h"

#include <clang/Lex/Pragma.h>
#include <clang/Lex/Preprocessor.h>

using namespace clang;

namespace rules {

namespace {

class AbiPragma : public PragmaHandler {
  public:
    AbiPragma() : PragmaHandler("nv_abi") {
    }
    void HandlePragma(Preprocessor &lexer, PragmaIntroducer, Token &name) override {
        DiagnosticsEngine &engine = lexer.getDiagnostics();
        SourceLocation at = name.getLocation();
        Token t;
        lexer.LexUnexpandedToken(t);
        if (t.is(tok::eod))
            engine.Report(at, engine.getCustomDiagID(DiagnosticsEngine::Error,
                                                     "#pragma nv_abi needs an argument"));
        else
            lexer.DiscardUntilEndOfDirective();
    }
};

} // namespace

void addAbiPragma(CompilerInstance &compiler) {
    compiler.getPreprocessor().AddPragmaHandler(new AbiPragma);
}

} // namespace rules
