#!/usr/bin/env python3
"""table.py SOURCE BUILD: an instruction that lacks a function is not built. Adds one to a copy of the table,
whole and without one of its functions, and looks at what gen_isa.py says and, where it says nothing, the C
compiler."""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

source, build = sys.argv[1:]
FORM = 'form("toy.type d, a, b", type=B3264, sem="d = (a ^ b) >> 1;")\n'
OP = 'family("bits")\nop("toy", "pointwise", %s)\n'
failures = 0


def generate(folder, text):
    """(exit status and messages of gen_isa.py, the folder of what it has made)"""
    isa, out = os.path.join(folder, "isa"), os.path.join(folder, "gen/isa")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(source, "src/isa"), isa)
    os.makedirs(out)
    with open(os.path.join(isa, "instructions.py"), "a") as table:
        table.write(text)
    run = subprocess.run([sys.executable, "-B", os.path.join(isa, "gen_isa.py"), out],
                         capture_output=True, text=True)
    return run.returncode, run.stderr, os.path.join(folder, "gen")


def compile_error(name, gen):
    """What the compiler says of a file of the build, with these generated headers; "" for nothing."""
    path = os.path.join(source, name)
    with open(os.path.join(build, "compile_commands.json")) as f:
        entry = next(e for e in json.load(f) if e["file"] == path)
    words, keep, skip = shlex.split(entry["command"]), [], False
    for word in words:
        if skip or word in ("-c", "-o"):
            skip = not skip and word == "-o"
        elif word != "-I" + os.path.join(build, "gen"):
            keep.append(word)
    run = subprocess.run(keep + ["-I" + gen, "-fsyntax-only", "-w"], cwd=entry["directory"],
                         capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def expect(what, there, said):
    global failures
    if not there:
        failures += 1
        print("%s: %s" % (what, said or "nothing was said"))


with tempfile.TemporaryDirectory() as folder:
    whole = 'check="t=tt", emit="pw_logic"'
    status, said, gen = generate(folder, OP % whole + FORM)
    expect("a whole instruction", status == 0, said)
    for name in ("src/ir/validate_inst.c", "src/ir/interp/interp_exec.c"):
        expect(name + " with a whole instruction", not compile_error(name, gen), "does not compile")

    for lacks, text, message in (
            ("a rule", OP % 'emit="pw_logic"' + FORM, "toy has no validator rule"),
            ("an emitter", OP % 'check="t=tt"' + FORM, "toy has no emitter"),
            ("semantics", OP % whole + FORM.replace(', sem="d = (a ^ b) >> 1;"', ""),
             "toy has a form without semantics"),
            ("a form", OP % whole, "toy has a form without semantics")):
        status, said, _ = generate(folder, text)
        expect("without " + lacks, status != 0 and message in said, said)

    # Named, but not written.
    for text, name in (
            ('check="toy", emit="pw_logic"', "src/ir/validate_inst.c"),
            ('check="t=tt", emit="pw_toy"', "src/codegen/pointwise/pointwise.c"),
            ('check="t=tt", emit="cg_emit_toy"', "src/codegen/emit/cg_pure.c"),
            ('check="t=tt", emit="pw_logic", run="toy"', "src/ir/interp/interp_exec.c")):
        if "codegen" in name and not os.path.exists(os.path.join(build, "lib/libkudzu-jit.so")):
            continue  # a build without the compiler
        status, said, gen = generate(folder, OP % text + FORM)
        expect(text, status == 0, said)
        said = compile_error(name, gen)
        expect("%s with %s" % (name, text), "toy" in said, said)
print("%d failures" % failures)
sys.exit(failures > 0)
