import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { NodeModel } from './node-model.ts';
import { findFaults, readShownCatalog } from './oracle.ts';
import { VersionedRepo } from './versioned-repo.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-oracle-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [own, other, stranger] = [new NodeModel('a', 'g1'), new NodeModel('b', 'g1'), new NodeModel('c', 'g2')] as const;
const repo = new VersionedRepo(join(folder, 'repo'), ['a'], 4);
repo.edit('template', false);

/** The catalog of `a` as it must be at rest. */
const RIGHT = {
  manifest: '1',
  facts: 'v1 v1',
  group: 'g1',
  'data common': '1',
  'data group': '1',
  'data node': '1',
  layered: 'group 1',
  template: '2 v1 g1',
  function: '1 v1',
  'export a': 'v1',
  'export b': 'v1',
};

function judge(catalog: Readonly<Record<string, string>>, isAtRest = true): readonly string[] {
  const resources = Object.entries(catalog).map(([title, message]) => {
    return { type: 'Notify', title, parameters: { message } };
  });
  return findFaults(readShownCatalog(JSON.stringify({ resources })), own, [own, other, stranger], repo, {
    facts: own.facts.possible,
    groups: own.group.possible,
    least: new Map([...repo.newest, ...(isAtRest ? [] : ([['template', 1]] as const))]),
    most: repo.newest,
    isAtRest,
  });
}

it('finds nothing wrong with the catalog of the model', () => {
  expect(judge(RIGHT)).toEqual([]);
});

it('takes an earlier file that no acknowledged deploy replaced, and an earlier export, but not at rest', () => {
  const { 'export b': _, ...before } = { ...RIGHT, template: '1 v1 g1' };
  expect(judge(before, false)).toEqual([]);
  expect(judge(before)).toEqual(["it has version '1' of template, not 2", 'it lacks the export of b']);
});

it.each([
  ['another group', { group: 'g2' }, 'it is of group g2, not of g1'],
  ['other facts', { facts: 'v1 v2' }, 'it has the facts v1 v2, not v1 v1'],
  ['an earlier manifest', { manifest: '0' }, "it has version '0' of manifest, not 1"],
  ['a version that was never written', { 'data group': '2' }, "it has version '2' of group g1, not 1"],
  ['data of a wrong layer', { layered: 'common 1' }, "its layered data is 'common 1', not 'group 1'"],
  ['a template of other facts', { template: '2 v0 g1' }, "it has version '2 v0 g1' of template, not 2"],
  ['an export of another group', { 'export c': 'v1' }, "it has the export c 'v1', not any"],
  ['an earlier export', { 'export b': 'v0' }, "it has the export b 'v0', not 'v1'"],
])('finds %s', (_, change, fault) => {
  expect(judge({ ...RIGHT, ...change })).toContain(fault);
});
