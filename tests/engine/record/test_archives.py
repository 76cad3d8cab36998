"""Packed content of strangers: unpacked whole, or refused in a sentence, within bounds."""

import gzip
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.record.archives import ZSTANDARD, open_archive, unpack_gzip, unpack_member
from tests.support.odd_files import ODD
from tests.support.zstandard_zip import write_zip

LARGEST = 4 << 20
TEXT = b'{"scores": {"payoff": {"value": {"ann": 3, "ben": 1.5}}}}' * 40
KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, ZSTANDARD)


def unpacked(path: Path) -> Iterator[bytes]:
    with open_archive(path, LARGEST) as archive:
        for entry in archive.infolist():
            yield unpack_member(archive, entry, LARGEST)


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_is_read_however_it_is_packed(kind: int, tmp_path: Path) -> None:
    assert [*unpacked(write_zip(tmp_path / "a.zip", {"a": TEXT, "b": b""}, kind))] == [TEXT, b""]


@pytest.mark.parametrize("kind", KINDS)
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255))
@settings(max_examples=25, deadline=None)
def test_a_changed_byte_gives_the_content_or_a_value_error(
    kind: int, place: float, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write_zip(tmp_path_factory.mktemp("zip") / "a.zip", {"a": TEXT}, kind)
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= byte
    path.write_bytes(content)
    try:
        found = [*unpacked(path)]
    except ValueError:
        return
    # A name, a date or a comment may have changed.
    assert found in ([TEXT], [])


@pytest.mark.parametrize("kind", KINDS[1:])
def test_what_unpacks_to_far_more_than_it_is_packed_is_refused(kind: int, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "a.zip", {"a": b" " * (5 << 20)}, kind)
    with pytest.raises(ValueError, match="MB unpacked"):
        [*unpacked(path)]


def test_content_is_at_most_so_many_times_as_large_as_it_is_packed(tmp_path: Path) -> None:
    """However large it might be: blanks are packed a thousandfold, and logs are not."""
    blanks = b" " * (12 << 20)
    path = write_zip(tmp_path / "a.zip", {"a": blanks, "b": TEXT * 20}, zipfile.ZIP_DEFLATED)
    with open_archive(path, LARGEST) as archive:
        with pytest.raises(ValueError, match="at most 500 times the packed size"):
            unpack_member(archive, archive.getinfo("a"), 64 << 20)
        assert unpack_member(archive, archive.getinfo("b"), 64 << 20) == TEXT * 20
    with pytest.raises(ValueError, match="at most 500 times the packed size"):
        unpack_gzip(gzip.compress(blanks))


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_no_archive(kind: str, tmp_path: Path) -> None:
    ODD[kind](tmp_path / "a.zip")
    with pytest.raises(OSError, match=r"a\.zip"):
        [*unpacked(tmp_path / "a.zip")]


def test_gzip_is_read_within_bounds() -> None:
    packed = gzip.compress(TEXT)
    assert unpack_gzip(packed + packed, LARGEST) == TEXT + TEXT
    with pytest.raises(ValueError, match="at most 4 MB"):
        unpack_gzip(gzip.compress(bytes(range(256)) * (20 << 10)), LARGEST)
    for damaged in (packed[:-1], TEXT, b"\x1f\x8b" + TEXT):
        with pytest.raises(ValueError, match="a gzip file"):
            unpack_gzip(damaged)
