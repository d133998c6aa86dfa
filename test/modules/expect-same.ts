import { expect } from 'vitest';
import { diffCatalogs, type ParsedCatalog } from '../../shared/puppet/catalog/diff-catalogs.ts';
import { printDifferences } from '../../shared/puppet/catalog/print-difference.ts';
import type { NodeOutcome } from './judged-nodes.ts';

/**
 * Asserts that both outcomes are the same: error text, or catalog to the order of tags, parameters
 * and edges; what each ERB template gave, byte by byte; and the log, but for what Puppet `said` for
 * an earlier node, because it parses a file once for all nodes.
 */
export function expectSame(
  ours: NodeOutcome | undefined,
  real: NodeOutcome | undefined,
  said: ReadonlySet<string>,
): void {
  expect(ours?.message).toBe(real?.message);
  expect(ours?.status).toBe(real?.status);
  if (ours?.catalog && real?.catalog) {
    const found = diffCatalogs(parsed(ours.catalog), parsed(real.catalog));
    expect(printDifferences(found, 'ours', 'puppet')).toBe('The catalogs of ours (-) and puppet (+) are the same.\n');
  }
  expect(withSortedTags(ours)).toEqual(withSortedTags(real));
  expect(sorted(ours?.renders)).toEqual(sorted(real?.renders));
  expect(real?.log.filter((line) => !ours?.log.includes(line))).toEqual([]);
  expect(ours?.log.filter((line) => !real?.log.includes(line) && !said.has(line))).toEqual([]);
}

function sorted(renders: NodeOutcome['renders'] = []): readonly string[] {
  return renders.map(([path, text]) => `${path}\n${text}`).sort();
}

/**
 * The tags of a catalog as a whole have no order that means anything; those of its resources stay
 * as they are.
 */
function withSortedTags(outcome: NodeOutcome | undefined): unknown {
  const tags = outcome?.catalog?.tags;
  return { ...outcome?.catalog, tags: Array.isArray(tags) ? tags.map(String).sort() : tags };
}

function parsed(catalog: Readonly<Record<string, unknown>>): ParsedCatalog {
  const { resources, edges, classes } = catalog;
  if (!Array.isArray(resources) || !Array.isArray(edges) || !Array.isArray(classes)) throw new Error('no catalog');
  return { resources, edges, classes };
}
