/** Checks that paths, commands, options and scripts which the pages cite exist. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProgram } from '../../functions/program.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { type DescribedCommand, describeProgram } from '../../shared/cli/manual/describe-program.ts';
import { describeCommand } from '../../shared/local/options.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'shared/README.md', 'infra/README.md'], {
  cwd: ROOT,
});
/** Code of a page: in backquotes, or a line of a block. */
const CODE = /`([^`\n]+)`|^(?: {0,4})((?:\$ )?(?:npx |sudo )?understudy .*|npm .*)$/gm;
/** Tail of a path, as `fan-out/run-chain.ts`, that does not begin with a folder of the top. */
const TAIL = /^[\w-]+(?:\/[\w-]+)*(?:\.\w+)*\.tsx?$/;
const PLACEHOLDER = /NAME|\by\./;
const SOURCE = /(?<![\w./-])((?:shared|functions|infra|test|docs|examples|\.ci)\/[\w./-]*\w)/g;

const program = describeProgram(createProgram());
const OPTIONS = new Set([
  ...optionsOf(program),
  ...describeCommand({ workers: 1 }).options.flatMap(({ long }) => long ?? []),
]);

function optionsOf({ options, commands }: DescribedCommand): readonly string[] {
  const own = options.flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? []);
  return [...own, ...commands.flatMap(optionsOf)];
}

function findCommand(words: readonly string[]): boolean {
  let found: DescribedCommand = program;
  for (const word of words) {
    const next = found.commands.find(({ path, aliases }) => [path.at(-1), ...aliases].includes(word));
    if (next === undefined) return found.commands.length === 0;
    found = next;
  }
  return true;
}

function faultsOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const code = [...text.matchAll(CODE)].map(([, inline, line]) => (inline ?? line ?? '').trim());
  return code.flatMap((one) => [
    ...[...one.matchAll(SOURCE)].flatMap(([, path = '']) => (isThere(path) ? [] : [`${path} does not exist`])),
    ...(TAIL.test(one) && !isTailOfFile(one) ? [`${one} does not exist`] : []),
    ...findScript(one),
    ...findCommands(one),
  ]);
}

/** Also a folder, a name without its suffix, or a path with a placeholder. */
function isThere(path: string): boolean {
  if (PLACEHOLDER.test(path)) return true;
  return existsSync(join(ROOT, path)) || globSync(`${path}*`, { cwd: ROOT }).length > 0;
}

const FILES = globSync(['{functions,infra,shared,test}/**/*.{ts,tsx}', '*.ts'], { cwd: ROOT }).map(
  (path) => `/${path}`,
);

function isTailOfFile(tail: string): boolean {
  return PLACEHOLDER.test(tail) || FILES.some((path) => path.endsWith(`/${tail}`));
}

function findScript(code: string): readonly string[] {
  const [, script] = /^npm run (?:-s )?([\w:-]+)/.exec(code) ?? [];
  return script === undefined || Object.hasOwn(packageFile.scripts, script) ? [] : [`npm run ${script} does not exist`];
}

function findCommands(code: string): readonly string[] {
  const [, rest] = /^(?:\$ |sudo |npx )*understudy (.*)$/.exec(code) ?? [];
  if (rest === undefined) return [];
  const words = rest.split(/\s+/);
  const names = words.slice(0, words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0);
  const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/[^\w-].*$/, ''));
  return [
    ...(findCommand(names) ? [] : [`understudy ${names.join(' ')} does not exist`]),
    ...options.filter((option) => !OPTIONS.has(option)).map((option) => `understudy … ${option} does not exist`),
  ];
}

it.each(PAGES)('what %s names exists', (page) => {
  expect(faultsOf(page)).toEqual([]);
});

it('sees a command, an option, a script and a path that do not exist', () => {
  expect(findCommands('understudy node exlain web01')).toEqual(['understudy node exlain does not exist']);
  expect(findCommands('understudy node list --colour')).toEqual(['understudy … --colour does not exist']);
  expect(findScript('npm run benhc')).toEqual(['npm run benhc does not exist']);
  expect(isThere('shared/http/nothing.ts')).toBe(false);
  expect([isTailOfFile('http/route.ts'), isTailOfFile('http/nothing.ts')]).toEqual([true, false]);
});
