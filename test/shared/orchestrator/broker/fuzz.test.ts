import { expect, it } from 'vitest';
import { fuzzBroker } from '../../../fuzz/fuzz-broker.ts';

/** A run of 100,000 is `npm run fuzz -- --nightly`. */
const FRAMES = 4000;

it.each([1, 20261122])('malformed frames with the seed %i meet no fault, and disturb nobody', (seed) => {
  const { byAnswer, faults, disturbances } = fuzzBroker(FRAMES, seed);
  expect(faults).toEqual([]);
  expect(disturbances).toBe(0);
  expect(Object.keys(byAnswer)).toEqual(
    expect.arrayContaining([
      'Could not decode message',
      'Message not authenticated.',
      'Message not authorized.',
      'Multiple recipients no longer supported.',
      'associate_response',
      'inventory_response',
      'nothing',
    ]),
  );
});
