/**
 * Finds comments wider than 100 columns in TypeScript, CSS, Ruby, scripts and the Containerfile,
 * and such prose in Markdown; the formatter does not wrap them. In the code of the product, also
 * finds comments that begin with a clause without a verb, such as a question word: a noun phrase or
 * a sentence takes its place.
 * Exit code 1 if any. An argument replaces the folder of the sources.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..'));
const MOST_COLUMNS = 100;
const FOLDERS = ['.ci', 'docs', 'functions', 'infra', 'shared', 'test'];
const FILES = ['Containerfile', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
/** Written by others, or as others write it. */
const FOREIGN = /(?:^|\/)(?:node_modules|fixtures|repos)\/|^shared\/api\/openapi\.d\.ts$/;
const SLASHES = /^\s*(?:\/\/|\/?\*+)/;
const HASHES = /^\s*#/;
/** Directives of linters stand on one line, however long their reason is. */
const DIRECTIVE = /^\s*(?:\/\/ biome-ignore|# shellcheck )/;
const PRODUCT = /^(?:functions|infra|shared)\//;
const CLAUSE = /^(?:What|How|Where|Of|Which|Those|So (?:many|much|long)|After so)\b/;

/** Returns how a comment's line starts in this file; null for a file without comments to read. */
function commentOf(path: string, text: string): RegExp | null {
  if (/\.(?:tsx?|css)$/.test(path)) return SLASHES;
  return /\.(?:rb|sh|ps1)$|(?:^|\/)Containerfile$/.test(path) || text.startsWith('#!') ? HASHES : null;
}

/** Finds lines outside of tables and code that a blank could break. */
function findWideProse(path: string, text: string): readonly string[] {
  const faults: string[] = [];
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*```/.test(line)) isCode = !isCode;
    const isBreakable = /\S \S/.test(line.replaceAll(/`[^`]*`/g, 'code').replace(/^\s*(?:[-*]|\d+\.) /, ''));
    if (!isCode && line.length > MOST_COLUMNS && isBreakable && !/^\s*\|/.test(line))
      faults.push(`${path}:${index + 1}: prose of ${line.length} columns; at most ${MOST_COLUMNS}`);
  }
  return faults;
}

function findFaults(path: string): readonly string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  if (path.endsWith('.md')) return findWideProse(path, text);
  const comment = commentOf(path, text);
  if (comment === null) return [];
  const faults: string[] = [];
  // Whether the line continues the comment of the line before.
  let isInside = false;
  for (const [index, line] of text.split('\n').entries()) {
    const place = `${path}:${index + 1}`;
    const isComment = comment.test(line);
    const words = isComment ? line.replace(comment, '').trim() : '';
    if (isComment && line.length > MOST_COLUMNS && !DIRECTIVE.test(line)) {
      faults.push(`${place}: comment of ${line.length} columns; at most ${MOST_COLUMNS}`);
    }
    if (!isInside && PRODUCT.test(path) && CLAUSE.test(words)) {
      faults.push(`${place}: comment that begins with '${CLAUSE.exec(words)?.[0]}'; write a noun phrase or a sentence`);
    }
    isInside = isComment && !line.includes('*/') && (isInside || words !== '');
  }
  return faults;
}

const paths = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
);
const read = [...FILES, ...paths].filter((path) => !FOREIGN.test(path) && existsSync(join(ROOT, path)));
const faults = read.flatMap(findFaults);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exitCode = 1;
}
