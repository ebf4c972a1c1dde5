"""Random instructions out of the instruction table (src/isa/instructions.py): any pointwise form with
any of its modifiers, written as PTX over registers that the caller names."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "isa"))
try:
    import instructions  # noqa: E402
except ImportError:  # beside this file, where the generator runs away from the source tree
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import instructions  # noqa: E402

BITS = {"pred": 1, "b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16,
        "e4m3x2": 16, "e5m2x2": 16, "e2m1x2": 8, "e2m3x2": 16, "e3m2x2": 16, "s2f6x2": 16, "ue8m0x2": 16, "e2m1x4": 16,
        "e4m3x4": 32, "e5m2x4": 32, "e2m3x4": 32, "e3m2x4": 32, "b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32,
        "bf16x2": 32, "u16x2": 32, "s16x2": 32, "tf32": 32, "b64": 64, "u64": 64, "s64": 64,
        "f64": 64, "b128": 128}
FORMATS = ("f16", "bf16", "f32", "f64", "f16x2", "bf16x2", "tf32", "e4m3x2", "e5m2x2", "e2m1x2", "e2m3x2",
           "e3m2x2", "s2f6x2", "ue8m0x2", "e2m1x4", "e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4")
WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
# Addresses and carry chains are made elsewhere.
APART = ("cvta", "isspacep", "mapa", "getctarank", "addc", "subc", "madc")
SELECTORS = {"sel": lambda r: r.choice(["b0", "b1", "b2", "b3", "h0", "h1"]),
             "hsel": lambda r: "h" + "".join(r.choice("0123") for _ in range(2)),
             "bsel": lambda r: "b" + "".join(r.choice("01234567") for _ in range(4)),
             "hmask": lambda r: r.choice(["h0", "h1", "h10"]),
             "bmask": lambda r: "b" + r.choice([m for m in (
                 "".join(c for k, c in enumerate("3210") if bits >> k & 1) for bits in range(1, 16))])}


def choices(form, name):
    spec = form["slots"].get(name, instructions.SLOTS.get(name, name))
    words = list(spec) if isinstance(spec, dict) else spec.split()
    if "vec(" in form["text"]:  # there are no registers for the elements of a b16
        words = [w for w in words if w != "b16"]
    words = [w for w in words if w != "e2m1x2"]  # nor for bytes
    if name == "vec":  # nor four of each type
        words = ["v2"]
    return words


def families():
    """Opcode -> its forms, of those that compute one result from registers."""
    found = {}
    pointwise = {o["name"] for o in instructions.OPS if o["klass"] == "pointwise"}
    for f in instructions.FORMS:
        opcode = f["text"].split(" ")[0]
        if f["op"] in pointwise and f["op"] not in APART and ".cc" not in opcode:
            found.setdefault(f["op"], []).append(f)
    return found


FAMILIES = families()
VIDEO = [o for o in FAMILIES if o.startswith("v")]
PLAIN = [o for o in FAMILIES if not o.startswith("v")]
# What programs are made of comes more often.
COMMON = ["add", "sub", "mul", "mad", "fma", "and", "or", "xor", "shl", "shr", "setp", "selp", "cvt", "mov",
          "min", "max", "mov.pack", "mov.unpack", "slct", "set"]


class Instruction:
    """One instruction: text, and what it writes: [(register, type)]."""

    def __init__(self, text, written, computes):
        self.text, self.written, self.computes = text, written, computes


def modifiers(rng, form, head):
    """The opcode with its modifiers, and the types that stand among them."""
    out, types = "", []
    for m in re.finditer(r"(\{?)\.([\w:.]+?)(\}?)(?=[{.]|$)", head):
        optional, name = m.group(1), m.group(2)
        if name == "xorsign" or name == "abs":
            continue
        words = choices(form, name)
        if words == [name] and optional and rng.random() < 0.7:
            continue
        if words != [name] and optional and rng.random() < 0.5:
            continue
        word = rng.choice(words)
        is_type = all(w in BITS for w in words)
        if is_type:
            types.append(word)
        out += "." + word
    return out, types


def split_head(text):
    head, _, operands = text.partition(" ")
    at = re.match(r"\w+", head).end()
    return head[:at], head[at:], operands


def vector_of(rng, ty):
    """Count and type of the elements that make up a register of type ty."""
    n = rng.choice([k for k in (2, 4) if BITS[ty] // k >= 16])
    return n, "b%d" % (BITS[ty] // n)


class Maker:
    """The caller gives source(type, relaxed) and target(type, relaxed): text of an operand."""

    def __init__(self, rng, source, target):
        self.rng, self.source, self.target = rng, source, target

    def instruction(self):
        r = self.rng
        k = r.random()
        family = r.choice(COMMON if k < 0.6 else PLAIN if k < 0.93 else VIDEO)
        form = r.choice(FAMILIES[family])
        return self.of_form(form)

    def of_form(self, form):
        r = self.rng
        opcode, head, operands = split_head(form["text"])
        xorsign = "xorsign" in head and r.random() < 0.3
        mods, types = modifiers(r, form, re.sub(r"\{\.xorsign\.abs\}", "", head))
        if xorsign:  # it stands before the type
            mods = mods[:mods.rindex(".")] + ".xorsign.abs" + mods[mods.rindex("."):]
        ty = types[0] if types else self.fixed_type(mods)
        ty2 = types[1] if len(types) > 1 else ty
        if not types or (len(types) == 1 and "ty2" in form["t"].values()):
            ty, ty2 = self.types_of(mods, ty)
        written, texts, extra = [], [], None
        operands = operands.replace("{, ", ", ?").replace("{|", "|?")
        for index, piece in enumerate(p.strip() for p in operands.split(",")):
            if piece and ".vec." in form["text"]:
                texts.append(self.elements(int(mods[2]), index, ty, written))
            elif piece:
                texts.append(self.operand(form, piece, index, ty, ty2, written))
        del extra
        computes = form["op"] not in ("mov", "selp", "slct", "mov.pack", "mov.unpack") and \
            any(t in FORMATS for t in (ty, ty2))
        return Instruction("%s%s %s;" % (opcode, mods, ", ".join(texts)), written, computes)

    def elements(self, n, index, ty, written):
        """Elements of mov.v2 and its kind, each of type ty."""
        if index:
            return "{%s}" % ", ".join(self.source(ty, False, True) for _ in range(n))
        names = self.target(ty, False, n)
        written += [(x, ty) for x in names]
        return "{%s}" % ", ".join(names)

    def fixed_type(self, mods):
        named = [w for w in mods.split(".") if w in BITS]
        return named[0] if named else "b32"

    def types_of(self, mods, ty):
        """Types in the opcode's own text, as in cvt.rnd.f32.f64: the first two."""
        named = [w for w in mods.split(".") if w in BITS]
        return (named[0], named[1]) if len(named) > 1 else (named[0] if named else ty,) * 2

    def type_of(self, form, name, ty, ty2):
        rule = form["t"].get(name, "pred" if name == "p" else "ty")
        return {"ty": ty, "ty2": ty2, "wide": WIDE.get(ty, ty)}.get(rule, rule)

    def operand(self, form, piece, index, ty, ty2, written):
        r, relaxed = self.rng, form["relaxed"]
        if piece.startswith("vec("):
            n, element = vector_of(r, ty)
            if index == 0:
                names = self.target(element, False, n)
                written += [(x, element) for x in names]
            else:
                names = [self.source(element, False, True) for _ in range(n)]
            return "{%s}" % ", ".join(names)
        if piece.startswith("four("):
            t = self.type_of(form, piece[5:-1], ty, ty2)
            return "{%s}" % ", ".join(self.source(t, relaxed, False) for _ in range(4))
        negative = ""
        if piece.startswith("{-}"):
            piece, negative = piece[3:], ""
        part = ""
        m = re.match(r"(\w+)(\{?)\.(\w+)\}?$", piece)
        if m:
            piece = m.group(1)
            if not m.group(2) or r.random() < 0.6:
                part = "." + SELECTORS[m.group(3)](r)
        if "|" in piece:
            return self.pair(form, piece, ty, ty2, written)
        if piece.startswith("{!}"):
            return r.choice(["", "!"]) + self.source("pred", False, True)
        if piece.startswith("imm"):
            return "%d" % r.randrange(256)
        t = self.type_of(form, piece, ty, ty2)
        if index == 0 and piece in "dp":
            name = self.target(t, relaxed, 1)[0]
            written.append((name, t))
            return name + part
        return negative + self.source(t, relaxed, bool(part)) + part

    def pair(self, form, piece, ty, ty2, written):
        first, second = piece.split("|")
        optional = second.startswith("?")
        second = second.lstrip("?").rstrip("}")
        types = (self.type_of(form, first, ty, ty2), form["t"].get(second, "pred"))
        if optional and self.rng.random() < 0.6:
            name = self.target(types[0], False, 1)[0]
            written.append((name, types[0]))
            return name
        if types[0] == types[1]:
            names = self.target(types[0], False, 2)
        else:
            names = [self.target(t, False, 1)[0] for t in types]
        written += list(zip(names, types))
        return "|".join(names)
