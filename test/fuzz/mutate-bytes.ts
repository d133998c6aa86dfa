import type { SeededChance } from './seeded-chance.ts';

/** Pieces that readers of text and of binary data stumble over. */
const PIECES: readonly (string | readonly number[])[] = [
  ...['"', "'", '\\', '\n', '\r\n', '\t', '#', '%', '$', '${', '}', '{', '[', ']', '(', ')', '<%', '%>', '-', ':', '|'],
  ...['&a', '*a', '!!binary ', '!ruby/object:X', '---', '...', '~', '@', '=>', '<<|', '|>>', '0x', '1e', '\u0000', 'é'],
  ...['\ufeff', '\u2028', '😀', ' ', '  ', '../', '/', 'null', 'undef', 'true', '-1', '0', '9'.repeat(20)],
  ...[
    [0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0x80],
    [0x30, 0x80],
    [0x02, 0x01, 0xff],
    [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
  ],
];
const MOST_CHANGES = 4;
const LONGEST_RUN = 40;

/** Changes some places of an input: cuts, repeats, flips, inserts, or takes a part of `other`. */
export function mutateBytes(input: Buffer, other: Buffer, chance: SeededChance): Buffer {
  let bytes = input;
  for (let left = 1 + chance.below(MOST_CHANGES); left > 0; left -= 1) bytes = changeOnce(bytes, other, chance);
  return bytes;
}

function changeOnce(bytes: Buffer, other: Buffer, chance: SeededChance): Buffer {
  const at = chance.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + chance.below(LONGEST_RUN));
  const [head, run, tail] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (chance.below(7)) {
    case 0:
      return Buffer.concat([head, tail]);
    case 1:
      return Buffer.concat([head, run, run, tail]);
    case 2:
      return Buffer.concat([head, flipBit(run, chance), tail]);
    case 3:
      return chance.often(0.3) ? Buffer.from(head) : Buffer.concat([tail, run, head]);
    case 4: {
      const from = chance.below(other.length + 1);
      return Buffer.concat([head, other.subarray(from, from + chance.below(4 * LONGEST_RUN)), tail]);
    }
    default: {
      const piece = chance.of(PIECES);
      return Buffer.concat([head, typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece), run, tail]);
    }
  }
}

function flipBit(run: Buffer, chance: SeededChance): Buffer {
  const bytes = Buffer.from(run);
  const at = chance.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8));
  return bytes;
}
