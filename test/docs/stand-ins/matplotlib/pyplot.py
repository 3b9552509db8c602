"""The part of pyplot that examples/notebook uses. It checks that each line has a value for each time."""

import sys


class Axes:
    drawn = 0

    def plot(self, x, y, **looks):
        assert len(x) == len(y) > 0
        Axes.drawn += 1

    def stackplot(self, x, parts, labels):
        assert len(parts) == len(labels)
        for part in parts:
            self.plot(x, part)

    def axhline(self, y, **looks):
        float(y)

    def set_ylabel(self, text):
        assert text

    def legend(self, **looks):
        assert Axes.drawn


def subplots(count=1, **looks):
    axes = [Axes() for _ in range(count)]
    return object(), axes[0] if count == 1 else axes


def show():
    print(f"{Axes.drawn} lines", file=sys.stderr)
