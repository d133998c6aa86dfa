import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { chooseBrokers, countContainers, type Fleet, makeBill, USUAL_FLEET } from './bill.ts';
import { measureUse } from './measure-use.ts';
import { HOURS_A_MONTH, PRICES } from './prices.ts';
import { readFleet } from './read-fleet.ts';
import { IDLE, NO_USE } from './use.ts';
import { FIXED } from './work.ts';

const FLEET: Fleet = { ...USUAL_FLEET, nodes: 1000, interval: 30 };

function rowsOf(fleet: Fleet, use = IDLE): Readonly<Record<string, number>> {
  return Object.fromEntries(makeBill(fleet, use).map(({ name, dollars }) => [name, dollars]));
}

describe('the bill', () => {
  it('multiplies what a run uses with the runs of a month', () => {
    const run = { ...NO_USE, readUnits: 10, writeUnits: 2, gets: 3, puts: 1, queueRequests: 1 };
    const runs = 1000 * 2 * HOURS_A_MONTH;
    const rows = rowsOf(FLEET, { ...IDLE, run });
    expect(rows['runs.dynamodb']).toBeCloseTo(runs * (10 * 0.125e-6 + 2 * 0.625e-6), 8);
    expect(rows['runs.s3']).toBeCloseTo(runs * (3 * 0.4e-6 + 5e-6), 8);
    expect(rows['runs.sqs']).toBeCloseTo(runs * 0.4e-6, 8);
  });

  it('counts the writes to the indexes of nodes with each job', () => {
    const deploy = { ...NO_USE, writeUnits: 4, nodeWrites: 2 };
    const without = rowsOf(FLEET).deploys ?? 0;
    const withWrites = rowsOf(FLEET, { ...IDLE, deploy }).deploys ?? 0;
    expect(withWrites - without).toBeCloseTo(1000 * 20 * (4 + 2 * 1.5) * 0.625e-6, 8);
  });

  it('has more runs when nodes are notified, by what deploys change', () => {
    const run = { ...NO_USE, writeUnits: 1 };
    const notified = { ...FLEET, interval: 240, push: true, deploys: 20, changed: 0.5 };
    const runs = 1000 * (HOURS_A_MONTH / 4 + 10);
    expect(rowsOf(notified, { ...IDLE, run })['runs.dynamodb']).toBeCloseTo(runs * 0.625e-6, 8);
  });

  it('grows in proportion to the fleet, but for what is fixed and the least number of containers', () => {
    const use = { ...IDLE, compile: { ...NO_USE, writeUnits: 9 } };
    const [small, large] = [rowsOf(FLEET, use), rowsOf({ ...FLEET, nodes: 1_000_000 }, use)];
    for (const [name, dollars] of Object.entries(small)) {
      if (['fixed', 'ring', 'runs.edge', 'orchestrator.broker', 'orchestrator.fixed'].includes(name)) continue;
      expect(large[name], name).toBeCloseTo(1000 * dollars, 4);
    }
    expect(large.fixed).toBe(small.fixed);
  });

  it('has facts of each run stored once an hour with an inventory, and the least capacity of its database', () => {
    const use = { ...IDLE, facts: { ...NO_USE, puts: 1 } };
    expect(Object.keys(rowsOf(FLEET, use)).filter((name) => name.startsWith('inventory'))).toEqual([]);
    const rows = rowsOf({ ...FLEET, inventory: true }, use);
    expect(rows['inventory.facts']).toBeCloseTo(1000 * HOURS_A_MONTH * PRICES.objectPut, 6);
    expect(rows['inventory.capacity']).toBeCloseTo(0.5 * HOURS_A_MONTH * PRICES.capacityHour, 6);
    const seldom = rowsOf({ ...FLEET, interval: 240, inventory: true }, use);
    expect(seldom['inventory.facts']).toBeCloseTo((1000 * HOURS_A_MONTH * PRICES.objectPut) / 4, 6);
  });

  it.each([
    // Ten a minute, and each again after half an hour.
    [100, 100 * 48],
    [4000, 10 * 1440],
    [1_000_000, 1.25 * 1_000_000],
  ])('verifies %d nodes %d times a day', (nodes, daily) => {
    const use = { ...IDLE, ring: { ...NO_USE, writeUnits: 1_000_000 } };
    const dollars = (rowsOf({ ...FLEET, nodes }, use).ring ?? 0) - (rowsOf({ ...FLEET, nodes }).ring ?? 0);
    expect(dollars / (1_000_000 * PRICES.writeUnit * (HOURS_A_MONTH / 24)) / daily).toBeCloseTo(1, 2);
  });

  it.each<[Partial<Fleet>, number]>([
    [{ nodes: 4000 }, 2],
    [{ nodes: 1_000_000 }, 40],
    [{ nodes: 1_000_000, interval: 240 }, 5],
  ])('runs the edge of %j in %d containers', (more, expected) => {
    const fleet = { ...FLEET, ...more };
    expect(countContainers((fleet.nodes * HOURS_A_MONTH * 60) / fleet.interval)).toBe(expected);
  });

  it.each<[Partial<Fleet>, ReturnType<typeof chooseBrokers>]>([
    [{ nodes: 1_000_000 }, { cpu: 0.25, gigabytes: 1, count: 2 }],
    [
      { nodes: 14_000, push: true },
      { cpu: 0.25, gigabytes: 1, count: 2 },
    ],
    [
      { nodes: 100_000, push: true },
      { cpu: 0.25, gigabytes: 1, count: 14 },
    ],
    [
      { nodes: 1_000_000, push: true },
      { cpu: 1, gigabytes: 8, count: 14 },
    ],
  ])('holds the connections of %j in %j', (more, expected) => {
    expect(chooseBrokers({ ...FLEET, ...more })).toEqual(expected);
  });

  it('has the broker and what its connections and jobs take, unless it is left out', () => {
    const notified = { ...FLEET, nodes: 1_000_000, interval: 240, push: true };
    const rows = rowsOf(notified);
    const hour = 0.03238 + 8 * 0.00356;
    expect(rows['orchestrator.broker']).toBeCloseTo(14 * hour * HOURS_A_MONTH, 4);
    // 12 GB of pings an hour are more units than ten times 100,000 connections.
    expect(rows['orchestrator.network']).toBeCloseTo(12 * 0.006 * HOURS_A_MONTH, 4);
    expect(rows['orchestrator.jobs']).toBeCloseTo(20_000_000 * (16 * 0.625e-6 + 10 * 0.125e-6), 4);
    const small = 0.25 * 0.03238 + 0.00356;
    expect(rowsOf(FLEET)['orchestrator.broker']).toBeCloseTo(2 * small * HOURS_A_MONTH, 4);
    const without = rowsOf({ ...FLEET, orchestrator: false });
    const ours = Object.keys(without).filter((name) => name.startsWith('orchestrator'));
    expect(ours.map((name) => without[name])).toEqual([0, 0, 0, 0]);
  });

  it('has one NAT gateway less for whoever wants that', () => {
    const saved = (rowsOf(FLEET).fixed ?? 0) - (rowsOf({ ...FLEET, natGateways: FIXED.natGateways - 1 }).fixed ?? 0);
    expect(saved).toBeCloseTo(HOURS_A_MONTH * (PRICES.natHour + PRICES.publicAddressHour), 8);
  });
});

