import { expect, it } from 'vitest';
import { readExportSeconds } from '../../../shared/config/export-settings.ts';
import { DEFAULT_EXPORT_TIMING, exportTiming } from '../../../shared/fleet/compiles/export-interval.ts';

const DELAY = 'UNDERSTUDY_EXPORT_DELAY_SECONDS';
const INTERVAL = 'UNDERSTUDY_EXPORT_INTERVAL_SECONDS';

it.each([
  [{}, DEFAULT_EXPORT_TIMING],
  [
    { [DELAY]: '', [INTERVAL]: '' },
    { delayMs: 15_000, intervalMs: null },
  ],
  [
    { [DELAY]: '0', [INTERVAL]: '60' },
    { delayMs: 0, intervalMs: 60_000 },
  ],
])('%j', (variables, timing) => {
  expect(exportTiming(readExportSeconds(variables))).toEqual(timing);
});

it.each([
  [{ [DELAY]: '301' }, `${DELAY} must be a whole number from 0 to 300, not '301'`],
  [{ [INTERVAL]: '1.5' }, `${INTERVAL} must be a whole number from 0 to 21600, not '1.5'`],
])('refuses %j', (variables, message) => {
  expect(() => readExportSeconds(variables)).toThrow(new RangeError(message));
});
