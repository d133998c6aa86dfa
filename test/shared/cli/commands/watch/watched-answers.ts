const HOUR_MS = 3600_000;
export const NOW = Date.UTC(2026, 10, 30, 9, 20, 12);

/** Answers of the console's API for a fleet of 203 nodes. */
export const OVERVIEW = {
  ...{ total: 203, isComplete: true, certificateRequests: 2, failing: { compile: 61, run: 30 } },
  states: { failing: 91, silent: 79, new: 0, stale: 3, volatile: 0, current: 30 },
  queue: {
    waiting: { visible: 0, inFlight: 0, oldestAgeMs: 0 },
    express: { visible: 12, inFlight: 2, oldestAgeMs: 13_400 },
    dead: { visible: 1, inFlight: 0, oldestAgeMs: 0 },
  },
  sharing: {
    servers: ['puppet1', 'puppet2', 'puppet3', 'puppet4'].map((name, index) => ({
      ...{ name, isAlive: index !== 1, seenAt: NOW - 60_000, leads: index === 0 ? ['upkeep'] : [] },
    })),
  },
};
export const HOURS = {
  hours: [
    {
      at: NOW - (NOW % HOUR_MS),
      runs: { changed: 12, unchanged: 180, failed: 3 },
      compiles: { compiled: 40, failed: 2 },
    },
    { at: NOW - (NOW % HOUR_MS) - 5 * HOUR_MS, runs: { changed: 99 }, compiles: {} },
  ],
};
export const ENVIRONMENTS = {
  environments: [
    ...Array.from({ length: 6 }, (_, index) => ({
      ...{
        name: `feature_${index}`,
        codeId: `${index}`.repeat(64),
        deployedAt: NOW - (index + 1) * HOUR_MS,
        user: 'ann',
      },
      ...{ stage: null, invalidating: index === 0 ? { nodes: 40, parts: 2, partsDone: 1 } : null },
    })),
    {
      ...{
        name: 'production',
        codeId: 'c'.repeat(64),
        deployedAt: NOW - 48 * HOUR_MS,
        user: 'bob',
        invalidating: null,
      },
      stage: { codeId: 'd'.repeat(64), state: 'held', canaries: 10 },
    },
  ],
};
export const FAILURES = {
  total: 30,
  failures: Array.from({ length: 30 }, (_, index) => ({
    ...{ kind: 'run', resource: `File[/srv/${index}]`, count: 30 - index, firstAt: NOW - HOUR_MS },
    message: index === 0 ? `No space\u001b[2J left on device ${'x'.repeat(80)}` : 'No space left',
  })),
};
