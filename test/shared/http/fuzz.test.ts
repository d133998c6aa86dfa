import { describe, expect, it } from 'vitest';
import { fuzzFrontDoor } from '../../fuzz/fuzz-front-door.ts';

/** A run of 100,000 is `npm run fuzz -- --nightly`. */
const REQUESTS = 3000;

describe('malformed requests and facts', () => {
  it.each([1, 20261121])(
    'with the seed %i meet no fault of ours, and leave nothing behind',
    async (seed) => {
      const { faults, unlogged, byStatus, heapGrowth } = await fuzzFrontDoor(REQUESTS, seed);
      expect(faults).toEqual([]);
      expect(unlogged).toEqual([]);
      const known = [
        '200',
        '204',
        '206',
        '304',
        '400',
        '401',
        '403',
        '404',
        '405',
        '406',
        '413',
        '415',
        '416',
        '500',
        '503',
      ];
      expect(Object.keys(byStatus).filter((status) => !known.includes(status))).toEqual([]);
      expect(byStatus['200']).toBeGreaterThan(0);
      expect(heapGrowth).toBeLessThan(64 * 1024 * 1024);
    },
    120_000,
  );
});
