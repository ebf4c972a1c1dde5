"""Where the source of a test is, by the test's name. Shared by the tests of the documents."""
import glob
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Beginnings of names; `*` stands for what follows.
PLACES = [
    ("cc.language.*", ["tests/cc/language/*.cu"]),
    ("cc.programs", ["tests/cc/test_programs.py", "tests/cc/programs/**"]),
    ("cc.*", ["tests/cc/test_*.py", "tests/cc/test_*.c"]),
    ("language.*", ["tests/language/*.cu"]),
    ("devicelib_groups", ["tests/devicelib/groups.cu"]),
    ("devicelib_wide_groups", ["tests/devicelib/wide_groups.cu"]),
    ("devicelib_half", ["tests/devicelib/half.cpp"]),
    ("devicelib_float_errors", ["tests/devicelib/float_errors.cu"]),
    ("devicelib_device_math", ["tests/devicelib/device_math.cu", "tests/devicelib/math_list.h"]),
    ("devicelib_exact", ["tests/devicelib/exact.c"]),
    ("devicelib_sweep", ["tests/devicelib/sweep*"]),
    ("devicelib_ulp", ["tests/devicelib/ulp.c", "tests/devicelib/reference.c", "tests/devicelib/math_list.h"]),
    ("hostile.*", ["tests/hostile/hostile.cu"]),
    ("simd_*", ["tests/simd/cu/*.cu", "tests/simd/ptx/*.ptx"]),
    ("example_*", ["examples/*.cu"]),
    ("driver.*", ["tests/driver/test_*.c", "tests/driver/*.h"]),
    ("runtime.*", ["tests/runtime/test_*.c", "tests/runtime/test_*.cpp"]),
    ("device.*", ["tests/device/test_*.c"]),
    ("nvrtc.*", ["tests/nvrtc/test_*.c"]),
]


def sources_of(test):
    """The paths from the root of the files that hold the test's source; [] when none is known."""
    for pattern, places in PLACES:
        stem, star, _ = pattern.partition("*")
        if not (test.startswith(stem) if star else test == stem):
            continue
        rest = test[len(stem):].split(".")[0]
        found = []
        for place in places:
            if star:
                place = place.replace("*", rest, 1)
            found += glob.glob(os.path.join(ROOT, place), recursive=True)
        return sorted(os.path.relpath(f, ROOT) for f in found if os.path.isfile(f))
    return []
