"""Makes headers, tables, answers of what is not built, and documentation from one API description.

Usage: gen_api.py LIBRARY DESCRIPTION OUTPUT-KIND OUTPUT-FILE [NODE [VERSION]]
       (VERSION: of the library or the headers; all functions if it is not said)
       gen_api.py doc DRIVER-DESCRIPTION RUNTIME-DESCRIPTION OUTPUT-FILE
  LIBRARY      driver | runtime | nvml
  OUTPUT-KIND  header    prototypes and the names that stand for ABI names (users include it)
               typedefs  one PFN_<name>_v<version> type a function (users include it)
               decls     every ABI name declared, for the library itself
               bodies    C: per-thread variants and the functions that are not built
               table     C rows API_ENTRY(name, version, per_thread, function), sorted by name
               map       linker version script; NODE names the version, empty: none
               renames   for objcopy: what has another name in a library of VERSION
  doc          the page of both libraries, Markdown

The description, one entry a function, in the order in which the manual has them:

  section Memory Management | reason given by what is not built in this section
  # a remark
  CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
      abi _v2  since 3.2  ptds  built
  CUresult cuFoo(CUstream hStream)
      since 12.0  ptsz  not-supported why, in plain English, to the end of the line

The line after a prototype:
  abi _v2        the exported name is <name>_v2; the header makes <name> stand for it
  since 3.2      the version of CUDA that introduced this function
  ptds, ptsz     a second function <abi name>_ptds/_ptsz exists, in which the stream that is not
                 named is the per-thread default stream
  explicit       the plain name keeps its meaning; callers write the ABI name
  old            exported and found by version, not declared for users
  custom         the per-thread variant is written by hand
  until 13.0     runtime libraries and headers from this version of CUDA on do not have it
  plain 13.0     the name without `abi` means this function from this version on: in the runtime's
                 libraries and in headers
  as cuBar_v2    same signature and meaning as cuBar_v2: the body that calls it is generated
  device         also callable in device code (declared with KUDZU_API_DEVICE)
  optional NAME  this parameter, a pointer, may be NULL; in the management library's refusals others may not
  built | not-supported [reason]
A parameter may have a default for C++: `cudaStream_t stream = 0`.
"""
import re
import sys

PROTOTYPE = re.compile(r"^(?P<ret>[A-Za-z_][\w \*]*?[ \*])(?P<name>\w+)\s*\((?P<params>.*)\)$", re.S)
SETTINGS = {
    "driver": dict(call="CUDAAPI", error="CUresult", not_supported="CUDA_ERROR_NOT_SUPPORTED",
                   internal="__CUDA_API_VERSION_INTERNAL", ptds="__CUDA_API_PTDS",
                   ptsz="__CUDA_API_PTSZ", include='"kudzu/driver_types_13.h"\n#include "kudzu/driver_types_v1.h"', prefix="cu",
                   title="Driver API"),
    "runtime": dict(call="CUDARTAPI", error="cudaError_t", not_supported="cudaErrorNotSupported",
                    internal="__CUDART_API_VERSION_INTERNAL", ptds="__CUDART_API_PTDS",
                    ptsz="__CUDART_API_PTSZ", include='"runtime/types_v13.h"', prefix="cuda",
                    title="Runtime API"),
    "nvml": dict(call="", error="nvmlReturn_t", not_supported="NVML_ERROR_NOT_SUPPORTED",
                 internal="__NVML_API_VERSION_INTERNAL", include='"nvml.h"', prefix="nvml",
                 refusal='"nvml/nvml.h"', title="Management library"),
}
PER_THREAD_SINCE = 7000


class Entry:
    pass


def fail(line, message):
    sys.exit("API description, line %d: %s" % (line, message))


def number(version):
    major, minor = version.split(".")
    return int(major) * 1000 + int(minor) * 10


def parse_params(text, line):
    text = " ".join(text.split())
    if text in ("", "void"):
        return []
    params = []
    for part in text.split(","):
        part, _, default = (x.strip() for x in part.partition("="))
        m = re.match(r"^(.*[ \*])(\w+)$", part)
        if not m:
            fail(line, "parameter without a name: " + part)
        params.append((m.group(1).strip(), m.group(2), default))
    return params


