import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ISSUES } from '../../../../shared/puppet/errors/issues/catalogue.ts';
import { findInlineErrorTexts } from '../../../helpers/error-texts.ts';
import { readJudgedCases } from '../../../helpers/judged-cases.ts';
import { sourceFiles } from '../../../helpers/source-files.ts';

const PARTS = new URL('../../../../shared/puppet/errors/issues/', import.meta.url);
const PART = 'shared/puppet/errors/issues/';

const names = Object.keys(ISSUES);
const sources = sourceFiles(['shared', 'functions']);
const parts = sources.filter(({ path }) => path.startsWith(PART) && path.endsWith('-issues.ts'));
const uses = sources.filter(({ path }) => !path.startsWith(PART));

/** The entries as their sources write them. */
const entries = parts.flatMap(({ text }) =>
  Array.from(text.matchAll(/^ {2}([A-Z0-9_]+): (issue|fault)\(([\s\S]*?)\n? {0,2}\),$/gm), ([, name, maker, body]) => ({
    name: name ?? '',
    maker,
    code: /\bcode: '(\w+)'/.exec(body ?? '')?.[1] ?? name,
  })),
);

describe('the issue catalogue', () => {
  it('defines each name once', () => {
    const repeated = entries.filter(({ name }, index) => entries.findIndex((each) => each.name === name) !== index);
    expect(repeated).toEqual([]);
  });

  it('joins every part', async () => {
    const files = readdirSync(PARTS).filter((name) => name.endsWith('-issues.ts'));
    const tables: object[] = await Promise.all(files.map(async (name) => import(new URL(name, PARTS).href)));
    const found = tables.flatMap(Object.values).flatMap(Object.keys);
    expect(found.toSorted()).toEqual(names.toSorted());
    expect(entries.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it("gives Puppet's issues the names and the codes that Puppet gives them", () => {
    const { issues = {} } = readJudgedCases('issue-codes.json');
    const ours = entries.filter(({ maker }) => maker === 'issue');
    expect(ours.filter(({ name, code }) => issues[name] !== code)).toEqual([]);
  });

  it("gives no text without a code the name of one of Puppet's issues", () => {
    const { issues = {} } = readJudgedCases('issue-codes.json');
    expect(entries.filter(({ name, maker }) => maker === 'fault' && name in issues)).toEqual([]);
  });

  it('has no entry that nothing uses', () => {
    const used = new Set(uses.flatMap(({ text }) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g) ?? []));
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });
});

describe('error texts outside of the catalogue', () => {
  it("are Ruby's own", () => {
    expect(uses.flatMap(findInlineErrorTexts)).toEqual([]);
  });

  it.each([
    ["throw new PuppetError('a');", ['x.ts:1']],
    ['throw new LookupError(\n  `a`,\n);', ['x.ts:1']],
    ["throw new PuppetError(a === 1 ? 'a' : b);", ['x.ts:1']],
    ["// Ruby: Integer()\nthrow new PuppetError('a');", []],
    ["throw new PuppetError('a'); // Ruby: Integer()", []],
    ["// Ruby: Integer()\n\nthrow new PuppetError('a');", ['x.ts:3']],
    ['throw new PuppetError(error.basic);', []],
    ["throw new PuppetError(ISSUES.UNKNOWN_VARIABLE({ name: 'a' }));", []],
  ])('are found: %s', (text, found) => {
    expect(findInlineErrorTexts({ path: 'x.ts', text })).toEqual(found);
  });
});
