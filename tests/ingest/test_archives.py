"""Archives from anywhere: honest ones unpack whole, hostile or damaged ones leave nothing behind."""

from __future__ import annotations

import gzip
import io
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.ingest.archives import Budget, RefusedError, gunzip, is_archive, unpack

Entries = dict[str, bytes]
RUN: Entries = {
    "c16/profile_export.jsonl": b'{"metadata": {}}\n' * 40,
    "c16/command.txt": b"aiperf profile\n",
}


def tar_of(entries: Entries, mode: str = "w:gz") -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as packed:  # type: ignore[call-overload]
        for name, content in entries.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return raw.getvalue()


def tar_with(member: tarfile.TarInfo) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as packed:
        packed.addfile(member)
    return raw.getvalue()


def zip_of(entries: Entries) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return raw.getvalue()


def written(folder: Path) -> Entries:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture
def unpacked(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Unpacks bytes under a name; gives the folder, which is empty after a refusal."""

    def run(name: str, content: bytes, budget: Budget | None = None) -> Path:
        archive, folder = tmp_path / name, tmp_path / "inside"
        archive.write_bytes(content)
        folder.mkdir(exist_ok=True)
        unpack(archive, folder, budget or Budget())
        return folder

    return run


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.tar.gz", tar_of(RUN)),
        ("run.TGZ", tar_of(RUN)),
        ("run.tar", tar_of(RUN, "w:")),
        ("run.tar.bz2", tar_of(RUN, "w:bz2")),
        ("run.tar.xz", tar_of(RUN, "w:xz")),
        ("run.zip", zip_of(RUN)),
        ("named-gz-but-plain.tar.gz", tar_of(RUN, "w:")),
    ],
)
def test_an_honest_archive_unpacks_byte_for_byte(
    name: str, content: bytes, unpacked: Callable[..., Path]
) -> None:
    assert is_archive(name)
    assert written(unpacked(name, content)) == RUN


def test_members_may_be_named_with_a_leading_dot_and_with_backslashes(unpacked: Callable[..., Path]) -> None:
    assert written(unpacked("dot.tar.gz", tar_of({"./a/b.txt": b"1"}))) == {"a/b.txt": b"1"}
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as packed:
        packed.writestr(zipfile.ZipInfo("win\\dows.txt"), b"2")
    assert "win/dows.txt" in written(unpacked("windows.zip", raw.getvalue()))


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "/etc/evil", "//host/evil", "C:\\evil", "..\\evil"]
)
@pytest.mark.parametrize(("suffix", "pack"), [(".tar.gz", tar_of), (".zip", zip_of)])
def test_a_member_that_points_outside_refuses_the_whole_archive(
    name: str, suffix: str, pack: Callable[[Entries], bytes], tmp_path: Path, unpacked: Callable[..., Path]
) -> None:
    before = set(tmp_path.rglob("*"))
    with pytest.raises(RefusedError, match="points outside"):
        unpacked(f"hostile{suffix}", pack({"good.json": b"{}", name: b"bad"}))
    assert set(tmp_path.rglob("*")) - before == {tmp_path / f"hostile{suffix}", tmp_path / "inside"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_is_left_out_and_named(kind: bytes, tmp_path: Path) -> None:
    member = tarfile.TarInfo("latest")
    member.type, member.linkname = kind, "/etc/passwd"
    archive, folder = tmp_path / "links.tar.gz", tmp_path / "inside"
    archive.write_bytes(tar_with(member))
    folder.mkdir()
    assert unpack(archive, folder, Budget()) == ["latest"]
    assert list(folder.iterdir()) == []


def test_a_link_in_a_zip_is_left_out_and_named(tmp_path: Path) -> None:
    raw = io.BytesIO()
    member = zipfile.ZipInfo("latest")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(raw, "w") as packed:
        packed.writestr(member, "/etc/passwd")
    archive, folder = tmp_path / "links.zip", tmp_path / "inside"
    archive.write_bytes(raw.getvalue())
    folder.mkdir()
    assert unpack(archive, folder, Budget()) == ["latest"]
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_a_device_or_pipe_refuses_the_archive(kind: bytes, unpacked: Callable[..., Path]) -> None:
    member = tarfile.TarInfo("dev")
    member.type = kind
    with pytest.raises(RefusedError, match="device or pipe"):
        unpacked("device.tar.gz", tar_with(member))


@pytest.mark.parametrize(("suffix", "pack"), [(".tar.gz", tar_of), (".zip", zip_of)])
def test_an_absurd_ratio_refuses_the_archive(
    suffix: str, pack: Callable[[Entries], bytes], tmp_path: Path, unpacked: Callable[..., Path]
) -> None:
    with pytest.raises(RefusedError, match="grows more than 300-fold"):
        unpacked(f"bomb{suffix}", pack({"zeros": bytes(48 << 20)}))
    assert list((tmp_path / "inside").iterdir()) == []


def test_a_budget_of_bytes_and_files_holds_over_several_archives(tmp_path: Path) -> None:
    budget = Budget(bytes_left=1_500, files_left=10)
    for number, expected in enumerate((None, RefusedError)):
        archive, folder = tmp_path / f"{number}.zip", tmp_path / str(number)
        archive.write_bytes(zip_of({"a": bytes(1_000)}))
        folder.mkdir()
        if expected is None:
            unpack(archive, folder, budget)
        else:
            with pytest.raises(expected, match="more than fits"):
                unpack(archive, folder, budget)
    archive.write_bytes(zip_of({f"{n}": b"" for n in range(11)}))
    with pytest.raises(RefusedError, match="too many files"):
        unpack(archive, folder, Budget(files_left=10))


@pytest.mark.parametrize(
    ("name", "content"),
    [("run.tar.gz", tar_of(RUN)), ("run.zip", zip_of(RUN)), ("run.tar.xz", tar_of(RUN, "w:xz"))],
)
def test_an_archive_cut_at_any_percent_is_refused_and_leaves_nothing(
    name: str, content: bytes, tmp_path: Path, unpacked: Callable[..., Path]
) -> None:
    for percent in range(100):
        with pytest.raises(RefusedError, match="cut off or damaged"):
            unpacked(name, content[: len(content) * percent // 100])
        assert list((tmp_path / "inside").iterdir()) == []


@pytest.mark.parametrize(("name", "content"), [("run.tar.gz", tar_of(RUN)), ("run.zip", zip_of(RUN))])
def test_a_flipped_byte_is_refused_or_harmless(
    name: str, content: bytes, tmp_path: Path, unpacked: Callable[..., Path]
) -> None:
    for position in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        try:
            folder = unpacked(name, bytes(damaged))
        except RefusedError:
            assert list((tmp_path / "inside").iterdir()) == []
        else:  # the byte stood in a comment, a date or a name
            assert all(path.is_relative_to(folder) for path in folder.rglob("*"))
            shutil.rmtree(folder)


def test_something_that_is_no_archive_at_all_is_refused(unpacked: Callable[..., Path]) -> None:
    for name in ("text.zip", "text.tar.gz", "text.tgz"):
        with pytest.raises(RefusedError, match="cut off or damaged"):
            unpacked(name, b'{"hw": "b300"}')


def test_a_name_too_long_for_the_file_system_is_refused(unpacked: Callable[..., Path]) -> None:
    with pytest.raises(RefusedError, match="file name that cannot be written"):
        unpacked("long.tar.gz", tar_of({"n" * 300: b"x"}))


def test_a_file_used_as_a_folder_is_refused(unpacked: Callable[..., Path]) -> None:
    with pytest.raises(RefusedError, match="file name that cannot be written"):
        unpacked("twisted.tar.gz", tar_of({"a": b"x", "a/b": b"y"}))


def test_a_single_gz_file_unpacks_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "rows.json.gz"
    folder = tmp_path / "inside"
    folder.mkdir()
    packed.write_bytes(gzip.compress(b"[]" * 1_000))
    assert gunzip(packed, folder, "rows.json", Budget()).read_bytes() == b"[]" * 1_000
    packed.write_bytes(gzip.compress(b"[]" * 1_000)[:-4])
    with pytest.raises(RefusedError, match="cut off"):
        gunzip(packed, folder, "rows.json", Budget())
    assert list(folder.iterdir()) == []


def test_a_gz_name_on_a_plain_file_is_forgiven(tmp_path: Path) -> None:
    packed = tmp_path / "rows.json.gz"
    packed.write_bytes(b"[1]")
    (tmp_path / "inside").mkdir()
    assert gunzip(packed, tmp_path / "inside", "rows.json", Budget()).read_bytes() == b"[1]"
