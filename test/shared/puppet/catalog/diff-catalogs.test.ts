import { describe, expect, it } from 'vitest';
import {
  diffCatalogs,
  type ParsedCatalog,
  type ParsedResource,
} from '../../../../shared/puppet/catalog/diff-catalogs.ts';
import { printDifferences } from '../../../../shared/puppet/catalog/print-difference.ts';

const FILE: ParsedResource = {
  type: 'File',
  title: '/a',
  tags: ['file', 'class'],
  file: '/site.pp',
  line: 1,
  exported: false,
  parameters: { ensure: 'file', mode: '0644' },
};

function catalog(resources: readonly ParsedResource[], more: Partial<ParsedCatalog> = {}): ParsedCatalog {
  return { resources, edges: [], classes: [], ...more };
}

function printed(left: ParsedCatalog, right: ParsedCatalog): string {
  return printDifferences(diffCatalogs(left, right), 'ours', 'theirs');
}

describe('the difference of two catalogs', () => {
  it.each<[string, ParsedCatalog, ParsedCatalog]>([
    ['the same', catalog([FILE]), catalog([FILE])],
    ['tags in another order', catalog([FILE]), catalog([{ ...FILE, tags: ['class', 'file'] }])],
    [
      'parameters in another order',
      catalog([FILE]),
      catalog([{ ...FILE, parameters: { mode: '0644', ensure: 'file' } }]),
    ],
    [
      'edges in another order',
      catalog([], {
        edges: [
          { source: 'A', target: 'B' },
          { source: 'B', target: 'C' },
        ],
      }),
      catalog([], {
        edges: [
          { source: 'B', target: 'C' },
          { source: 'A', target: 'B' },
        ],
      }),
    ],
  ])('is empty for %s', (_, left, right) => {
    expect(printed(left, right)).toBe('The catalogs of ours (-) and theirs (+) are the same.\n');
  });

  const HEAD = 'The catalogs of ours (-) and theirs (+) differ in';

  it.each<[string, ParsedCatalog, ParsedCatalog, string[]]>([
    ['a missing resource', catalog([]), catalog([FILE]), ['resource (1):', '+ resource File[/a]']],
    ['one resource too many', catalog([FILE]), catalog([]), ['resource (1):', '- resource File[/a]']],
    [
      'a parameter',
      catalog([FILE]),
      catalog([{ ...FILE, parameters: { ensure: 'file', mode: '0600', owner: null } }]),
      ['parameter (2):', '  File[/a]', '-   mode => "0644"', '+   mode => "0600"', '+   owner => null'],
    ],
    [
      'tags',
      catalog([FILE]),
      catalog([{ ...FILE, tags: ['file'] }]),
      ['tags (1):', '  File[/a]', '-   tags => ["class","file"]', '+   tags => ["file"]'],
    ],
    [
      'the line',
      catalog([FILE]),
      catalog([{ ...FILE, line: 2 }]),
      ['file and line (1):', '  File[/a]', '-   file and line => "/site.pp:1"', '+   file and line => "/site.pp:2"'],
    ],
    [
      'sensitive parameters',
      catalog([{ ...FILE, sensitive_parameters: ['content'] }]),
      catalog([FILE]),
      [
        'sensitive parameters (1):',
        '  File[/a]',
        '-   sensitive parameters => ["content"]',
        '+   sensitive parameters => []',
      ],
    ],
    [
      'an exported mark',
      catalog([{ ...FILE, exported: true }]),
      catalog([FILE]),
      ['exported (1):', '  File[/a]', '-   exported => true', '+   exported => false'],
    ],
    [
      'edges and classes',
      catalog([], { edges: [{ source: 'A', target: 'B' }], classes: ['x'] }),
      catalog([], { classes: ['y'] }),
      ['edge (1), class (2):', '- edge A -> B', '- class x', '+ class y'],
    ],
    [
      'the order',
      catalog([FILE, { ...FILE, title: '/b' }]),
      catalog([{ ...FILE, title: '/b' }, FILE]),
      [
        'order of resources (1):',
        '  position 1',
        '-   order of resources => "File[/a]"',
        '+   order of resources => "File[/b]"',
      ],
    ],
  ])('shows %s', (_, left, right, lines) => {
    expect(printed(left, right)).toBe(`${HEAD} ${lines.join('\n')}\n`);
  });
});
