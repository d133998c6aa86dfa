import { extname } from 'node:path/posix';
import { crc32 } from 'node:zlib';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { packId } from './pack-file.ts';

/** A pack to be stored. */
export interface PackPlan {
  readonly id: string;
  readonly isUsual: boolean;
  /** Snapshot paths, sorted. */
  readonly paths: readonly string[];
  /** The sha256 of the files, sorted, each once. */
  readonly contents: readonly string[];
}

/** Larger files are in no pack, and are fetched on demand. */
export const LOADED_BYTES = 1024 * 1024;
/** Larger files that agents get are in no pack. */
const STATIC_BYTES = 256 * 1024;

/** Extensions of files that nearly every compile reads. */
const USUAL_EXTENSIONS = new Set(['.pp', '.yaml', '.yml', '.json', '.epp', '.erb', '.conf', '.eyaml', '.hocon']);
/**
 * Types of resources are among them: a compile starts again for each file that it lacks, and nodes
 * use a dozen types of modules. A first compile in a new process takes 18 to 28% less CPU time with
 * them (three nodes over Debian's modules, Node 24, November 2026).
 */
const USUAL_PLACES = /\/lib\/puppet\/(type|(parser\/)?functions)\/.*\.rb$|\/templates\//;
/** Tests and documentation of modules, which no compile reads. */
const LEFT_OUT = /^\/(spec|examples|docs)\//;
/** Files that some compiles read: Ruby that functions require, and files that `file()` reads. */
const OCCASIONAL = /\/lib\/.*\.rb$|\/files\//;
/** `environments/<name>/<folder>/<module>`, or `modules/<module>`. */
const MODULE = /^(?:environments\/[^/]+\/)?(?!environments\/|data\/|hieradata\/|manifests\/)[^/]+\/[^/]+(?=\/)/;

/** A pack has about these bytes before compression, and more in a large environment. */
const PACK_BYTES = 2 * 1024 * 1024;
/**
 * Number of packs: a cold compile of 6,000 files makes at most 10 reads, and of 50,000 files at
 * most 30. Occasional files have half as many packs as usual ones.
 */
const FILES_A_SHARE = 3000;
const FEWEST_SHARES = 2;
const MOST_SHARES = 10;

/** Whether nearly every compile reads the file: it is loaded with the environment. */
export function isUsual(path: string, size: number): boolean {
  if (size > LOADED_BYTES || isLeftOut(path)) return false;
  return USUAL_EXTENSIONS.has(extname(path)) || USUAL_PLACES.test(path);
}

function isLeftOut(path: string): boolean {
  const module = moduleOf(path);
  return module !== '' && LEFT_OUT.test(path.slice(module.length));
}

/** The module that the file belongs to; otherwise the empty text. */
export function moduleOf(path: string): string {
  return MODULE.exec(path)?.[0] ?? '';
}

/**
 * Distributes the files that compiles read over packs: those that every compile reads, and those
 * that some read. A module's files are in one pack, with other modules, and the environment's own
 * are apart from modules. A pack depends only on the files in it and on the rough size of the
 * environment, so a changed file gives one new pack.
 */
export function planPacks(snapshot: Snapshot): readonly PackPlan[] {
  const usual = new FileGroups();
  const own = new FileGroups();
  const occasional = new FileGroups();
  const paths = Object.keys(snapshot.files).sort();
  for (const path of paths) {
    const size = snapshot.files[path]?.size ?? 0;
    const module = moduleOf(path);
    if (isUsual(path, size)) (module === '' ? own : usual).add(module, path, size);
    else if (size <= STATIC_BYTES && OCCASIONAL.test(path) && !isLeftOut(path)) occasional.add(module, path, size);
  }
  const shares = Math.min(Math.max(Math.floor(paths.length / FILES_A_SHARE), FEWEST_SHARES), MOST_SHARES);
  const bytes = Math.max(PACK_BYTES, (usual.bytes + own.bytes) / shares);
  return [
    ...own.divide(bytes).map((one) => planPack(one, true, snapshot)),
    ...usual.divide(bytes).map((one) => planPack(one, true, snapshot)),
    ...occasional
      .divide(Math.max(PACK_BYTES, (occasional.bytes / shares) * 2))
      .map((one) => planPack(one, false, snapshot)),
  ];
}

function planPack(paths: readonly string[], usual: boolean, { files }: Snapshot): PackPlan {
  const contents = [...new Set(paths.flatMap((path) => files[path]?.sha256 ?? []))].sort();
  return { id: packId(contents), isUsual: usual, paths, contents };
}

/** Files by module. */
class FileGroups {
  bytes = 0;
  readonly #groups = new Map<string, { readonly paths: string[]; bytes: number }>();

  add(module: string, path: string, size: number): void {
    const group = this.#groups.get(module) ?? { paths: [], bytes: 0 };
    this.#groups.set(module, group);
    group.paths.push(path);
    group.bytes += size;
    this.bytes += size;
  }

  /**
   * Divides the files into lists of about `bytes` each. Their number is a power of two or one and a
   * half times that, so that it seldom changes. Files of a module that is larger are divided, too.
   */
  divide(bytes: number): readonly (readonly string[])[] {
    const lists = Array.from({ length: roundUp(this.bytes / bytes) }, (): string[] => []);
    for (const [module, group] of this.#groups) {
      for (const path of group.paths) {
        lists[crc32(module === '' || group.bytes > bytes ? path : module) % lists.length]?.push(path);
      }
    }
    return lists.filter(({ length }) => length > 0);
  }
}

/** The next of 1, 2, 3, 4, 6, 8, 12, 16 and so on. */
function roundUp(count: number): number {
  const power = 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(count, 1))));
  return power > 2 && (power / 4) * 3 >= count ? (power / 4) * 3 : power;
}
