"""Makes, from instructions.py: ops/*.h (opcodes), isa_table.c (opcode facts), isa_grammar.c (forms),
isa_eval.c (reference semantics), and with a second argument the page docs/ptx.md."""
import io
import os
import re
import sys

from instructions import FAMILIES, FORMS, LITERALS, OPS, SLOTS, UNSUPPORTED

CLASS = dict(pointwise="POINTWISE", source="SOURCE", memory="MEMORY", control="CONTROL",
             warp="WARP", block="BLOCK", fence="FENCE", composite="COMPOSITE", check="CHECK",
             **{"async": "ASYNC"})
TYPES = """pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64
tf32 e4m3x2 e5m2x2 u16x2 s16x2 e2m1x2 e2m3x2 e3m2x2 ue8m0x2 e2m1x4 e4m3x4 e5m2x4 e2m3x4
e3m2x4 s2f6x2""".split()
MODE_FIELDS = {"ISA_SZEXT": "mode"}
HEAD = "// Generated from src/isa/instructions.py by gen_isa.py.\n"


def enum(name):
    return "ISA_OP_" + name.upper().replace(".", "_")


def type_enum(t):
    return "ISA_" + t.upper()


# ---- Reading a form's notation -------------------------------------------------------------
class Slot:
    def __init__(self, name, optional, choices):
        self.name, self.optional, self.choices = name, optional, choices  # [(word, "f=v" or "")]
        self.is_type = all(c in TYPES and not v for c, v in choices)


def words(spec):
    return list(spec.items()) if isinstance(spec, dict) else [(w, LITERALS.get(w, ""))
                                                              for w in spec.split()]


def read_slots(form, text):
    slots = []
    for optional, name in re.findall(r"(\{?)\.([\w:]+)\}?", text):
        # {.a.b} is one optional group only for .xorsign.abs
        spec = form["slots"].get(name, SLOTS.get(name, name))
        slots.append(Slot(name, bool(optional), words(spec)))
    return slots


def split_modifiers(form):
    head = form["text"].split(" ")[0]
    head = head.replace(".xorsign.abs", ".xorsign_abs")
    opcode = re.match(r"\w+", head).group(0)
    return opcode, head[len(opcode):]


class Operand:
    def __init__(self, text, optional, index, form, has_vec):
        self.optional = optional
        self.part, self.part_optional, self.negatable = "NONE", False, text.startswith("{-}")
        text = whole = text.removeprefix("{-}")
        m = re.match(r"(\w+)(\{?)\.(\w+)\}?$", text)
        if m:
            text, self.part_optional, self.part = m.group(1), bool(m.group(2)), m.group(3).upper()
        self.pair = None
        self.pair_optional = False
        rules = form["t"]
        m = re.match(r"(\w+)(\{\|(\w+)\}|\|(\w+))$", text)
        if m:
            self.name, self.kind = m.group(1), "PAIR"
            self.pair, self.pair_optional = m.group(3) or m.group(4), bool(m.group(3))
        elif text.startswith("vec("):
            self.name = text[4:-1]
            self.kind = "VEC_DST" if self.name == "d" else "VEC_SRC"
        elif text.startswith("frag("):
            self.name = text[5:-1]
            self.kind = "FRAG_DST" if index == 0 else "FRAG_SRC"
        elif text.startswith("four(") or text.startswith("lone("):
            self.name, self.kind = text[5:-1], "SRC"
        elif text.startswith("select("):
            self.name, self.kind = text[7:-1], "SELECT"
        elif text.startswith("geom("):
            self.name, self.kind = text[5:-1], "GEOM"
        elif text == "[a; c]":
            self.name, self.kind = "c", "TEX"
        elif text == "[tm; c]":
            self.name, self.kind = "c", "TENSOR"
        elif text.startswith("["):
            self.name, self.kind = text[1:-1], "ADDR"
        elif text == "im2col":
            self.name, self.kind = text, "IM2COL"
        elif text.startswith("{!}"):
            self.name, self.kind = text[3:], "PRED"
        else:
            self.name = text
            special = {"tgt": "LABEL", "tlist": "TARGETS", "call": "CALL", "cache-policy": "POLICY"}
            self.kind = special.get(text) or ("IMM" if text.startswith("imm") else
                                              "DST" if index == 0 and text in "dp" else "SRC")
        self.rule = rules.get(self.name, "pred" if self.name == "p" else "ty")
        self.pair_rule = rules.get(self.pair, "pred")
        if self.kind == "ADDR":
            self.rule = "u64"
        if self.kind == "TEX":
            self.rule = rules.get("c", "ty2")
        if self.kind == "TENSOR":
            self.rule = "s32"
        if self.kind in ("IM2COL", "SELECT"):
            self.rule = "u16"
        if self.kind == "POLICY":
            self.rule = "b64"
        self.vec = (whole.startswith("four(") or whole.startswith("lone(") or
                    has_vec and self.name in "db" and self.kind in ("DST", "SRC", "PAIR"))
        self.is_dst = self.kind in ("DST", "PAIR", "VEC_DST", "FRAG_DST")


