import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = globSync(['*.md', 'docs/**/*.md', 'infra/**/*.md', 'shared/*.md', 'test/parity/**/*.md'], { cwd: ROOT });
const LINK = /\]\((?<target>[^)#\s]*)(?:#(?<anchor>[^)\s]*))?\)/g;

/** The anchors of a page, as GitHub makes them of headings. */
function anchorsOf(path: string): readonly string[] {
  const headings = readFileSync(join(ROOT, path), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function faultsOf(page: string): readonly string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)].flatMap(({ groups = {} }) => {
    const { target = '', anchor } = groups;
    if (/^[a-z]+:/.test(target)) return [];
    const path = target === '' ? page : normalize(join(dirname(page), target));
    if (!existsSync(join(ROOT, path))) return [`${target} does not exist`];
    const isFound = anchor === undefined || !path.endsWith('.md') || anchorsOf(path).includes(anchor);
    return isFound ? [] : [`${path} has no heading #${anchor}`];
  });
}

it.each(PAGES)('the links of %s lead somewhere', (page) => {
  expect(faultsOf(page)).toEqual([]);
});
