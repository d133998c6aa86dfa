/**
 * Finds comments wider than 100 columns in TypeScript, CSS, Ruby, scripts and the Containerfile;
 * the formatter does not wrap them. Exit code 1 if any.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const MOST_COLUMNS = 100;
const FOLDERS = ['.ci', 'functions', 'infra', 'shared', 'test'];
/** Written by others, or as others write it. */
const FOREIGN = /(?:^|\/)(?:node_modules|fixtures|repos)\//;
const SLASHES = /^\s*(\/\/|\/\*|\*)/;
const HASHES = /^\s*#/;
/** Directives of linters stand on one line, however long their reason is. */
const DIRECTIVE = /^\s*(?:\/\/ biome-ignore|# shellcheck )/;

/** What a comment begins with in this file; null for a file without comments that are read. */
function commentOf(path: string, text: string): RegExp | null {
  if (/\.(?:tsx?|css)$/.test(path)) return SLASHES;
  return /\.(?:rb|sh|ps1)$|(?:^|\/)Containerfile$/.test(path) || text.startsWith('#!') ? HASHES : null;
}

function findWide(path: string): readonly string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const comment = commentOf(path, text);
  if (comment === null) return [];
  return text.split('\n').flatMap((line, index) => {
    const isWide = line.length > MOST_COLUMNS && comment.test(line) && !DIRECTIVE.test(line);
    return isWide ? [`${path}:${index + 1}: comment of ${line.length} columns`] : [];
  });
}

const paths = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
);
const read = ['Containerfile', ...paths].filter((path) => !FOREIGN.test(path));
const wide = read.flatMap(findWide);
if (wide.length > 0) {
  process.stderr.write(`${wide.join('\n')}\nComments have at most ${MOST_COLUMNS} columns\n`);
  process.exitCode = 1;
}