def read_operands(form, slots):
    text = form["text"].partition(" ")[2].replace("{.unified}", "").replace("{, ", ", ?")
    text = text.replace("[a, c]", "[a; c]").replace("[tm, c]", "[tm; c]")
    text = re.sub(r"(\?[\w()-]+)\}", r"\1", text)
    has_vec = any(s.name == "vec" for s in slots)
    out = []
    for i, piece in enumerate(p.strip() for p in text.split(",")):
        if piece:
            out.append(Operand(piece.lstrip("?"), piece.startswith("?"), i, form, has_vec))
    return out


def read_form(form):
    opcode, modifiers = split_modifiers(form)
    form["opcode"] = opcode
    form["read_slots"] = read_slots(form, modifiers)
    form["operands"] = read_operands(form, form["read_slots"])


# ---- isa_grammar.c ---------------------------------------------------------------------------
def rule_c(rule):
    return {"ty": "ISA_RULE_TYPE", "ty2": "ISA_RULE_TYPE2", "wide": "ISA_RULE_WIDE"}.get(
        rule) or type_enum(rule)


def set_c(setting):
    if not setting:
        return "{ISA_FIELD_NONE, 0}"
    field, value = setting.split("=")
    return "{offsetof(struct isa_mods, %s), %s}" % (field, value)


class Pool:
    """Arrays that several forms share."""

    def __init__(self, ctype, prefix):
        self.ctype, self.prefix, self.names, self.text = ctype, prefix, {}, []

    def add(self, rows):
        if not rows:
            return "NULL"
        body = ", ".join(rows)
        if body not in self.names:
            self.names[body] = "%s%d" % (self.prefix, len(self.names))
            self.text.append("static const %s %s[] = {%s};\n" % (self.ctype, self.names[body],
                                                                 body))
        return self.names[body]


def slot_rows(form, choices):
    rows, types = [], 0
    for s in form["read_slots"]:
        entries = []
        for word, setting in s.choices:
            value = set_c(setting)
            if s.is_type:
                value = "{%s, %s}" % (["ISA_FIELD_TYPE", "ISA_FIELD_TYPE2",
                                       "ISA_FIELD_NONE"][min(types, 2)], type_enum(word))
            text = "xorsign.abs" if word == "xorsign_abs" else word
            entries.append('{"%s", %s}' % (text, value))
        types += s.is_type
        rows.append("{%s, %d, %s}" % (str(s.optional).lower(), len(entries),
                                      choices.add(entries)))
    return rows


def grammar(out):
    choices = Pool("struct isa_choice", "choices")
    slots = Pool("struct isa_slot", "slots")
    operands = Pool("struct isa_operand_form", "operands")
    sets = Pool("struct isa_set", "sets")
    rows = []
    for f in sorted(FORMS, key=lambda f: f["opcode"]):
        ops = ['{"%s", ISA_OPERAND_%s, %s, %s, %s, %s, %s, ISA_PART_%s, %s, %s}' % (
            o.name, o.kind, rule_c(o.rule), rule_c(o.pair_rule), str(o.optional).lower(),
            str(o.pair_optional).lower(), str(o.vec).lower(), o.part,
            str(o.part_optional).lower(), str(o.negatable).lower()) for o in f["operands"]]
        initial = [set_c(s) for s in f["sets"].split()]
        shown = re.sub(r"lone\(([\w-]+)\)", r"\1", f["text"])
        shown = re.sub(r"select\((\w)\)", r"{byte-\1, thread-\1}", shown)
        rows.append('    {"%s", "%s", %s, %d, %d, %s, %d, %d, %d, %s, %s, %s},\n' % (
            shown, f["opcode"], enum(f["op"]), f["ptx"], f["sm"], str(f["relaxed"]).lower(),
            len(f["read_slots"]), len(ops), len(initial),
            slots.add(slot_rows(f, choices)), operands.add(ops), sets.add(initial)))
    out.write(HEAD + '#include "isa/grammar.h"\n\n#include <string.h>\n\n#include "isa/matrix.h"\n')
    include_ops(out)
    out.write('#include "isa/tensor_memory.h"\n\n')
    for pool in (choices, slots, operands, sets):
        out.write("".join(pool.text))
    out.write("\nconst struct isa_form isa_forms[] = {\n" + "".join(rows) + "};\n")
    out.write("const size_t isa_form_count = sizeof isa_forms / sizeof *isa_forms;\n\n")
    out.write("static const struct {\n    const char *word, *what;\n} later[] = {\n")
    for word, what in sorted(UNSUPPORTED, key=lambda u: -len(u[0])):
        out.write('    {"%s", "%s"},\n' % (word, what))
    out.write("""};

const char *isa_unsupported(const char *text, size_t len) {
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        size_t n = strlen(later[i].word);
        if (len >= n && !memcmp(text, later[i].word, n) && (len == n || text[n] == '.'))
            return later[i].what;
    }
    return NULL;
}
""")


