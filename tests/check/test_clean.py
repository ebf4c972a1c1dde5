"""test_clean.py KUDZU SOURCES...: programs that are right, under all tools of `kudzu check`: each ends with 0, and
nothing is told of it. A line "// options:" at the head has what the compiler needs."""
import re, subprocess, sys

kudzu, sources = sys.argv[1], sys.argv[2:]
failures = 0

for source in sources:
    with open(source) as f:
        options = re.findall(r"^// options: (.*)", f.read(), re.M)
    p = subprocess.run([kudzu, "check", *" ".join(options).split(), source], capture_output=True, text=True, errors="replace", timeout=600)
    clean = p.returncode == 0 and re.search(r"^========= ERROR SUMMARY: 0 errors$", p.stdout, re.M)
    if not clean:
        failures += 1
        print(f"FAILED: {source} ends with {p.returncode}\n{p.stdout}{p.stderr}")
if not sources:
    print("FAILED: no programs")
sys.exit(1 if failures or not sources else 0)