def parse_attributes(e, text, line, reason):
    words = text.split()
    i = 0
    e.abi, e.since, e.variant, e.state, e.reason = "", None, "", None, ""
    e.target, e.until, e.plain, e.optional = "", None, None, []
    e.explicit = e.old = e.custom = e.device = False
    while i < len(words):
        w = words[i]
        if w == "abi":
            i += 1
            e.abi = words[i]
        elif w == "since":
            i += 1
            e.since = number(words[i])
        elif w == "until":
            i += 1
            e.until = number(words[i])
        elif w == "plain":
            i += 1
            e.plain = number(words[i])
        elif w == "as":
            i += 1
            e.target, e.state = words[i], "built"
        elif w == "optional":
            i += 1
            e.optional.append(words[i])
        elif w in ("ptds", "ptsz"):
            e.variant = w
        elif w in ("explicit", "old", "custom", "device"):
            setattr(e, w, True)
        elif w == "built":
            e.state = w
        elif w == "not-supported":
            e.state = w
            e.reason = " ".join(words[i + 1:]) or reason
            break
        else:
            fail(line, "unknown word: " + w)
        i += 1
    if e.since is None or e.state is None:
        fail(line, "'since' and a state are required")
    if e.state != "built" and not e.reason:
        fail(line, "what is not supported needs a reason")
    e.symbol = e.name + e.abi


def parse(path):
    sections, entries, proto, reason = [], None, "", ""
    for number, raw in enumerate(open(path), 1):
        line = raw.split("#")[0].rstrip()
        if not line.strip():
            continue
        if line.startswith("section "):
            title, _, reason = (x.strip() for x in line[8:].partition("|"))
            entries = []
            sections.append((title, entries))
        elif proto.endswith(")"):
            m = PROTOTYPE.match(proto)
            if not m:
                fail(number, "not a prototype: " + proto)
            e = Entry()
            e.ret, e.name = m.group("ret").strip(), m.group("name")
            e.params = parse_params(m.group("params"), number)
            parse_attributes(e, line, number, reason)
            entries.append(e)
            proto = ""
        else:
            proto = (proto + " " + line.strip()).strip()
    seen = set()
    for _, section in sections:
        for e in section:
            if e.symbol in seen:
                fail(0, "twice: " + e.symbol)
            seen.add(e.symbol)
    return sections


def join(kind, name):
    return kind + name if kind.endswith("*") else kind + " " + name


def parameter_list(e, defaults=False):
    return ", ".join(join(t, n) + (" KUDZU_API_DEFAULT(%s)" % d if d and defaults else "")
                     for t, n, d in e.params) or "void"


def prototype(e, s, name, defaults=False):
    return "%s%s%s(%s)" % ("KUDZU_API_DEVICE " if e.device and defaults else "",
                           join(e.ret, ""), s["call"] + " " + name,
                           parameter_list(e, defaults))


def all_entries(sections):
    return [e for _, section in sections for e in section]


def comment(f, path):
    f.write("// Generated from src/api/%s by gen_api.py.\n" % path.split("/")[-1])


def is_plain(e, version):
    return e.plain is not None and e.plain <= version


def header_entries(sections, version):
    """The functions that headers of a version declare, by section. Later ones are found by
    cuGetProcAddress and have PFN types: programs for older versions may define their names."""
    renamed = {e.name for e in all_entries(sections) if is_plain(e, version)}
    shown = []
    for title, section in sections:
        some = [e for e in section if not e.old and e.since <= version and
                not (e.until and e.until <= version) and
                (e.explicit or e.name not in renamed or is_plain(e, version))]
        shown.append((title, some))
    return shown


def header_names(e, s, version):
    """The name by which headers declare a function, and the one that libraries export."""
    symbol = exported_name(e, s, version)
    return (e.symbol if e.explicit and not is_plain(e, version) else e.name), symbol


def gen_header(f, s, sections, version):
    """What user code sees: plain names that stand for ABI names, then prototypes."""
    sections = header_entries(sections, version)
    f.write("#ifdef __cplusplus\n#define KUDZU_API_DEFAULT(x) = x\n#else\n"
            "#define KUDZU_API_DEFAULT(x)\n#endif\n#ifndef KUDZU_API_DEVICE\n"
            "#define KUDZU_API_DEVICE\n#endif\n\n")
    f.write("#ifndef %s\n" % s["internal"])
    for e in all_entries(sections):
        plain, symbol = header_names(e, s, version)
        if e.variant:
            f.write("#define %s %s(%s)\n" % (plain, s[e.variant], symbol))
        elif plain != symbol:
            f.write("#define %s %s\n" % (plain, symbol))
    f.write("#endif\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n#ifndef %s\n" % s["internal"])
    host_only = False # programs of NVRTC may define such names themselves
    for title, section in sections:
        if not section:
            continue
        f.write("\n// %s\n" % title)
        for e in section:
            if s["library"] == "runtime" and host_only == e.device:
                f.write("#ifndef __CUDACC_RTC__\n" if not host_only else "#endif\n")
                host_only = not host_only
            # In headers a structure has its own name, whichever version it is of.
            declared = prototype(e, s, header_names(e, s, version)[0], True)
            f.write(declared.replace("_v13 ", " ") + ";\n")
    f.write("#endif\n" if host_only else "")
    f.write("#endif\n\n#ifdef __cplusplus\n}\n#endif\n#undef KUDZU_API_DEFAULT\n")