# ---- isa_eval.c ------------------------------------------------------------------------------
def mask(types):
    return "(%s)" % " | ".join("1ull << %s" % type_enum(t) for t in types)


def conditions(form):
    """C conditions under which the form's semantics hold: types first, then required modifiers."""
    types = [s for s in form["read_slots"] if s.is_type]
    conds = []
    if types:
        conds.append("(1ull << ty & %s)" % mask([c for c, _ in types[0].choices]))
    if len(types) > 1:
        conds.append("(1ull << ty2 & %s)" % mask([c for c, _ in types[1].choices]))
    mods = []
    for s in form["read_slots"]:
        settings = [v for _, v in s.choices if v]
        if s.optional or s.is_type or not settings:
            continue
        tests = " || ".join("m->%s == %s" % tuple(v.split("=")) for v in settings)
        mods.append("(%s)" % tests)
    return conds, mods


def has_half(form, field):
    return any(v.startswith(field) for s in form["read_slots"] for _, v in s.choices)


def operand_load(name, index, rule, packed):
    ty = {"ty": "ty", "ty2": "ty2", "wide": "isa_type_wide(ty)"}.get(rule) or type_enum(rule)
    if packed and rule in ("ty", "ty2"):
        return "load_half(&src[%d], h, %s)" % (index, ty)
    return "load(&src[%d], %s)" % (index, ty)


def semantics(form):
    """The C block that evaluates one form."""
    if form["raw"]:
        return "        %s\n        return true;\n" % form["sem"]
    srcs = [o for o in form["operands"] if not o.is_dst]
    dst = form["operands"][0]
    sem = form["sem"]
    lines = ["for (unsigned h = 0; h < halves; h++) {"]
    for i, o in enumerate(srcs):
        if re.search(r"\b%s\b" % o.name, sem):
            lines.append("    uint64_t %s = halves == 2 ? %s : %s;" % (
                o.name, operand_load(o.name, i, o.rule, True),
                operand_load(o.name, i, o.rule, False)))
    if re.search(r"\bcin\b", sem):
        lines.append("    bool cin = src[%d].u64[0] & 1;" % len(srcs))
    if "cout" in sem:
        lines.append("    bool cout;")
    lines.append("    uint64_t %s;" % dst.name)
    if dst.pair and re.search(r"\b%s\b" % dst.pair, sem):
        lines.append("    uint64_t %s;" % dst.pair)
    lines.append("    " + sem)
    ty = {"ty": "ty", "ty2": "ty2", "wide": "isa_type_wide(ty)"}.get(dst.rule) or type_enum(
        dst.rule)
    lines.append("    store(dst, h, halves, %s, %s);" % (ty, dst.name))
    if dst.pair and re.search(r"\b%s\b" % dst.pair, sem):
        lines.append("    store(&dst[1], 0, 1, ISA_PRED, %s);" % dst.pair)
    if "cout" in sem:
        lines.append("    if (m->cc)\n                store(&dst[1], 0, 1, ISA_PRED, cout);")
    lines.append("}")
    lines.append("return true;")
    return "".join("        %s\n" % line for line in lines)


LOCALS = (("F", "enum fp_format F = fp_format_of(ty);"),
          ("F2", "enum fp_format F2 = fp_format_of(ty2);"),
          ("N", "unsigned N = isa_type_bits(ty) / halves;"),
          ("SGN", "bool SGN = isa_type_is_signed(ty);"),
          ("SGN2", "bool SGN2 = isa_type_is_signed(ty2);"))


