/** Damages that the tests of stored data do to files. They follow from a seed. */

/** Damages of each kind, in place of a test's own number. */
export const TRIES = Number(process.env.UNDERSTUDY_DAMAGES ?? 0);
export const PAGE = 4096;

/** A sequence of numbers below 1 that follows from its seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Damages of a file: bits, cuts, and pages of zeros. */
export function* damage(bytes: Buffer, tries: number, seed: number): Generator<Buffer> {
  const random = randomFrom(seed);
  for (let index = 0; index < tries; index += 1) {
    const changed = Buffer.from(bytes);
    const at = Math.floor(random() * bytes.length);
    if (index % 10 === 8) yield changed.subarray(0, at);
    else if (index % 10 === 9)
      yield changed.fill(0, at - (at % PAGE), Math.min(changed.length, at - (at % PAGE) + PAGE));
    else {
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      yield changed;
    }
  }
}
