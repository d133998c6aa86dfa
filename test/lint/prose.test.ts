import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-prose-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the check over these files. */
function check(files: readonly (readonly [path: string, text: string])[]) {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  }
  const program = join(import.meta.dirname, 'prose.ts');
  const { status, stderr } = spawnSync(process.execPath, [program, folder], { encoding: 'utf8' });
  return { status, faults: stderr.split('\n').filter((line) => line !== '') };
}

it('refuses comments that begin with a clause, and comments wider than 100 columns', () => {
  const planted = [
    ['functions/a.ts', '/** What a reader may cost. */', 1, 'What'],
    ['functions/b', '#!/bin/sh\n\n# How it starts.', 3, 'How'],
    ['infra/a.ts', '// Where files are.', 1, 'Where'],
    ['shared/a.ts', '/**\n * Of two sides, the one that fewer match.\n */', 2, 'Of'],
    ['shared/b.ts', 'interface B {\n  /** Which command is due. */\n}', 2, 'Which'],
    ['shared/c.ts', 'const C = 1;\n// Those that ended.', 2, 'Those'],
    ['shared/d.tsx', '/** So many without a pause. */', 1, 'So many'],
    ['shared/e.ts', '/* So much is kept. */', 1, 'So much'],
    ['shared/f.css', '/* So long after the last key, it is sent. */', 1, 'So long'],
    ['shared/g.ts', '/** After so long, those who could have done it. */', 1, 'After so'],
    ['shared/h.ts', '/** A limit. */\n/** How many there are. */', 2, 'How'],
    ['shared/i.rb', 'def a\n  # What a command printed.\nend', 2, 'What'],
  ] as const;
  const { status, faults } = check([
    ...planted.map(([path, text]) => [path, text] as const),
    ['test/a.ts', `// ${'a'.repeat(97)}\n\n// ${'a'.repeat(98)}`],
  ]);
  expect(status).toBe(1);
  expect(faults.toSorted()).toEqual([
    ...planted.map(
      ([path, , line, words]) =>
        `${path}:${line}: comment that begins with '${words}'; write a noun phrase or a sentence`,
    ),
    'test/a.ts:3: comment of 101 columns; at most 100',
  ]);
});

it('accepts such words elsewhere', () => {
  const outcome = check([
    ['shared/sentence.ts', '/**\n * Reads a file.\n * What it lacks is null.\n */'],
    ['shared/line.ts', '// Reads a file.\n// Where it is absent, it is null.'],
    ['shared/word.ts', '/** Whether it ends. */\n/** Offset of the page. */'],
    ['shared/text.ts', "const a = 'What is this?';"],
    ['shared/fixtures/a.ts', '/** What others write. */'],
    ['test/a.ts', '/** What a test does. */'],
  ]);
  expect(outcome).toEqual({ status: 0, faults: [] });
});

it('refuses wide prose in documents, but no table, code, or line that no blank can break', () => {
  const [wide, word] = ['a '.repeat(51).trim(), 'a'.repeat(101)];
  const { status, faults } = check([
    ['docs/a.md', `${wide}\n\n- ${wide}`],
    ['docs/b.md', `| ${wide} |\n\n\`\`\`\n${wide}\n\`\`\`\n\n- \`${wide}\`\n${word}`],
    ['README.md', wide],
  ]);
  expect(status).toBe(1);
  expect(faults.toSorted()).toEqual([
    'README.md:1: prose of 101 columns; at most 100',
    'docs/a.md:1: prose of 101 columns; at most 100',
    'docs/a.md:3: prose of 103 columns; at most 100',
  ]);
});