def eval_function(out, name, forms):
    merged = {}
    for f in forms:
        types, mods = conditions(f)
        merged.setdefault((semantics(f), tuple(mods)), []).append(types)
    body = ""
    # Forms with more required modifiers come first: add.cc before add.
    for (code, mods), types in sorted(merged.items(), key=lambda e: -len(e[0][1])):
        cases = sorted(set(" && ".join(t) for t in types))
        cond = " || ".join("(%s)" % c for c in cases if c)
        cond = " && ".join((["(%s)" % cond] if cond else []) + list(mods))
        body += "    if (%s) {\n%s    }\n" % (cond, code) if cond else code
    out.write("static bool op_%s(EVAL_ARGS) {\n" % name.replace(".", "_"))
    if "halves" in body:
        out.write("    const unsigned halves = is_packed(ty) ? 2 : 1;\n")
    for local, decl in LOCALS:
        if re.search(r"\b%s\b" % local, body):
            out.write("    const %s\n" % decl)
    out.write(body + "    return false;\n}\n\n")


EVAL_HEAD = """
#include "isa/approx.h"
#include "isa/bitops.h"
#include "isa/eval_ops.h"
#include "isa/fp.h"
#include "isa/grammar.h"
#include "isa/video.h"

#define EVAL_ARGS                                                                                  \\
    enum isa_type ty, enum isa_type ty2, const struct isa_mods *m, const union isa_bits *src,      \\
        union isa_bits *dst

static inline bool is_packed(enum isa_type t) {
    return t == ISA_F16X2 || t == ISA_BF16X2 || t == ISA_U16X2 || t == ISA_S16X2;
}

static inline uint64_t extend(uint64_t v, unsigned bits, bool is_signed) {
    unsigned shift = 64 - bits;
    return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

static inline uint64_t load(const union isa_bits *b, enum isa_type t) {
    return extend(b->u64[0], isa_type_bits(t), isa_type_is_signed(t));
}

static inline uint64_t load_half(const union isa_bits *b, unsigned h, enum isa_type t) {
    return extend(b->u16[h], 16, isa_type_is_signed(t));
}

static inline void store(union isa_bits *b, unsigned h, unsigned halves, enum isa_type t,
                         uint64_t v) {
    v = extend(v, isa_type_bits(t) / halves, false);
    *b = (union isa_bits){.u64 = {h ? b->u64[0] | v << 16 : v}};
}

"""


def evaluator(out):
    out.write(HEAD + '#include "isa/isa.h"\n')
    include_ops(out)
    out.write(EVAL_HEAD)
    known = []
    for o in OPS:
        forms = [f for f in FORMS if f["op"] == o["name"] and f["sem"]]
        if forms:
            eval_function(out, o["name"], forms)
            known.append(o["name"])
    out.write("bool isa_eval(isa_op op, enum isa_type ty, enum isa_type ty2,\n"
              "              const struct isa_mods *m, const union isa_bits *src,\n"
              "              union isa_bits *dst) {\n    switch (op) {\n")
    for name in known:
        alike = [o["name"] for o in OPS if o["like"] == name]
        out.write("".join("    case %s:\n" % enum(n) for n in [name] + alike))
        out.write("        return op_%s(ty, ty2, m, src, dst);\n" % name.replace(".", "_"))
    out.write("    default:\n        return false;\n    }\n}\n")


# ---- What kernel IR's instructions need: rules/*.inc -------------------------------------------
def is_pure(o):
    return o["klass"] in ("pointwise", "source")


def computed(o):
    """Does the reference semantics of its forms say all?"""
    forms = [f for f in FORMS if f["op"] == o["name"]]
    return o["klass"] == "pointwise" and (o["like"] or forms and all(
        f["sem"] or f["lowered"] for f in forms))


def demand_functions():
    """An opcode of kernel IR that nobody checks, emits or runs is an error."""
    for o in OPS:
        for key, there in (("check", o["check"]), ("emit", o["emit"]), ("run", o["run"] or computed(o))):
            if not there and not o["lowered"]:
                what = {"check": "no validator rule (check=)", "emit": "no emitter (emit=)",
                        "run": "a form without semantics (sem=), and no function of the interpreter (run=)"}
                sys.exit("instructions.py: %s has %s" % (o["name"], what[key]))


