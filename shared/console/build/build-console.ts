import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { OutputFile } from 'esbuild';
import { type BundledAsset, describeAsset, readBundle, writeBundle } from './bundle-file.ts';

interface ConsoleBuildRequest {
  /** The project's folder. */
  readonly root: string;
  /** Folder of a new bundle; below `node_modules` by default. */
  readonly cache?: string;
}

const CLIENT = 'shared/console/client';
/** Folder of the bundle in a packed release: no esbuild is installed beside it. */
export const PACKED_CONSOLE = 'dist/console';
/** Browsers of the last two years. */
const TARGETS = ['chrome120', 'firefox121', 'safari17'];

/**
 * Elements are made by `createElement`, whose children are arguments: that takes 0.9 kB less than
 * the automatic runtime, gzipped, for which `jsx: 'automatic'` and the client's tsconfig.json would
 * stand here. A tsconfig.json of its own keeps that one out.
 */
const JSX = {
  jsx: 'transform',
  jsxFactory: 'createElement',
  jsxFragment: 'Fragment',
  tsconfigRaw: { compilerOptions: { target: 'es2024', strict: true } },
} as const;

/**
 * Bundles the console's client, or takes the bundle that an earlier call made of the same sources.
 * Without esbuild it takes the bundle that the packing of the release made; throws with
 * `ERR_MODULE_NOT_FOUND` when there is none of these sources.
 */
export async function buildConsole({ root, cache }: ConsoleBuildRequest): Promise<readonly BundledAsset[]> {
  const folder = cache ?? join(root, 'node_modules', '.cache', 'understudy-console');
  const name = `${digestSources(root)}.json`;
  const found = readKeptBundle(join(folder, name));
  if (found !== null) return found;
  const esbuild = await import('esbuild').catch((error: unknown) => error);
  const packed = isBundler(esbuild) ? null : readKeptBundle(join(root, PACKED_CONSOLE, name));
  if (packed !== null) return packed;
  if (!isBundler(esbuild)) throw esbuild;
  const assets = await bundleClient(root, esbuild.build);
  keepBundle(join(folder, name), assets);
  return assets;
}

/** A digest of everything that the bundle is made of. */
function digestSources(root: string): string {
  const digest = createHash('sha256');
  const names = readdirSync(join(root, CLIENT), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => /\.(?:tsx?|css|html|svg|json)$/.test(one)).sort()) {
    digest
      .update(`${name}\0`)
      .update(readFileSync(join(root, CLIENT, name)))
      .update('\0');
  }
  digest.update(readFileSync(join(import.meta.dirname, 'build-console.ts')));
  return digest.update(readVersions(root)).digest('hex');
}

/** The versions of the packages that make the bundle. A release has no lock file, but these. */
function readVersions(root: string): string {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies?: Readonly<Record<string, string>>;
  };
  return `preact ${devDependencies.preact}, esbuild ${devDependencies.esbuild}`;
}

type Bundler = typeof import('esbuild');

function isBundler(loaded: unknown): loaded is Bundler {
  return typeof loaded === 'object' && loaded !== null && 'build' in loaded;
}

async function bundleClient(root: string, build: Bundler['build']): Promise<readonly BundledAsset[]> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, CLIENT, 'main.tsx')],
    outdir: '/console',
    entryNames: '[name]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: TARGETS,
    ...JSX,
    inject: [join(root, 'node_modules/preact/dist/preact.mjs')],
    legalComments: 'none',
    logLevel: 'silent',
  });
  const bundled = outputFiles.map(toAsset).sort((a, b) => (a.type < b.type ? -1 : 1));
  const page = fillPage(readFileSync(join(root, CLIENT, 'index.html'), 'utf8'), bundled);
  const icon = describeAsset('icon.svg', readFileSync(join(root, CLIENT, 'icon.svg')), false);
  return [describeAsset('index.html', Buffer.from(page), false), icon, ...bundled];
}

/**
 * Its name has half of the digest of its content, so that whoever has the name can check the file.
 */
function toAsset({ path, contents }: OutputFile): BundledAsset {
  const { name, ext } = parse(path);
  const { hash, type } = describeAsset(path, contents, true);
  return { path: `${name}-${hash.slice(0, 32)}${ext}`, bytes: contents, type, hash, isImmutable: true };
}

/** Writes the names of script and style into the page. */
function fillPage(page: string, assets: readonly BundledAsset[]): string {
  const nameOf = (extension: string) => assets.find(({ path }) => path.endsWith(extension))?.path ?? '';
  return page.replace('{{script}}', nameOf('.js')).replace('{{style}}', nameOf('.css'));
}

/** The bundle of the same sources; null when there is none, or it cannot be read. */
function readKeptBundle(path: string): readonly BundledAsset[] | null {
  try {
    return readBundle(path);
  } catch {
    return null;
  }
}

/** Keeps a bundle for later starts. A folder that cannot be written only costs them the time. */
function keepBundle(path: string, assets: readonly BundledAsset[]): void {
  try {
    writeBundle(path, assets);
  } catch {
    return;
  }
}
