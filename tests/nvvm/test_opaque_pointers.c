// Typed pointers of LLVM's text become `ptr`; everything else stays.
#include <stdio.h>
#include <string.h>

#include "nvvm/opaque_pointers.h"

static int failures;

static void becomes(const char *text, const char *expected) {
    struct strbuf out = {0};
    opaque_pointers_rewrite(text, strlen(text), &out);
    if (strcmp(strbuf_str(&out), expected) && ++failures)
        fprintf(stderr, "%s\n  became  %s\n  and not %s\n", text, strbuf_str(&out), expected);
    strbuf_free(&out);
}

static void stays(const char *text) {
    becomes(text, text);
}

static void pointers(void) {
    becomes("%p = load i32, i32* %q", "%p = load i32, ptr %q");
    becomes("i8** %a, i8*** %b", "ptr %a, ptr %b");
    becomes("%struct.S* %a, %\"a { b\"* %b, %0* %c", "ptr %a, ptr %b, ptr %c");
    becomes("{ i32, [4 x i8*] }* %a", "ptr %a");
    becomes("<{ i8, i32 }>* %a, <4 x float>* %b", "ptr %a, ptr %b");
    becomes("void (i32*, ...)* @f", "ptr @f");
    becomes("{ i32, i1 }* (i8*)* @f", "ptr @f");
    becomes("[2 x void ()*] [void ()* @f, void()* @g]", "[2 x ptr] [ptr @f, ptr @g]");
    becomes("call i32 (i8*, ...) @printf(i8* %f)", "call i32 (ptr, ...) @printf(ptr %f)");
    becomes("bitcast (void (i32*)* @k to i8*)", "bitcast (ptr @k to ptr)");
    becomes("metadata i32* %x", "metadata ptr %x");
}

static void address_spaces(void) {
    becomes("float addrspace(3)* %a", "ptr addrspace(3) %a");
    becomes("i8* addrspace(3)* %a", "ptr addrspace(3) %a");
    becomes("i8 addrspace(3)** %a", "ptr %a");
    becomes("i8 addrspace(1)* addrspace(3)* %a", "ptr addrspace(3) %a");
    becomes("void (i8 addrspace(4)*) addrspace(1)* %a", "ptr addrspace(1) %a");
    becomes("@g = addrspace(3) global [0 x i8] undef", "@g = addrspace(3) global [0 x i8] undef");
}

static void attributes(void) {
    becomes("(%S* byval align 8 %a)", "(ptr byval(%S) align 8 %a)");
    becomes("(%S* align 8 dereferenceable(16) byval %a)",
            "(ptr align 8 dereferenceable(16) byval(%S) %a)");
    becomes("(%S* byval(%S) %a, %T* %b)", "(ptr byval(%S) %a, ptr %b)");
    becomes("(i8* %a, i32 byval)", "(ptr %a, i32 byval)");
    becomes("define void @f([2 x i8*]* sret %r)", "define void @f(ptr sret([2 x ptr]) %r)");
}

static void the_rest(void) {
    stays("define ptr @f(ptr addrspace(3) %p) ; i8* in a comment\n");
    stays("@s = constant [4 x i8] c\"i8*\\00\"");
    stays("call void asm sideeffect \"i8* x\", \"r\"(i32 1)");
    stays("!0 = !{!\"i8*\"}");
    stays("");
    // No LLVM text; what counts is that it ends.
    stays("*");
    stays("\"i8*");
    stays(")*");
    stays("]) addrspace(3)");
    becomes(")> i8*", ")> ptr");
}

int main(void) {
    pointers();
    address_spaces();
    attributes();
    the_rest();
    return failures != 0;
}