def rules(wanted, entry):
    """One line of an array by opcode for each opcode that is wanted."""
    def write(out):
        out.write(HEAD)
        for o in OPS:
            if not o["lowered"] and wanted(o):
                out.write("[%s] = %s,\n" % (enum(o["name"]), entry(o)))
    return write


def check_entry(o):
    return '{"%s", NULL}' % o["check"] if "=" in o["check"] else "{NULL, check_%s}" % o["check"]


RULES = {
    "check": rules(lambda o: True, check_entry),
    "emit_pointwise": rules(lambda o: o["emit"].startswith("pw_"), lambda o: o["emit"]),
    "emit_pure": rules(is_pure, lambda o: "cg_emit_pointwise" if o["emit"].startswith("pw_")
                       else o["emit"]),
    "emit": rules(lambda o: not is_pure(o), lambda o: o["emit"]),
    "run": rules(lambda o: o["run"] and o["klass"] != "warp",
                 lambda o: "{%s, %s}" % (o["run"], str(o["run"].startswith("go_")).lower())),
    "run_warp": rules(lambda o: o["klass"] == "warp", lambda o: o["run"]),
}


def all_ops(out):
    out.write(HEAD + "// For tables of all opcodes.\n")
    include_ops(out)


# ---- Types of results -------------------------------------------------------------------------
def result_rules(o):
    """The rules of a pointwise opcode's first result: with the modifier that makes it wide, and without."""
    found = {"wide": set(), "": set()}
    for f in FORMS:
        if f["op"] == o["name"] and f["sem"] and f["operands"][0].is_dst:
            rule = f["operands"][0].rule
            found["wide" if rule == "wide" else ""].add(rule)
    return found["wide"], found[""]


def result_types(out):
    out.write("\nenum isa_type isa_result_type(isa_op op, enum isa_type ty, const struct isa_mods *m) {\n"
              "    switch (op) {\n")
    values = {}
    for o in OPS:
        wide, other = result_rules(o) if computed(o) and not o["like"] else (set(), set())
        assert len(other) <= 1 or o["name"] == "mov.unpack", (o["name"], other)
        rule = next(iter(other), "ty")
        value = "ty" if rule in ("ty", "pred") else type_enum(rule)
        if wide:
            value = "m->half == ISA_WIDE ? isa_type_wide(ty) : " + value
        if value != "ty":
            values.setdefault(value, []).append(o["name"])
    for value, names in values.items():
        out.write("".join("    case %s:\n" % enum(n) for n in names))
        out.write("        return %s;\n" % value)
    out.write("    default:\n        return ty;\n    }\n}\n")


# ---- ops/*.h, isa_table.c, docs/ptx.md -------------------------------------------------------
FAMILY_SIZE, FAMILIES_MOST = 64, 32


def number_ops():
    """Each family has a range of numbers of its own: what is added to one leaves the others alone."""
    assert len(FAMILIES) <= FAMILIES_MOST and {o["family"] for o in OPS} <= set(FAMILIES)
    for n, family in enumerate(FAMILIES):
        ops = [o for o in OPS if o["family"] == family]
        assert ops and len(ops) < FAMILY_SIZE, family
        for k, o in enumerate(ops):
            o["number"] = n * FAMILY_SIZE + k + 1


def family_header(family):
    def write(out):
        guard = "KUDZU_ISA_OPS_%s_H" % family.upper()
        out.write(HEAD + "#ifndef %s\n#define %s\nenum {\n" % (guard, guard))
        if family == "core":
            out.write("    ISA_OP_NONE,\n")
        for o in OPS:
            if o["family"] == family:
                out.write("    %s = %d,\n" % (enum(o["name"]), o["number"]))
        if family == "core":
            out.write("    ISA_OP_COUNT = %d // beyond all families\n" % (FAMILY_SIZE * FAMILIES_MOST))
        out.write("};\n#endif\n")
    return write


def include_ops(out):
    for family in FAMILIES[1:]:
        out.write('#include "isa/ops/%s.h"\n' % family)


def table(out):
    out.write(HEAD + '#include "isa/grammar.h"\n')
    include_ops(out)
    out.write('#include "isa/result_type.h"\n')
    out.write("\nconst struct isa_op_info isa_op_info[ISA_OP_COUNT] = {\n"
              '    [ISA_OP_NONE] = {"none", ISA_CLASS_CONTROL, false, false, false},\n')
    for o in OPS:
        out.write('    [%s] = {"%s", ISA_CLASS_%s, %s, %s, %s},\n' % (
            enum(o["name"]), o["name"], CLASS[o["klass"]],
            *(str(o[k]).lower() for k in ("can_block", "side_effect", "commutative"))))
    out.write("};\n")
    result_types(out)


