"""What the tests of engines share."""

from spark import spark  # noqa: F401 - here once, so that there is one session
