import { describe, expect, it } from 'vitest';
import { complete, type PqlEntities } from '../../../../../../shared/console/client/data/query/pql-completion.ts';
import { describePqlEntities } from '../../../../../../shared/inventory/query/pql-entities.ts';

const ENTITIES: PqlEntities = JSON.parse(JSON.stringify(describePqlEntities()));

/** The suggestions at the `|` of a query. */
function completeAt(marked: string) {
  const caret = marked.indexOf('|');
  const { from, suggestions, factPath, prefix } = complete(marked.replace('|', ''), caret, ENTITIES);
  return { word: marked.slice(from, caret), texts: suggestions.map(({ text }) => text), factPath, prefix };
}

describe('complete', () => {
  it.each([
    ['|', '', 'catalogs'],
    ['fact|', 'fact', 'fact_contents'],
    ['nodes[c|', 'c', 'certname'],
    ['nodes[certname, cata|] { }', 'cata', 'catalog_environment'],
    ['nodes[co|', 'co', 'count()'],
    ['nodes { deact|', 'deact', 'deactivated'],
    ['nodes[certname] { deact|', 'deact', 'deactivated'],
    ['nodes { deactivated is null an| }', 'an', 'and'],
    ['inventory { fa|', 'fa', 'facts.'],
    ['nodes { certname in rep| }', 'rep', 'reports'],
    ['nodes { certname in reports[certname] { lat| } }', 'lat', 'latest_report?'],
    ['nodes { certname in reports[certname] { } and cach| }', 'cach', 'cached_catalog_status'],
    ['reports { status in ["a", "b"] and noo| }', 'noo', 'noop'],
    ['resources { type = "Class" and par| }', 'par', 'parameters.'],
    ['nodes { certname = "{" and deact| }', 'deact', 'deactivated'],
    ['facts { name = "os" }\n|', '', undefined],
  ])('%s: replaces %j by %j', (marked, word, text) => {
    const found = completeAt(marked);
    expect(found.word).toBe(word);
    if (text === undefined) expect(found.texts).toEqual([]);
    else expect(found.texts).toContain(text);
  });

  it.each<[string, string | null, string]>([
    ['inventory { facts.|', '', 'facts.'],
    ['inventory { facts.os.re| = "x" }', 'os.re', 'facts.'],
    ['inventory[facts.ker|', 'ker', 'facts.'],
    ['nodes { facts.os|', null, 'facts.'],
    ['inventory { trusted.ext|', null, 'facts.'],
    ['facts { name = "ker|', 'ker', ''],
    ['facts { name ~ "|', '', ''],
    ['facts { value = "x|', null, ''],
    ['facts { name = "a" and value = "x|', null, ''],
    ['resources { title = "x|', null, ''],
  ])('%s: the path of a fact is %j', (marked, factPath, prefix) => {
    expect(completeAt(marked)).toMatchObject({ factPath, prefix });
  });

  it('names only fields that answers may have in brackets, and only those that conditions may have in braces', () => {
    expect(completeAt('reports[lat|').texts).toEqual([]);
    expect(completeAt('reports { log|').texts).toEqual([]);
    expect(completeAt('reports[log|').texts).toEqual(['logs']);
  });

  it('replaces nothing before the word', () => {
    expect(completeAt('nodes { certname = "a" and ca|talog } ').word).toBe('ca');
    expect(completeAt('inventory { facts.os.na|').word).toBe('facts.os.na');
  });
});
