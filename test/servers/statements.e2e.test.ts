import { beforeAll, describe, expect, it } from 'vitest';
import { canSharePostgres } from '../helpers/shared-postgres.ts';
import { type Statements, sumStatements } from '../helpers/statement-counts.ts';
import { type CountedWorks, countWorks } from './count-statements.ts';

/** Sizes of fleets, in ascending order: `STATEMENTS_FLEETS=250,1000,4000` counts larger ones. */
const FLEETS = (process.env.STATEMENTS_FLEETS ?? '50,250').split(',').map(Number);
const REST_MS = 60_000;
/** Counts of larger fleets are shown. */
const SHOWN_FROM = 500;
/** A bound for what never ends: large fleets take long. */
const LONGEST_MS = 600_000 + 2000 * Math.max(...FLEETS);

/** Statements of one work, at most, of any fleet: a notice that comes early spares a read. */
const WORKS: Readonly<Record<Work, Statements>> = {
  run: { reads: 4, writes: 1, transactions: 0, trips: 5 },
  check: { reads: 3, writes: 0, transactions: 0, trips: 3 },
  change: { reads: 13, writes: 9, transactions: 4, trips: 32 },
  compile: { reads: 11, writes: 9, transactions: 3, trips: 26 },
  fact: { reads: 6, writes: 5, transactions: 2, trips: 16 },
  exported: { reads: 12, writes: 4, transactions: 3, trips: 23 },
};
type Work = 'run' | 'check' | 'change' | 'compile' | 'fact' | 'exported';

/** Statements of each further node, at most: its job is among them. */
const OF_A_NODE: Readonly<Record<'deploy' | 'ring', Statements>> = {
  deploy: { reads: 12, writes: 12, transactions: 5.4, trips: 36.3 },
  ring: { reads: 3, writes: 5, transactions: 0, trips: 8 },
};

/** Statements of a server at rest in a minute, at most. */
const AT_REST: Statements = { reads: 240, writes: 130, transactions: 5, trips: 370 };

const NAMES = ['reads', 'writes', 'transactions', 'trips'] as const;

describe.skipIf(!canSharePostgres())('statements over PostgreSQL', () => {
  const counted: CountedWorks[] = [];
  beforeAll(async () => {
    for (const nodes of FLEETS) {
      const works = await countWorks(nodes, nodes === FLEETS.at(-1) ? REST_MS : 0);
      counted.push(works);
      const rows = Object.entries(works).map(([name, texts]) => [name, texts && sumStatements(texts)]);
      if (nodes > SHOWN_FROM) process.stdout.write(`${nodes}: ${JSON.stringify(Object.fromEntries(rows))}\n`);
    }
  }, LONGEST_MS);

  it.each(Object.entries(WORKS))('of the work %s are as few, whatever the number of nodes', (work, most) => {
    for (const one of counted) {
      const sums = sumStatements(one[work as Work]);
      expect(sums.reads).toBeGreaterThan(0);
      for (const name of NAMES) expect(sums[name], name).toBeLessThanOrEqual(most[name]);
    }
  });

  it.each(Object.entries(OF_A_NODE))('of each node of the work %s are as few', (work, most) => {
    const [few, many] = [counted[0], counted.at(-1)].map((one) => one && sumStatements(one[work as 'deploy' | 'ring']));
    const more = (FLEETS.at(-1) ?? 0) - (FLEETS[0] ?? 0);
    expect(many?.trips).toBeGreaterThan(more);
    for (const name of NAMES) {
      const each = ((many?.[name] ?? 0) - (few?.[name] ?? 0)) / more;
      expect(Math.round(each * 10) / 10, name).toBeLessThanOrEqual(most[name]);
    }
  });

  it('of a server at rest are as few', () => {
    const sums = sumStatements(counted.at(-1)?.rest ?? new Map());
    expect(sums.reads).toBeGreaterThan(0);
    for (const name of NAMES) expect(sums[name], name).toBeLessThanOrEqual(AT_REST[name]);
  });
});
