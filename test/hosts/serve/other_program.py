"""The program is another one, which writes no messages."""

import sys

from stepline import Stepline, SteplineClosed

try:
    Stepline([sys.executable, "-c", "print('hello'); import time; time.sleep(600)"])
except SteplineClosed as error:
    print(f'["closed", "{error}"]')
