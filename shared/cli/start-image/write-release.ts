import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';

/** Folders of sources, and what is copied as it is. */
const SOURCES = ['functions', 'shared'];
const COPIED = ['examples', 'package.json'];
/** Folder of the console's bundle; absent where nobody built it. */
const BUNDLE = 'dist/console';
/** The console's bundle is known by a digest of these files, so they stay as they are. */
const KEPT = /^shared\/console\/(client\/|build\/build-console\.ts$)/;
const CLIENT = /^shared\/console\/client\//;
/** Names of our own modules, in imports and in the URLs of worker threads. */
const OWN_MODULE = /(['"])(\.\.?\/[^'"\n]*)\.ts\1/g;

/**
 * Writes what a package runs into `folder`: JavaScript in place of TypeScript, which Node does not
 * read below node_modules, beside all other files. Lines stay where they are, so that stack traces
 * fit the sources. Returns the number of files.
 */
export function writeRelease(root: string, folder: string): number {
  rmSync(folder, { recursive: true, force: true });
  const files = SOURCES.flatMap((name) => listFiles(root, name));
  for (const path of files) {
    if (!path.endsWith('.ts') || KEPT.test(path)) copyFile(root, folder, path);
    if (path.endsWith('.ts') && !CLIENT.test(path)) writeScript(root, folder, path);
  }
  for (const path of COPIED) cpSync(join(root, path), join(folder, path), { recursive: true });
  if (existsSync(join(root, BUNDLE))) cpSync(join(root, BUNDLE), join(folder, BUNDLE), { recursive: true });
  return files.length;
}

function listFiles(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(root, path) : [path];
  });
}

function copyFile(root: string, folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), readFileSync(join(root, path)), { mode: statSync(join(root, path)).mode });
}

function writeScript(root: string, folder: string, path: string): void {
  const code = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8'), { mode: 'strip' });
  const target = join(folder, path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, code.replace(OWN_MODULE, '$1$2.js$1'));
}