def gen_decls(f, s, sections):
    f.write("#ifndef %s\n#error \"for the library itself\"\n#endif\n#include %s\n" %
            (s["internal"], s["include"]))
    f.write("#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
            "#pragma GCC visibility push(default)\n\n")
    for e in all_entries(sections):
        f.write(prototype(e, s, e.symbol) + ";\n")
        if e.variant:
            f.write(prototype(e, s, e.symbol + "_" + e.variant) + ";\n")
    f.write("\n#pragma GCC visibility pop\n#ifdef __cplusplus\n}\n#endif\n")


def gen_typedefs(f, s, sections, version):
    f.write("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n")
    latest = {}
    foreign = {e.name for title, section in sections if title.startswith("OpenGL")
               for e in section}
    for e in all_entries(sections):
        types = ", ".join(t for t, _, _ in e.params) or "void"
        name = "PFN_%s_v%d" % (e.name, e.since)
        f.write("typedef %s(%s *%s)(%s);\n" % (join(e.ret, ""), s["call"], name, types))
        if e.variant:
            f.write("typedef %s(%s *PFN_%s_v%d_%s)(%s);\n" % (
                join(e.ret, ""), s["call"], e.name, max(e.since, PER_THREAD_SINCE), e.variant,
                types))
        # Sections whose functions have headers of their own have plain names there.
        if (not e.explicit or is_plain(e, version)) and e.since <= version and (
                not e.old or e.name in foreign and e.name not in latest):
            latest[e.name] = name
    for name, versioned in latest.items():
        f.write("#define PFN_%s %s\n" % (name, versioned))
    f.write("\n#ifdef __cplusplus\n}\n#endif\n")


HANDLES = ("nvmlUnit_t", "nvmlEventSet_t", "nvmlGpuInstance_t", "nvmlComputeInstance_t", "nvmlGpmSample_t")


def refusal(e, s):
    """The body of what is not supported. The management library first looks at what it was given, as
    programs that try a function without a device expect: initialisation, the device, pointers."""
    if "refusal" not in s:
        return "    api_not_supported(\"%s\", \"%s\");\n" % (e.symbol, e.reason.replace('"', '\\"'))
    device = [n for t, n, _ in e.params if t == "nvmlDevice_t"][:1]
    needed = [n for t, n, _ in e.params if (t.endswith("*") or t in HANDLES) and n not in e.optional]
    text = "    nvmlReturn_t error;\n    if (!%s)\n        return error;\n" % (
        "nvml_enter_device(%s, &error)" % device[0] if device else "nvml_enter(&error)")
    if needed:
        text += "    if (%s)\n        return NVML_ERROR_INVALID_ARGUMENT;\n" % " || ".join("!" + n for n in needed)
    return text


def gen_bodies(f, s, sections):
    f.write("#define %s\n#include \"api/api.h\"\n#include \"api/%s_decls.h\"\n" %
            (s["internal"], s["library"]))
    f.write("#include %s\n\n" % s["refusal"] if "refusal" in s else "\n")
    f.write("#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n\n")
    for e in all_entries(sections):
        if e.state != "built":
            if e.ret != s["error"]:
                sys.exit("%s does not return an error: it must be built" % e.symbol)
            f.write("%s {\n%s    return %s;\n}\n\n" % (
                prototype(e, s, e.symbol), refusal(e, s), s["not_supported"]))
        if e.target:
            f.write("%s {\n    return %s(%s);\n}\n\n" % (
                prototype(e, s, e.symbol), e.target, ", ".join(n for _, n, _ in e.params)))
        if e.variant and not e.custom:
            arguments = ", ".join(n for _, n, _ in e.params)
            f.write("%s {\n    api_per_thread++;\n    %s = %s(%s);\n    api_per_thread--;\n"
                    "    return result;\n}\n\n" % (
                        prototype(e, s, e.symbol + "_" + e.variant), join(e.ret, "result"),
                        e.symbol, arguments))


