"""test_options.py KUDZU KERNELS.CU: options of `kudzu check`, and the formats of its reports."""
import json, os, re, shutil, subprocess, sys, tempfile
import xml.etree.ElementTree as ElementTree

kudzu, source = sys.argv[1:]
failures = []


def expect(what, good, output=""):
    if not good:
        failures.append(what)
        print("FAILED: %s\n%s" % (what, output))


def run(*arguments, command=(kudzu, "check")):
    p = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=600)
    return p.returncode, p.stdout, p.stderr


def line_of(bug):
    return next(n for n, text in enumerate(open(source), 1)
                if "// bug:" in text and bug in text.split("// bug:")[1].split())


def read(path):
    with open(path) as f:
        return f.read()


def look_sarif(program, folder):
    """What code scanning requires: version, a driver, rules, and in results a rule, a message, a place."""
    path = folder + "/o.sarif"
    status, out, err = run("--format", "sarif", "--output", path, program, "overrun", "bug")
    expect("text beside SARIF", status == 1 and "Invalid __global__ write" in out, out + err)
    log = json.loads(read(path))
    driver = log["runs"][0]["tool"]["driver"]
    results = log["runs"][0]["results"]
    expect("SARIF's head", log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"] and driver["name"], log)
    expect("SARIF's results", len(results) == 1, log)
    result = results[0]
    place = result["locations"][0]["physicalLocation"]
    expect("a result", result["ruleId"] in {rule["id"] for rule in driver["rules"]} and result["level"] == "error"
           and result["message"]["text"].startswith("Invalid __global__ write"), result)
    expect("a result's place", place["region"]["startLine"] == line_of("overrun")
           and place["artifactLocation"]["uri"].endswith("kernels.cu"), place)
    run("--format=sarif", "--output=" + path, program, "overrun")
    expect("SARIF without results", json.loads(read(path))["runs"][0]["results"] == [])


def look_formats(program, folder):
    path = folder + "/o"
    run("--format", "json", "--output", path, program, "barrier", "bug")
    log = json.loads(read(path))
    expect("JSON", log["errors"] == len(log["reports"]) >= 1 and log["reports"][0]["kind"] == "race"
           and len(log["reports"][0]["sites"]) == 2, log)
    run("--format", "junit", "--output", path, program, "overrun", "bug")
    suite = ElementTree.parse(path).getroot().find("testsuite")
    cases = suite.findall("testcase")
    expect("JUnit", int(suite.get("tests")) == len(cases) and suite.get("failures") == "1"
           and len(suite.findall("testcase/failure")) == 1, read(path))
    run("--save", path, "--xml", program, "overrun", "bug")
    record = ElementTree.parse(path).getroot().find("record")
    expect("XML", record.findtext("kind") == "Precise" and record.findtext("where/line") == str(line_of("overrun"))
           and record.findtext("who/threadIdx/x") == "72", read(path))
    status, out, err = run("--suppressions", path, program, "overrun", "bug")
    expect("suppressed by XML", status == 0 and "ERROR SUMMARY: 0 errors" in out, out + err)
    status, out, err = run("--format", "json", program, "overrun", "bug")
    expect("a format on standard output", '"reports"' in out and "=========" not in out, out)


def look_suppressions(program, folder):
    path = folder + "/suppressions"
    for text, suppressed in (("memory", True), ("memory.access *store* kernels.cu # a comment", True),
                             ("race", False), ("* other*", False), ("memory * other.cu", False)):
        with open(path, "w") as f:
            print("# heading\n" + text, file=f)
        status, out, err = run("--suppressions", path, program, "overrun", "bug")
        expect("suppression '%s'" % text, status == (0 if suppressed else 1), out + err)
    with open(path, "w") as f:
        print("a b c d", file=f)
    status, out, err = run("--suppressions", path, program)
    expect("a suppression with four words", status == 1 and ":1: expected KIND" in err, err)
    status, out, err = run("--suppressions", folder + "/none", program)
    expect("no such file", status == 1 and "/none" in err, err)


def look_choices(program, folder):
    for options, found in ((["--kernel-name", "kns=store"], True), (["--kernel-name=regex=^st"], True),
                           (["--kernel-name", "kne=_Z5storePii"], True), (["--kernel-name", "kernel_name=stor"], False), (["--kernel-regex", "kns=other"], False),
                           (["--kernel-name-exclude", "kns=other,kns=store"], False),
                           (["--launch-skip", "1"], False), (["--launch-count", "1"], True),
                           (["--tool", "race"], False), (["--tool=memcheck", "--tool=racecheck"], True)):
        status, out, err = run(*options, program, "overrun", "bug")
        expect("%s" % options, status == found and ("Invalid" in out) == found, out + err)
    status, out, err = run("--error-exitcode", "0", program, "overrun", "bug")
    expect("the program's status", status == 0 and "SUMMARY: 1 error" in out, out + err)
    status, out, err = run("--unwritten-copies", "yes", program, "lists")
    expect("unwritten copies", status == 1 and "Uninitialized memory is copied to the host" in out
           and "ERROR SUMMARY: 1 error\n" in out, out + err)
    status, out, err = run("-q", program, "overrun")
    expect("quiet", out == "done\n", out + err)
    os.environ["NAME"] = "log"
    status, out, err = run("--log-file", folder + "/%q{NAME}.%%", "--prefix", "#", program, "overrun", "bug")
    expect("a log file", out == "done\n" and "# ERROR SUMMARY: 1 error\n" in read(folder + "/log.%"), out + err)
    status, out, err = run("--print-limit", "1", program, "barrier", "bug")
    found = int(re.search(r"ERROR SUMMARY: (\d+)", out)[1])
    expect("the limit of reports", out.count("Race reported") == 1 and (found == 1 or "only the first 1" in out), out)


def look_refusals(program):
    for options, words in ((["--tol", "memory"], "did you mean --tool?"), (["--tool", "some"], "is no tool"),
                           (["--leak-check", "some"], "one of full|no"), (["--generate-coredump"], "is not supported"),
                           (["--kernel-name", "x"], "kernels are chosen by"), (["--kernel-name", "regex=("], "regular"),
                           (["--print-limit", "-1"], "takes a number"), (["--xml"], "--xml needs --save"),
                           (["--output", "x"], "--log-file takes the text"), (["--log-file", "%x"], "no other %")):
        status, out, err = run(*options, program)
        expect("%s is refused" % options, status == 1 and words in err, out + err)
    status, out, err = run("--padding", "32", program, "overrun")
    expect("a note of what has no effect", status == 0 and "--padding has no effect" in err, err)


def look_progress(program):
    sleep = ("/bin/sh", "-c", "sleep 2.5; exec %s overrun bug" % program)
    status, out, err = run("--progress", "1", *sleep)
    lines = re.findall(r"^=+ (\d+) seconds so far, (\d+) errors$", err, re.M)
    expect("progress", len(lines) >= 2 and lines[0][1] == "0" and int(lines[0][0]) < int(lines[1][0])
           and "so far" not in out and "Invalid __global__ write" in out, out + err)


def look_sanitizer(program):
    link = os.path.join(os.path.dirname(kudzu), "compute-sanitizer")
    status, out, err = run(program, "overrun", "bug", command=(link,))
    expect("compute-sanitizer", status == 0 and out.startswith("========= COMPUTE-SANITIZER\n")
           and " in kernels.cu:%d\n" % line_of("overrun") in out and "ERROR SUMMARY: 1 error\n" in out, out + err)
    status, out, err = run("--tool", "racecheck", "--error-exitcode", "3", program, "barrier", "bug", command=(link,))
    expect("racecheck", status == 3 and re.search(r"RACECHECK SUMMARY: (\d+) hazards? displayed \(\1 error", out), out)
    status, out, err = run(program, "barrier", "bug", command=(link,))
    expect("memcheck alone", "ERROR SUMMARY: 0 errors" in out, out)
    for options, told in ((["--tool", "initcheck"], True), (["--tool", "initcheck", "--unwritten-reads", "no"], False), ([], False)):
        status, out, err = run(*options, program, "padded", command=(link,))
        expect("padding that is read, %s" % options, ("Uninitialized __global__ memory read of size" in out) == told, out)
    status, out, err = run("--unwritten-reads", "yes", "--tool", "init", program, "padded")
    expect("padding that is read", status == 1 and "Uninitialized __global__ memory read of size" in out, out)
    status, out, err = run("--unwritten-reads", "yes", "--tool", "memory", program, "padded")
    expect("reads need init", status == 0 and "0 errors" in out, out)
    status, out, err = run("/bin/true", command=(link,))
    expect("no CUDA", status == 1 and "before first instrumented API call" in out, out)
    status, out, err = run("--require-cuda-init=no", "/bin/false", command=(link,))
    expect("the program's status", status == 1 and "Target application returned an error" in out, out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CUDA_CACHE_PATH"] = folder + "/cache"
        program = folder + "/kernels"
        subprocess.run([kudzu, "cc", "-lineinfo", "-O3", source, "-o", program], check=True)
        look_sarif(program, folder)
        look_formats(program, folder)
        look_suppressions(program, folder)
        look_choices(program, folder)
        look_refusals(program)
        look_progress(program)
        os.mkdir(folder + "/a.cuda")
        shutil.copy(program, folder + "/a.cuda/kernels.cu_1")
        status, out, err = run(folder + "/a.cuda/kernels.cu_1", "overrun")
        expect("a program whose path looks like a source's", status == 0 and "0 errors" in out, out + err)
        look_sanitizer(program)
    return len(failures) > 0


sys.exit(main())
