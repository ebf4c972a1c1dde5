// Words that nvcc reads a source without, or in another sense, where clang 19 refuses it:
//
// - `x.f<3>()`, `x.operator()<3>()`, `V<T>::f<3>()` of a dependent x or T, without `template`
//   before the name; `T::type(1)`, without `typename`.
// - `this->member` in a constant expression, of a static member: clang 19 says that `this` has no
//   value there (P2280 came later); it becomes the class's `::member`.
// - `constexpr` of a template's function with a variable that no constant function can have: such
//   a function of a template is none, whatever it is declared as.
// - `constexpr` of a function without specifiers that calls one of the host's: without
//   -expt-relaxed-constexpr it is the host's alone, where clang would choose functions of the
//   device.
// - `extern __shared__ T *p;` for dynamic shared memory, as 5.4.1.2.1 of the guide's edition 13 has
//   it beside `T p[]`, which it becomes (not in relocatable code, where it is a pointer that
//   another file defines).
// - The name of a __shared__ variable in a function, of a class with a constructor or a destructor:
//   nvcc calls neither and warns. The variable becomes a reference to an object of that class in a
//   union, whose members are not initialised. So do all of its declaration; in a macro that
//   declares it, the name there.
// - The first word of a list of attributes behind a function's specifiers (attribute_lists.h).
// - The name of a function template that a call without arguments takes before one with a template
//   parameter pack, f<int>() where there are `template <class> f` and `template <class...> f`: an
//   attribute makes it clang's choice, too.
// - A register's name in an asm statement with operands, "mov.u32 %0, %smid;", which clang wants
//   as "%%smid"; the number of an operand that is not there, in a template that is never used.
// - Two operands of an asm statement without a comma between them, "r"(x) "l"(y).
//
// - `#pragma unroll` as the body of a macro, which nvcc's preprocessor leaves on a line of its own
//   where the macro stands: it becomes _Pragma("unroll").
// - `struct __align__(8) { ... };` without a name, which declares nothing: it gets a `typedef`
//   before it, of which clang warns the same.
// - `static_assert(!&((T *)0)->member, "")`, the offset of a member as a constant, which clang
//   computes, but does not call constant: __builtin_constant_p in a condition makes it so.
//
// clang's messages tell of them, and there is another attempt, in which they are changed on the
// lines where they stand.
#ifndef KUDZU_CC_LENIENT_WORDS_H
#define KUDZU_CC_LENIENT_WORDS_H

#include <stdint.h>

#include "cc/processes/cc.h"

enum lenient_kind {
    LENIENT_TEMPLATE,
    LENIENT_TYPE,
    LENIENT_THIS,
    LENIENT_CONSTANT,
    LENIENT_HOST,
    LENIENT_SHARED,
    LENIENT_UNSET,
    LENIENT_LIST,
    LENIENT_CHOSEN,
    LENIENT_REGISTER,
    LENIENT_OPERAND,
    LENIENT_PRAGMA,
    LENIENT_NAMELESS,
    LENIENT_OFFSET
};

// The nth such word on the line.
struct lenient_word {
    const char *path, *word;
    const char *shown; // the path as clang's message had it
    uint32_t line, column, nth;
    enum lenient_kind kind;
};

struct lenient_words {
    VEC(struct lenient_word) list;
};

struct rewrites;

// Replaces *text, of the file `path`, where `found` names words of it. False: it does not.
bool lenient_words_rewrite(struct arena *arena, char **text, size_t *size,
                           const struct lenient_words *found, const char *path);

// What clang's messages (in files) tell joins `found`. `read`: how the text that clang read differs
// from that of the files. False: there is nothing new.
bool lenient_words_find(struct arena *arena, const cc_strings *diagnostics, bool relaxed_constexpr,
                        const struct rewrites *read, struct lenient_words *found);

// Appends the warnings that nvcc has for them, in clang's form.
void lenient_words_warn(const struct lenient_words *found, struct strbuf *messages);

#endif