def choices_of(form):
    """The choices that a form leaves, as the page shows them: (slot, words)."""
    found = []
    for s in form["read_slots"]:
        names = [w for w, _ in s.choices]
        if names != [s.name]:
            found.append((s.name, " ".join("." + n for n in shortened(names))))
    return found


def shortened(names):
    """Names that count in one number, such as m64n8k16 to m64n256k16, become the first two and the last."""
    numbers = [[int(n) for n in re.findall(r"\d+", name)] for name in names]
    alike = {re.sub(r"\d+", "#", name) for name in names}
    steps = {tuple(b - a for a, b in zip(x, y)) for x, y in zip(numbers, numbers[1:])}
    if len(names) < 6 or len(alike) > 1 or len(steps) > 1:
        return names
    return names[:2] + [".."] + names[-1:]


def common_choices(forms):
    """Of each slot the long list that most forms have: it stands before the table."""
    seen = {}
    for form in forms:
        for slot, words in choices_of(form):
            seen.setdefault(slot, []).append(words)
    most = {slot: max(words, key=words.count) for slot, words in seen.items()}
    return {slot: words for slot, words in most.items()
            if seen[slot].count(words) > 1 and len(words) > 40}


def choices_note(form, common):
    return "; ".join(".%s = %s" % (slot, words) for slot, words in choices_of(form)
                     if common.get(slot) != words)


def page(out):
    out.write("# PTX instructions\n\n"
              "Generated from src/isa/instructions.py; do not edit. Every form that kudzu accepts, in "
              "the notation of the PTX manual, with the least PTX version and target. The "
              "approximate instructions are defined in src/isa/approx.h.\n\n"
              "Words that can stand in the place of a name such as .type are given in the column "
              "`where`; what stands before a table holds for all of its forms whose column has nothing else. "
              "`.a .b .. .z` are all from .a to .z in steps as from .a to .b.\n\n")
    for o in OPS:
        forms = [f for f in FORMS if f["op"] == o["name"]]
        if not forms:
            continue
        common = common_choices(forms)
        out.write("## %s\n\n%s.%s\n\n" % (o["name"], o["doc"],
                                         " Can block." if o["can_block"] else ""))
        for slot, words in common.items():
            out.write("- .%s = %s\n" % (slot, words))
        out.write("%s| form | where | PTX | sm |\n| --- | --- | --- | --- |\n" %
                  ("\n" if common else ""))
        for f in forms:
            text = re.sub(r"(?:vec|frag|four)\((\w)\)", r"{\1, ...}", f["text"])
            text = re.sub(r"lone\(([\w-]+)\)", r"\1", text)
            text = re.sub(r"select\((\w)\)", r"{byte-\1, thread-\1}", text).replace("|", "\\|")
            out.write("| `%s` | %s | %.1f | %s |\n" % (text, choices_note(f, common), f["ptx"] / 10,
                                                      f["sm"] or ""))
        out.write("\n")
    out.write("## Not supported yet\n\nThese are refused with an error that names the instruction "
              "and its line.\n\n| instructions | what |\n| --- | --- |\n")
    for what in dict.fromkeys(w for _, w in UNSUPPORTED):
        out.write("| %s | %s |\n" % (" ".join("`%s`" % u for u, w in UNSUPPORTED if w == what),
                                     what))


def write_if_changed(path, write):
    """What has not changed stays as it is, so that nothing is built again for it."""
    out = io.StringIO()
    write(out)
    try:
        with open(path, encoding="utf-8") as old:
            if old.read() == out.getvalue():
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as new:
        new.write(out.getvalue())


def main():
    for f in FORMS:
        read_form(f)
    number_ops()
    demand_functions()
    where = sys.argv[1]
    os.makedirs(where + "/ops", exist_ok=True)
    os.makedirs(where + "/rules", exist_ok=True)
    for name, write in RULES.items():
        write_if_changed("%s/rules/%s.inc" % (where, name), write)
    write_if_changed(where + "/ops/all.h", all_ops)
    for family in FAMILIES:
        write_if_changed("%s/ops/%s.h" % (where, family), family_header(family))
    for name, write in (("isa_table.c", table), ("isa_grammar.c", grammar),
                        ("isa_eval.c", evaluator)):
        write_if_changed(where + "/" + name, write)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            page(out)


main()
