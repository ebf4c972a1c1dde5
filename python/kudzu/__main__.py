"""`python -m kudzu ...` is the command `kudzu ...`."""

import os
import sys

from kudzu import home

if not home():
    sys.exit("kudzu: this package has no compiler; KUDZU_HOME may name the folder of one")
os.execv(os.path.join(home(), "bin", "kudzu"), ["kudzu"] + sys.argv[1:])
