import { describe, expect, it } from 'vitest';
import { type FleetSort, SILENT_MS } from '../../../../shared/fleet/overview/fleet-states.ts';
import { type FleetPage, type FleetQuery, FleetView } from '../../../../shared/fleet/overview/fleet-view.ts';
import type { NodeSummary } from '../../../../shared/store/ports/node-store.ts';
import { createFleetQuery } from '../../../helpers/fleet-query.ts';

const NOW = 100 * 24 * 3600_000;
const summary = (certname: string, more: Partial<NodeSummary> = {}): NodeSummary => ({
  certname,
  environment: 'production',
  wanted: 1,
  built: 1,
  lastSeen: NOW,
  compiledAt: NOW - 1,
  failure: null,
  isVolatile: false,
  ...more,
});
const view = (...nodes: readonly NodeSummary[]) => {
  const made = new FleetView();
  for (const node of nodes) made.put(node);
  return made;
};
const names = ({ nodes }: FleetPage) => nodes.map(({ certname }) => certname).join(' ');

describe('the state of a node', () => {
  it.each<[string, Partial<NodeSummary>]>([
    ['current', {}],
    ['volatile', { isVolatile: true }],
    ['stale', { wanted: 2, isVolatile: true }],
    ['new', { wanted: 0, built: 0, compiledAt: null }],
    ['stale', { built: 0, compiledAt: null }],
    ['silent', { lastSeen: NOW - SILENT_MS - 1, wanted: 2 }],
    ['current', { lastSeen: NOW - SILENT_MS }],
    ['failing', { failure: 'Unknown variable', lastSeen: 0, wanted: 2 }],
  ])('is %s for %j', (state, more) => {
    expect(view(summary('a', more)).list(createFleetQuery(), NOW).nodes[0]?.state).toBe(state);
  });

  it('is failing after a failed run, until the next one', () => {
    const one = view(summary('a', { lastSeen: 5 }));
    one.noteRun('a', 'failed', NOW);
    expect(one.get('a')).toMatchObject({ runStatus: 'failed', lastSeen: NOW });
    expect(one.countStates(NOW)).toMatchObject({ failing: 1, silent: 0 });
    one.put(summary('a', { built: 2, wanted: 2 }));
    expect(one.countStates(NOW).failing).toBe(1);
    one.noteRun('a', 'unchanged', NOW);
    one.noteRun('nobody', 'failed', NOW);
    expect(one.countStates(NOW)).toEqual({ failing: 0, silent: 0, new: 0, stale: 0, volatile: 0, current: 1 });
  });

  it('is failing for its compile, or for its last run', () => {
    const some = view(summary('a', { failure: 'no' }), summary('b'), summary('c'));
    for (const name of ['a', 'b']) some.noteRun(name, 'failed', NOW);
    expect(some.countFailing()).toEqual({ compile: 1, run: 1 });
    expect(names(some.list(createFleetQuery({ cause: 'compile' }), NOW))).toBe('a');
    expect(names(some.list(createFleetQuery({ cause: 'run' }), NOW))).toBe('b');
  });

  it('follows from the names of stale nodes', () => {
    const some = view(summary('a', { wanted: 2 }), summary('b'), summary('c'));
    expect(some.noteStale(new Set(['b', 'gone']))).toEqual(['a', 'b']);
    expect(names(some.list(createFleetQuery({ state: 'stale' }), NOW))).toBe('b');
    expect(some.noteStale(new Set(['b']))).toEqual([]);
  });
});

describe('a list of nodes', () => {
  const fleet = view(
    summary('web2', { compiledAt: 3 }),
    summary('db1', { environment: 'staging', compiledAt: 2, failure: 'x' }),
    summary('web1', { compiledAt: 3 }),
    summary('web3', { compiledAt: null, wanted: 0 }),
  );

  it.each<[Partial<FleetQuery>, string]>([
    [{}, 'db1 web1 web2 web3'],
    [{ isDescending: true }, 'web3 web2 web1 db1'],
    [{ search: 'WEB' }, 'web1 web2 web3'],
    [{ search: '.*' }, ''],
    [{ environment: 'staging' }, 'db1'],
    [{ among: new Set(['web3', 'db1', 'gone']) }, 'db1 web3'],
    [{ among: new Set(['web3', 'db1']), search: 'web' }, 'web3'],
    [{ state: 'new' }, 'web3'],
    [{ sort: 'compiledAt' }, 'web3 db1 web1 web2'],
    [{ sort: 'compiledAt', isDescending: true }, 'web2 web1 db1 web3'],
    [{ sort: 'state' }, 'db1 web3 web1 web2'],
    [{ sort: 'environment' }, 'web1 web2 web3 db1'],
  ])('of %j', (more, expected) => {
    expect(names(fleet.list(createFleetQuery(more), NOW))).toBe(expected);
  });

  it.each(['certname', 'compiledAt', 'state', 'environment', 'lastSeen'] as const)(
    'has each node once by pages in the order of %s, both ways',
    (sort: FleetSort) => {
      for (const isDescending of [false, true]) {
        const found: string[] = [];
        for (let after: FleetQuery['after'] = null; ; ) {
          const page = fleet.list(createFleetQuery({ sort, isDescending, after, limit: 1 }), NOW);
          expect([page.nodes.length, page.total]).toEqual([1, 4]);
          found.push(names(page));
          if (page.next === null) break;
          after = page.next;
        }
        expect(found.join(' ')).toBe(names(fleet.list(createFleetQuery({ sort, isDescending }), NOW)));
      }
    },
  );

  it('continues behind a node that is gone', () => {
    const some = view(summary('a'), summary('b'), summary('c'));
    const { next } = some.list(createFleetQuery({ limit: 2 }), NOW);
    some.remove('b');
    expect(names(some.list(createFleetQuery({ after: next }), NOW))).toBe('c');
    some.keepOnly(new Set(['c', 'd']));
    expect(names(some.list(createFleetQuery(), NOW))).toBe('c');
  });
});

it('counts how old catalogs are', () => {
  const hour = 3600_000;
  const ages = [0, hour, hour + 1, 25 * hour, 40 * 24 * hour];
  const fleet = view(
    ...ages.map((age, n) => summary(`n${n}`, { compiledAt: NOW - age })),
    summary('x', { compiledAt: null }),
  );
  expect(fleet.countAges(NOW)).toEqual([2, 1, 0, 1, 0, 1]);
});
