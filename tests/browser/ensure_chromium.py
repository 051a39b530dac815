"""Find the Chromium that the browser tests drive; as root on Debian, install it when there is none.

Run as a script by `make test` and `make bench`; `find_chromium` is what the tests themselves ask.
Playwright's own browser download is not used: Debian's package comes from where the machine's others do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping

#: An explicit path wins over anything on PATH.
VARIABLE = "AGENTX_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
ADVICE = (
    "No Chromium was found, and the browser tests need one. Install it with `apt-get install chromium` "
    f"(as root) or set {VARIABLE} to the path of a Chromium or Chrome."
)


def find_chromium(environ: Mapping[str, str] = os.environ) -> str | None:
    """Path of the browser to drive, or None when there is none."""
    chosen = environ.get(VARIABLE)
    if chosen:
        return shutil.which(chosen)
    path = environ.get("PATH")
    return next((found for name in NAMES if (found := shutil.which(name, path=path))), None)


def can_install() -> bool:
    """Debian's package can be installed here: apt-get is present and we are root."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install() -> None:
    """Install Debian's Chromium with a font that has the glyphs the pages use.

    Raises:
        subprocess.CalledProcessError: apt-get failed; its own words are on stderr.
    """
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environ)
    packages = ["chromium", "fonts-dejavu-core"]
    command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)


def main() -> int:
    """Exit status 0 with the browser's path printed, 1 with advice on stderr."""
    if find_chromium() is None and can_install():
        print("No Chromium found: installing Debian's package", flush=True)
        try:
            install()
        except subprocess.CalledProcessError as error:
            print(f"{' '.join(error.cmd)} failed with status {error.returncode}.", file=sys.stderr)
    found = find_chromium()
    print(found or ADVICE, file=sys.stdout if found else sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
