import { expect, it } from 'vitest';
import { fuzzBroker } from '../../../fuzz/fuzz-broker.ts';
import { fuzzWebSockets } from '../../../fuzz/fuzz-web-sockets.ts';

/** `npm run fuzz` has 100,000. */
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

it('malformed WebSocket frames end their own connection with the code that fits, and leave nothing', async () => {
  const { byEnd, disturbances, left } = await fuzzWebSockets(500, 7);
  expect([disturbances, left]).toEqual([0, 0]);
  // Protocol error, no UTF-8, too long; a connection without a whole frame stays open.
  expect(Object.keys(byEnd).sort()).toEqual(
    expect.arrayContaining(['1002', '1007', '1009', 'HTTP 400', 'open'].sort()),
  );
  expect(Object.keys(byEnd).filter((end) => end.startsWith('10'))).toHaveLength(3);
});