def gen_table(f, s, sections):
    rows = []
    for e in all_entries(sections):
        rows.append((e.name, e.since, 0, e.symbol))
        if e.variant:
            rows.append((e.name, max(e.since, PER_THREAD_SINCE), 1, e.symbol + "_" + e.variant))
    for row in sorted(rows):
        f.write("API_ENTRY(\"%s\", %d, %d, %s)\n" % row)


def exported_name(e, s, version):
    """The driver has all forms of a function, the runtime those of its version."""
    return e.name if s["library"] == "runtime" and is_plain(e, version) else e.symbol


def names_in(e, s, version):
    """The exported names of an entry in a library of this version, and those in its code."""
    if e.since > version or e.until and e.until <= version:
        return []
    name = exported_name(e, s, version)
    return [(name + x, e.symbol + x) for x in suffixes(e)]


def suffixes(e):
    return ["", "_" + e.variant] if e.variant else [""]


def gen_map(f, s, sections, node, version):
    f.write("%s {\nglobal:\n" % node)
    for e in all_entries(sections):
        for name, _ in names_in(e, s, version):
            f.write("    %s;\n" % name)
    # What the compiler's code calls, which is not part of the documented interface.
    f.write("    __cuda*;\nlocal:\n    *;\n};\n" if s["library"] == "runtime" else
            "local:\n    *;\n};\n")


def gen_renames(f, s, sections, version):
    renamed = [pair for e in all_entries(sections) for pair in names_in(e, s, version)
               if pair[0] != pair[1]]
    taken = {name for name, _ in renamed}
    for name, symbol in renamed:
        f.write("%s %s\n" % (symbol, name))
    for e in all_entries(sections):
        for symbol in (e.symbol + x for x in suffixes(e)):
            if symbol in taken:
                f.write("%s kudzu_earlier_%s\n" % (symbol, symbol))


def state_text(e):
    text = "not supported: " + e.reason
    if e.state == "built":
        text = "built, as `%s`" % e.target if e.target else "built"
    if e.until:
        text += "; not in %d.%d" % (e.until // 1000, e.until % 1000 // 10)
    if e.plain:
        text += "; in %d.%d `%s`" % (e.plain // 1000, e.plain % 1000 // 10, e.name)
    return text


def doc_section(f, title, section):
    f.write("\n### %s\n\n| function | since | per-thread | state |\n|---|---|---|---|\n" % title)
    for e in section:
        f.write("| `%s` | %d.%d | %s | %s |\n" % (
            e.symbol, e.since // 1000, e.since % 1000 // 10,
            "`_%s`" % e.variant if e.variant else "", state_text(e)))


def gen_doc(driver, runtime, out):
    with open(out, "w") as f:
        f.write("# Entry points\n\nEvery function of the [driver API](#driver-api) and of the "
                "[runtime API](#runtime-api) of\nCUDA 13.5, and its state. Headers are those of 12.9 or of 13.0 "
                "([compiler.md](compiler.md#cuda-13)),\n`libcudart.so.12` is 12.9: what came later is "
                "found by `cuGetProcAddress`, and in `libcudart.so.13`.\n\"in 13.0\": the name in version "
                "13's headers. What is not supported exists, returns\n`CUDA_ERROR_NOT_SUPPORTED` or `cudaErrorNotSupported`, and says "
                "why in the error log. \"per-thread\": the suffix of the second\nfunction, for "
                "which the stream that is not named is the per-thread default stream.\n\nGenerated "
                "by `src/api/gen_api.py` from `src/api/driver.api` and `src/api/runtime.api`.\n")
        for library, path in (("driver", driver), ("runtime", runtime)):
            f.write("\n## %s\n" % SETTINGS[library]["title"])
            for title, section in parse(path):
                doc_section(f, title, section)


def main(library, path, kind, out, node="", version="99.0"):
    if library == "doc":
        return gen_doc(path, kind, out)
    s = dict(SETTINGS[library], library=library)
    sections = parse(path)
    with open(out, "w") as f:
        if kind == "map":
            gen_map(f, s, sections, node, number(version))
        elif kind == "renames":
            gen_renames(f, s, sections, number(version))
        else:
            comment(f, path)
            of_version = {"header": gen_header, "typedefs": gen_typedefs}
            if kind in of_version:
                of_version[kind](f, s, sections, number(version))
            else:
                {"decls": gen_decls, "bodies": gen_bodies, "table": gen_table}[kind](f, s, sections)


if __name__ == "__main__":
    main(*sys.argv[1:])
