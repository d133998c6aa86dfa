import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import { isJsonObject } from '../../util/json-object.ts';
import type { UrlGuard } from '../../util/url-guard.ts';
import { GitMirror } from './git-mirror.ts';
import { type AskUrl, InvalidSource } from './git-url.ts';
import { type ModuleOrigin, type PuppetfileModule, readPuppetfile } from './puppetfile.ts';
import { GitFailed, type GitSettings } from './run-git.ts';
import { fetchGuarded } from './source-guard.ts';

/** Services and limits of an installation of modules. */
export interface ModulePorts {
  readonly git: GitSettings;
  /** The private key of the control repo, which serves for modules, too. */
  readonly key: string | null;
  /** The bounds of the Puppetfile's URLs; null: none. */
  readonly guard: UrlGuard | null;
  readonly fetch: AskUrl;
  /** The Forge's API. */
  readonly forge: string;
}

export const FORGE_URL = 'https://forgeapi.puppet.com';

const LARGEST_TARBALL = 256 * 2 ** 20;
const LARGEST_MODULE = 2 ** 30;
const DOWNLOAD_MS = 120_000;

/**
 * Installs the modules of an environment's Puppetfile into its folder; nothing without one. It
 * replaces the content of a module's path. `branch`: that of the environment. Throws InvalidSource
 * and GitFailed, which name the module and its line.
 */
export async function installModules(environment: string, branch: string, ports: ModulePorts): Promise<void> {
  const file = join(environment, 'Puppetfile');
  if (!existsSync(file)) return;
  await demandNoLinks(environment, 'Puppetfile');
  for (const module of readPuppetfile(await readFile(file, 'utf8'))) {
    try {
      await install(module, environment, branch, ports);
    } catch (error) {
      if (!(error instanceof InvalidSource || error instanceof GitFailed)) throw error;
      throw new InvalidSource(`Puppetfile, line ${module.line}: module '${module.name}': ${error.message}`);
    }
  }
}

async function install({ path, origin }: PuppetfileModule, environment: string, branch: string, ports: ModulePorts) {
  await demandNoLinks(environment, dirname(path));
  const folder = join(environment, path);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, '..'), { recursive: true });
  if (origin.kind === 'git') return installFromGit(origin, folder, branch, ports);
  const { url, sha256 } = origin.kind === 'forge' ? await findRelease(origin, ports) : origin;
  await unpack(await download(url, sha256, ports), folder);
}

/** A link on the way would have files outside of the environment read or replaced. */
async function demandNoLinks(environment: string, path: string): Promise<void> {
  let folder = environment;
  for (const part of path.split('/')) {
    folder = join(folder, part);
    const found = await lstat(folder).catch(() => null);
    if (found?.isSymbolicLink()) throw new InvalidSource(`'${relative(environment, folder)}' is a symbolic link`);
  }
}

async function installFromGit(
  { url, ref, fallback }: ModuleOrigin & { readonly kind: 'git' },
  folder: string,
  branch: string,
  { git, key, guard }: ModulePorts,
): Promise<void> {
  const mirror = new GitMirror(url, key, git, guard);
  // A commit never changes: it is fetched once.
  const isCommit = ref !== null && /^[0-9a-f]{40}$/.test(ref);
  let commit = isCommit ? await mirror.findCommit(ref).catch(() => null) : null;
  if (commit === null) {
    await mirror.fetch();
    commit = await mirror.findCommit(ref ?? branch);
  }
  if (commit === null && ref === null && fallback !== null) commit = await mirror.findCommit(fallback);
  if (commit === null) throw new InvalidSource(`${url} has neither a branch, a tag nor a commit '${ref ?? branch}'`);
  await mirror.write(commit, folder);
}

interface Tarball {
  readonly url: string;
  readonly sha256: string | null;
}

/** The file of a release. Forge API: GET /v3/releases/SLUG-VERSION, GET /v3/modules/SLUG */
async function findRelease(
  { slug, version }: ModuleOrigin & { readonly kind: 'forge' },
  ports: ModulePorts,
): Promise<Tarball> {
  const path = version === null ? `/v3/modules/${slug}` : `/v3/releases/${slug}-${version}`;
  const body = await request(`${ports.forge}${path}`, ports, async (response): Promise<unknown> => response.json());
  const release = version === null && isJsonObject(body) ? body.current_release : body;
  if (!isJsonObject(release) || typeof release.file_uri !== 'string') {
    throw new InvalidSource(`the Forge has no file of ${slug} ${version ?? ''}`.trimEnd());
  }
  const { file_uri: uri, file_sha256: sha256 } = release;
  return { url: new URL(uri, ports.forge).href, sha256: typeof sha256 === 'string' ? sha256 : null };
}

async function download(url: string, sha256: string | null, ports: ModulePorts): Promise<Uint8Array> {
  const bytes = await request(url, ports, readLimited);
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== null && digest !== sha256) throw new InvalidSource(`${url} has the sha256 ${digest}, not ${sha256}`);
  return bytes;
}

async function request<T>(url: string, ports: ModulePorts, read: (response: Response) => Promise<T>): Promise<T> {
  try {
    // The operator configures the Forge, and its host alone: not where it leads.
    const { origin } = new URL(ports.forge);
    const guardOf = (hop: string) => (new URL(hop).origin === origin ? null : ports.guard);
    const response = await fetchGuarded(url, guardOf, ports.fetch, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
    if (response.ok) return await read(response);
    throw new InvalidSource(`${url} answers ${response.status}`);
  } catch (error) {
    if (error instanceof InvalidSource) throw error;
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new InvalidSource(`${url} cannot be read: ${reason}`);
  }
}

async function readLimited(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LARGEST_TARBALL) throw new InvalidSource(`the file has more than ${LARGEST_TARBALL} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Unpacks a gzipped tar archive; its only folder, if there is one, is the module. */
async function unpack(archive: Uint8Array, folder: string): Promise<void> {
  const unpacked = `${folder}.unpacked`;
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  try {
    await pipeline(Readable.from([archive]), createGunzip(), limitBytes(LARGEST_MODULE), unpackTar(unpacked));
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    throw new InvalidSource(
      `the file is no gzipped tar archive: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const entries = await readdir(unpacked, { withFileTypes: true });
  const [only] = entries;
  const isWrapped = entries.length === 1 && only?.isDirectory() === true;
  await rename(isWrapped ? join(unpacked, only.name) : unpacked, folder);
  await rm(unpacked, { recursive: true, force: true });
}

function limitBytes(most: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _, done) {
      size += chunk.byteLength;
      if (size > most) done(new Error(`it unpacks to more than ${most} bytes`));
      else done(null, chunk);
    },
  });
}
