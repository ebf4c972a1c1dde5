"""The instruction table: every PTX instruction form that kudzu knows, once.

op(name, klass, ...) declares an opcode; gen_isa.py makes isa_ops.h and isa_table.c from it.
An opcode's enum name is ISA_OP_ + its name in capitals, dots turned to underscores.
"""

OPS = []


def op(name, klass, can_block=False, side_effect=False, commutative=False, doc=""):
    OPS.append(dict(name=name, klass=klass, can_block=can_block, side_effect=side_effect,
                    commutative=commutative, doc=doc))


# Integer, floating point, logic: the pointwise ones
for n in ("add mul mul24 min max and or xor").split():
    op(n, "pointwise", commutative=True)
for n in ("sub addc subc mad madc mad24 sad div rem abs neg not cnot popc clz bfind brev bfe bfi "
          "bmsk szext fns dp4a dp2a fma rcp sqrt rsqrt sin cos lg2 ex2 tanh testp copysign "
          "set setp selp slct shl shr shf lop3 prmt cvt cvt.pack mov mov.pack mov.unpack "
          "cvta isspacep").split():
    op(n, "pointwise")
# Machine state
for n in "sreg symaddr param phi".split():
    op(n, "source")
# Memory
op("ld", "memory")
op("ldu", "memory")
for n in "st atom red prefetch prefetchu discard applypriority".split():
    op(n, "memory", side_effect=True)
op("alloca", "memory", side_effect=True)
op("stacksave", "memory", side_effect=True)
op("stackrestore", "memory", side_effect=True)
# Control
for n in "bra brx.idx call ret exit trap brkpt unreachable".split():
    op(n, "control", side_effect=True)
op("cbr", "control", side_effect=True)
# Warp
for n in "shfl vote match redux activemask elect".split():
    op(n, "warp", side_effect=True)
op("bar.warp.sync", "warp", side_effect=True)
# Block
for n in "bar.sync bar.arrive bar.red".split():
    op(n, "block", can_block=True, side_effect=True)
# Fences, and what only takes time
for n in "membar fence".split():
    op(n, "fence", side_effect=True)
op("nanosleep", "control", side_effect=True)
op("pmevent", "control", side_effect=True)
