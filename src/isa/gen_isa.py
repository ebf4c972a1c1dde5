"""Makes isa_ops.h (enum) and isa_table.c (opcode facts) from instructions.py."""
import sys

from instructions import OPS

CLASS = dict(pointwise="POINTWISE", source="SOURCE", memory="MEMORY", control="CONTROL",
             warp="WARP", block="BLOCK", fence="FENCE")


def enum(name):
    return "ISA_OP_" + name.upper().replace(".", "_")


def main(out_dir):
    with open(out_dir + "/isa_ops.h", "w") as f:
        f.write("// Generated from src/isa/instructions.py by gen_isa.py.\n")
        f.write("#ifndef KUDZU_ISA_OPS_H\n#define KUDZU_ISA_OPS_H\nenum isa_op {\n    ISA_OP_NONE,\n")
        for o in OPS:
            f.write("    %s,\n" % enum(o["name"]))
        f.write("    ISA_OP_COUNT\n};\n#endif\n")
    with open(out_dir + "/isa_table.c", "w") as f:
        f.write("// Generated from src/isa/instructions.py by gen_isa.py.\n#include \"isa/isa.h\"\n\n")
        f.write("const struct isa_op_info isa_op_info[ISA_OP_COUNT] = {\n")
        f.write("    [ISA_OP_NONE] = {\"none\", ISA_CLASS_CONTROL, false, false, false},\n")
        for o in OPS:
            f.write("    [%s] = {\"%s\", ISA_CLASS_%s, %s, %s, %s},\n" % (
                enum(o["name"]), o["name"], CLASS[o["klass"]],
                *(str(o[k]).lower() for k in ("can_block", "side_effect", "commutative"))))
        f.write("};\n")


main(sys.argv[1])