it('is counted: what a run and jobs ask of the stores', async () => {
  const { run, report, compile, deploy, ring, prune } = await measureUse();
  expect(report.puts).toBeLessThanOrEqual(1);
  expect(run.queueRequests).toBe(0);
  // However long ago the last run was; its facts are stored once a day.
  expect(run.readUnits).toBeLessThanOrEqual(4);
  expect(run.nodeWrites).toBeLessThanOrEqual(2 / 48);
  expect(run.writeUnits).toBeLessThanOrEqual(1 + 8 / 48);
  expect(run.gets).toBeGreaterThanOrEqual(1);
  // A job is sent, received and deleted; many are sent at once.
  expect(compile.queueRequests).toBe(3);
  for (const job of [deploy, ring]) expect(job.queueRequests).toBeGreaterThanOrEqual(2);
  for (const job of [compile, deploy]) expect(job.puts).toBeGreaterThanOrEqual(1);
  expect(ring.puts).toBe(0);
  expect(ring.writeUnits).toBeLessThan(deploy.writeUnits);
  // Once a day, half a unit for 4 KB of the record.
  expect(prune.readUnits).toBeGreaterThan(0);
  expect(prune.readUnits).toBeLessThanOrEqual(0.75);
  expect(prune).toMatchObject({ writeUnits: 0, gets: 0, puts: 0, queueRequests: 0 });
});

function runCost(...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['test/cost/cost.ts', ...args], { encoding: 'utf8' });
  return { stdout, stderr, status };
}

describe('npm run cost', () => {
  it('prints one JSON object a line, and the total', () => {
    const { stdout, status } = runCost('--nodes', '4000', '--interval', '30', '--json');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(status).toBe(0);
    expect(lines.map(({ measure }) => measure)).toEqual([
      ...makeBill(FLEET, IDLE).map(({ name }) => `cost.${name}`),
      'cost.total',
    ]);
    expect(new Set(lines.map(({ unit }) => unit))).toEqual(new Set(['$/month']));
    const values = lines.map(({ value }) => value as number);
    expect(values.slice(0, -1).reduce((sum, value) => sum + value, 0)).toBeCloseTo(values.at(-1) ?? 0, 0);
  });

  it.each([
    [['--interval', '30'], '--nodes must be a number, at least 1'],
    [['--nodes', 'many', '--interval', '30'], '--nodes must be a number, at least 1'],
    [['--nodes', '1', '--interval', '30', '--node'], "Unknown option '--node'"],
    [['--nodes', '1', '--interval', '30', '--push', '--no-orchestrator'], '--push needs the orchestrator'],
  ])('refuses %j', (args, message) => {
    expect(() => readFleet(args)).toThrow(message);
  });

  it('ends with 1 and the reason when it refuses its options', () => {
    const { stderr, status } = runCost('--nodes', 'many', '--interval', '30');
    expect([status, stderr]).toEqual([1, expect.stringContaining('--nodes must be a number, at least 1')]);
  });
});
