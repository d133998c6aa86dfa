import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OnLoadResult, Plugin } from 'esbuild';
import { invariant } from '../../puppet/errors/puppet-error.ts';
import { type ImageFiles, imageFiles, type SourceStamp, stampOf } from './start-image.ts';

interface StartImageRequest {
  /** The project's folder. */
  readonly root: string;
  /** The path where `understudy` finds Node. */
  readonly node: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The holder of an older lock counts as dead. */
const LOCK_MS = 60_000;
/**
 * Flags under which V8 makes and runs the image; with other flags V8 would reject the compiled code
 * of Node's own modules. One thread and few, cheap optimisations: most commands end before others
 * pay off. Compiled code is never discarded. Strings keep their hashes from the image, because code
 * and data of commands are the operator's own. The young generation has the size that most compiles
 * need.
 */
const V8_FLAGS = [
  '--single-threaded',
  '--max-opt=2',
  '--invocation-count-for-maglev=3200',
  '--no-maglev-loop-peeling',
  '--no-maglev-cse',
  '--no-maglev-escape-analysis',
  '--no-flush-bytecode',
  '--no-rehash-snapshot',
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
];

/**
 * Makes the start image of `functions/start.ts`, unless another process is making it. Throws when
 * esbuild is not installed.
 */
export async function makeStartImage({ root, node, now }: StartImageRequest): Promise<void> {
  const files = imageFiles(root);
  mkdirSync(files.folder, { recursive: true });
  if (!takeLock(files.lock, now)) return;
  const temporary = (what: string) => `${what}.${process.pid}`;
  const program = temporary(join(files.folder, 'start.cjs'));
  const blob = temporary(files.blob);
  try {
    writeFileSync(program, await bundle(root));
    const flags = ['--no-warnings', ...V8_FLAGS, '--snapshot-blob', blob];
    execFileSync(node, [...flags, '--build-snapshot', program], { stdio: 'pipe' });
    for (const path of [files.sum, files.node]) rmSync(path, { force: true });
    renameSync(blob, files.blob);
    const madeBy = realpathSync(node);
    copyTime(madeBy, files.nodeTime);
    copyTime(dirname(madeBy), files.folderTime);
    writeFileSync(files.node, `${[madeBy, root, V8_FLAGS.join(' ')].join('\n')}\n`);
    writeChecksums(files);
  } finally {
    for (const path of [program, blob, files.lock]) rmSync(path, { force: true });
  }
}

/** Writes the checksums of the image's files. It is used from then on. */
export function writeChecksums({ folder, blob, node, sum }: ImageFiles): void {
  const names = [blob, node].map((path) => basename(path));
  const unfinished = `${sum}.${process.pid}`;
  writeFileSync(unfinished, execFileSync('cksum', names, { cwd: folder }));
  renameSync(unfinished, sum);
}

/** Copies times to the nanosecond, which Node's own functions cannot. */
function copyTime(from: string, to: string): void {
  execFileSync('touch', ['-r', from, to], { stdio: 'pipe' });
}

function takeLock(path: string, now: number): boolean {
  const held = stampOf(path);
  // A lock from the future was made while the clock was wrong.
  if (held && Math.abs(now - held[1]) > LOCK_MS) rmSync(path, { force: true });
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Bundles the program and all its imports into one script, with the stamps of its source files. */
async function bundle(root: string): Promise<string> {
  const { build } = await import('esbuild');
  // Our version; for installed packages, the list that npm keeps of them instead of their files.
  const stamps = [
    requireStamp(join(root, 'package.json')),
    requireStamp(join(root, 'node_modules', '.package-lock.json')),
  ];
  const { outputFiles } = await build({
    entryPoints: [join(root, 'functions', 'start.ts')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: `node${process.versions.node}`,
    // A shorter program makes a smaller image. Names stay for stack traces.
    minifyWhitespace: true,
    logLevel: 'silent',
    plugins: [ownSources(root, stamps), lateCrypto],
  });
  const [output] = outputFiles;
  invariant(output !== undefined, 'esbuild writes one file');
  return `const START_IMAGE_SOURCES = ${JSON.stringify(stamps)};\n${output.text}`;
}

/**
 * Loads our own source files: stamps each before reading it, and fixes its `import.meta` paths for
 * the bundle. Private members (`#name`) stay as they are: as ordinary members they saved 1% of the
 * CPU time of a cold `understudy compile` of the example, and 2 to 3% with 1,114 resources (medians
 * of 20 pairs, Node 24, November 2026).
 */
function ownSources(root: string, stamps: SourceStamp[]): Plugin {
  const read = ({ path }: { readonly path: string }): OnLoadResult | null => {
    if (!/^(shared|functions)[\\/]/.test(relative(root, path))) return null;
    stamps.push(requireStamp(path));
    const contents = readFileSync(path, 'utf8')
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
    return { loader: 'ts', contents };
  };
  return { name: 'own-sources', setup: (building) => building.onLoad({ filter: /\.ts$/ }, read) };
}

function requireStamp(path: string): SourceStamp {
  const stamp = stampOf(path);
  invariant(stamp !== null, `${path} is there`);
  return stamp;
}

/**
 * Loads Node's cryptography at its first use after the start: with it in an image, no thread can
 * load it (Node 24 ends with a failed assertion). The compile that warms up the image gets other
 * digests.
 */
const lateCrypto: Plugin = {
  name: 'late-crypto',
  setup(building) {
    building.onResolve({ filter: /^node:crypto$/ }, ({ path }) => ({ path, namespace: 'late' }));
    building.onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
      contents: `
        const { isBuildingSnapshot } = require('node:v8').startupSnapshot;
        const load = () => process.getBuiltinModule(${JSON.stringify(path)});
        const hash = (...all) => (isBuildingSnapshot() ? String(all[1]?.length).padEnd(64, '0') : load().hash(...all));
        for (const name of ${JSON.stringify(Object.keys(crypto))}) {
          Object.defineProperty(exports, name, { enumerable: true, get: () => (name === 'hash' ? hash : load()[name]) });
        }`,
    }));
  },
};
