"""Prefix caches over 64-token blocks, kept as the cached length of each segment.

A segment's cached blocks are always its first ones: eviction takes the tail of the segment that was used
longest ago, as an engine does that frees a prompt's blocks last to first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

#: A segment of one replay of one conversation, and the blocks of it that a prompt uses.
Key = int
Lengths = Sequence[int]


class HostTier:
    """An LRU of segments in host memory that every computed block is written to; `capacity` in blocks."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.used = 0
        self._cached: OrderedDict[Key, int] = OrderedDict()

    def matched(self, keys: Sequence[Key], lengths: Lengths, skip: int) -> int:
        """Blocks found here that follow the first `skip` blocks of the prompt without a gap."""
        found, start = 0, 0
        for key, length in zip(keys, lengths, strict=True):
            end = start + length
            if end > skip + found:
                here = start + min(self._cached.get(key, 0), length)
                found += max(0, here - skip - found)
                if here < end:
                    break
            start = end
        return found

    def write(self, keys: Sequence[Key], lengths: Lengths) -> int:
        """Keep a prompt's blocks, dropping the oldest where need be; gives how many had to be written."""
        written = 0
        for key, length in reversed(list(zip(keys, lengths, strict=True))):
            known = self._cached.get(key, 0)
            written += max(0, length - known)
            self._cached[key] = max(known, length)
            self._cached.move_to_end(key)
        self.used += written
        while self.used > self.capacity:
            key, length = self._cached.popitem(last=False)
            dropped = min(length, self.used - self.capacity)
            self.used -= dropped
            if length > dropped:
                self._cached[key] = length - dropped
                self._cached.move_to_end(key, last=False)
        return written


class BlockPool:
    """The KV blocks of one engine rank: pinned by running requests, or cached until they are needed."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.allocated = 0
        self.pinned = 0
        self._length: dict[Key, int] = {}
        self._pins: dict[Key, int] = {}
        self._idle: OrderedDict[Key, None] = OrderedDict()

    def matched(self, keys: Sequence[Key], lengths: Lengths) -> int:
        """Leading blocks of a prompt that are cached."""
        found = 0
        for key, length in zip(keys, lengths, strict=True):
            here = min(self._length.get(key, 0), length)
            found += here
            if here < length:
                break
        return found

    def reserve(self, keys: Sequence[Key], lengths: Lengths, private: int) -> bool:
        """Pin a prompt's segments and `private` blocks of its own; False, and nothing done, without room."""
        for key in keys:
            self._pin(key)
        growths = [
            max(0, length - self._length.get(key, 0)) for key, length in zip(keys, lengths, strict=True)
        ]
        needed = sum(growths) + private
        if needed > self.capacity - self.pinned:
            self._unpin(keys)
            return False
        self._evict(needed - (self.capacity - self.allocated))
        for key, growth in zip(keys, growths, strict=True):
            self._length[key] = self._length.get(key, 0) + growth
        self.allocated += needed
        self.pinned += needed
        return True

    def release(self, keys: Sequence[Key], private: int) -> None:
        """A request has ended: its own blocks are free, the prompt's stay cached."""
        self.allocated -= private
        self.pinned -= private
        self._unpin(keys)

    def _pin(self, key: Key) -> None:
        count = self._pins.get(key, 0)
        if count == 0:
            self._idle.pop(key, None)
            self.pinned += self._length.get(key, 0)
        self._pins[key] = count + 1

    def _unpin(self, keys: Sequence[Key]) -> None:
        """Leaves first, so that the start of a prompt outlives its end."""
        for key in reversed(keys):
            count = self._pins[key] - 1
            if count:
                self._pins[key] = count
                continue
            del self._pins[key]
            length = self._length.get(key, 0)
            self.pinned -= length
            if length:
                self._idle[key] = None

    def _evict(self, blocks: int) -> None:
        while blocks > 0:
            key, _ = self._idle.popitem(last=False)
            length = self._length[key]
            taken = min(length, blocks)
            blocks -= taken
            self.allocated -= taken
            if taken < length:
                self._length[key] = length - taken
                self._idle[key] = None
                self._idle.move_to_end(key, last=False)
            else:
                del self._length[key]
