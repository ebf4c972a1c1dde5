// Damaged input: PTX and IR text with random changes. Nothing may crash; what is accepted must
// be valid, must stay valid through the clean-ups, and must survive a round trip as text.
//   fuzz SEED ROUNDS FILE...
#include <stdio.h>
#include <stdlib.h>

#include "ir/simplify.h"
#include "ptx/ast.h"

enum { MAX_TEXT = 1 << 20, MAX_CHANGES = 3 };

static uint64_t state;

static uint32_t random_below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(state >> 33) % n : 0;
}

static const char *const words[] = {".pred",
                                    ".u64",
                                    ".b32",
                                    ".f16x2",
                                    ".shared",
                                    ".param",
                                    ".local",
                                    "%p1",
                                    "%r1",
                                    "%rd1",
                                    "0",
                                    "-1",
                                    "255",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ";",
                                    "@%p",
                                    "ret;",
                                    "bra",
                                    ".v2",
                                    ".v4",
                                    "call",
                                    "mov",
                                    "null",
                                    "undef:b32",
                                    "bb0",
                                    "bb1",
                                    "%0",
                                    "%1",
                                    ":pred",
                                    ":b64",
                                    "phi",
                                    "ret:void",
                                    "loc=1:1",
                                    "99999999999999999999"};

static bool in_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '%' || c == '.';
}

// A random word of the text.
static size_t pick_word(const char *text, size_t len, size_t *end) {
    size_t at = random_below((uint32_t)len);
    while (at < len && !in_word(text[at]))
        at++;
    for (*end = at; *end < len && in_word(text[*end]);)
        ++*end;
    while (at > 0 && in_word(text[at - 1]))
        at--;
    return at;
}

// Puts one of the text's words in the place of another: often still well-formed.
static size_t exchange_words(char *text, size_t len) {
    char word[64];
    size_t from_end, to_end, from = pick_word(text, len, &from_end);
    size_t to = pick_word(text, len, &to_end), n = from_end - from;
    n = n < sizeof word ? n : sizeof word;
    if (len + n >= MAX_TEXT)
        return len;
    memcpy(word, text + from, n);
    memmove(text + to + n, text + to_end, len - to_end);
    memcpy(text + to, word, n);
    return len - (to_end - to) + n;
}

static size_t change(char *text, size_t len) {
    if (random_below(3))
        return exchange_words(text, len);
    uint32_t at = random_below((uint32_t)len), n = 1 + random_below(12);
    const char *word = words[random_below(sizeof words / sizeof *words)];
    size_t w = strlen(word);
    switch (random_below(5)) {
    case 0: // remove
        n = at + n > len ? (uint32_t)(len - at) : n;
        memmove(text + at, text + at + n, len - at - n);
        return len - n;
    case 1: // insert a word
        if (len + w >= MAX_TEXT)
            return len;
        memmove(text + at + w, text + at, len - at);
        memcpy(text + at, word, w);
        return len + w;
    case 2: // overwrite with a word
        memcpy(text + at, word, at + w > len ? len - at : w);
        return len;
    case 3: // copy a piece to another place
        n = at + 8 * n > len ? (uint32_t)(len - at) : 8 * n;
        memmove(text + random_below((uint32_t)(len - n) + 1), text + at, n);
        return len;
    default:
        text[at] = (char)random_below(256);
        return len;
    }
}

static void expect_valid(const struct kir_module *m, const char *when, const char *text,
                         size_t len) {
    struct strbuf err = {0};
    if (!kir_validate(m, &err)) {
        printf("invalid %s:\n%s\n%.*s\n", when, strbuf_str(&err), (int)len, text);
        abort();
    }
    strbuf_free(&err);
}

static void round_trip(const struct kir_module *m) {
    struct strbuf first = {0}, second = {0}, err = {0};
    kir_print_module(m, &first);
    struct kir_module *again = kir_parse(strbuf_str(&first), first.len, &err);
    if (again)
        kir_print_module(again, &second);
    if (!again || strcmp(strbuf_str(&first), strbuf_str(&second))) {
        printf("round trip: %s\n%s\n----\n%s\n", strbuf_str(&err), strbuf_str(&first),
               strbuf_str(&second));
        abort();
    }
    kir_module_free(again);
    strbuf_free(&first);
    strbuf_free(&second);
    strbuf_free(&err);
}

static bool try_ptx(const char *text, size_t len) {
    struct arena a = {0};
    struct strbuf err = {0};
    struct ptx_module *ast = ptx_parse(&a, text, len, &err);
    struct kir_module *m = ast && ptx_verify(ast, &err) ? kir_from_ptx(ast, &err) : NULL;
    if (!m && !err.len) {
        printf("refused without a message:\n%.*s\n", (int)len, text);
        abort();
    }
    if (m) {
        expect_valid(m, "after lowering", text, len);
        round_trip(m);
        kir_module_free(m);
    }
    arena_free(&a);
    strbuf_free(&err);
    return m != NULL;
}

static bool try_ir(const char *text, size_t len) {
    struct strbuf err = {0};
    struct kir_module *m = kir_parse(text, len, &err);
    bool ok = m && kir_validate(m, &err);
    if (ok) {
        kir_simplify(m);
        expect_valid(m, "after the clean-ups", text, len);
        round_trip(m);
    }
    kir_module_free(m);
    strbuf_free(&err);
    return ok;
}

// The IR text of a PTX file; NULL when it has none.
static char *ir_text(const char *ptx, size_t len) {
    struct arena a = {0};
    struct strbuf err = {0}, out = {0};
    struct ptx_module *ast = ptx_parse(&a, ptx, len, &err);
    struct kir_module *m = ast ? kir_from_ptx(ast, &err) : NULL;
    if (m)
        kir_print_module(m, &out);
    kir_module_free(m);
    arena_free(&a);
    strbuf_free(&err);
    return out.data;
}

static void fuzz_file(const char *path, int rounds, long *accepted) {
    static char original[MAX_TEXT], text[MAX_TEXT + 64];
    FILE *f = fopen(path, "rb");
    size_t len = f ? fread(original, 1, MAX_TEXT / 2, f) : 0;
    if (f)
        fclose(f);
    char *ir = ir_text(original, len);
    for (int r = 0; r < rounds; r++) {
        bool is_ir = ir && r % 2;
        size_t n = is_ir ? strlen(ir) : len;
        n = n > MAX_TEXT / 2 ? MAX_TEXT / 2 : n;
        memcpy(text, is_ir ? ir : original, n);
        for (uint32_t k = 1 + random_below(MAX_CHANGES); k && n; k--)
            n = change(text, n);
        *accepted += is_ir ? try_ir(text, n) : try_ptx(text, n);
    }
    free(ir);
}

int main(int argc, char **argv) {
    long accepted = 0;
    if (argc < 4)
        return 2;
    state = strtoull(argv[1], NULL, 0);
    for (int k = 3; k < argc; k++)
        fuzz_file(argv[k], atoi(argv[2]), &accepted);
    printf("%ld of %d accepted\n", accepted, atoi(argv[2]) * (argc - 3));
    return accepted == 0;
}
