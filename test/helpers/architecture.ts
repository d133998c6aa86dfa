/**
 * Checks of the whole source tree. Each returns the offending places; an empty list means that all
 * is well.
 */
import { basename, dirname } from 'node:path';
import type { SourceFile } from './source-files.ts';

/** Finds cycles of runtime imports; each is the path that closes it. */
export function findImportCycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const { target, typeOnly } of byPath.get(path)?.imports ?? []) {
      if (target !== null && !typeOnly) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const file of files) visit(file.path, []);
  return found;
}

/**
 * Finds circles among folders with the same parent, as `parent: one, two`. An import connects the
 * two folders in which the paths of its ends first differ. Files beside folders belong to the
 * parent, so they form no circle with these folders. Type imports count.
 */
export function findFolderCircles(files: readonly SourceFile[]): string[] {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const { path, imports } of files) {
    for (const { target } of imports) {
      const edge = target === null ? null : siblingsBetween(dirname(path), dirname(target));
      if (edge === null) continue;
      const graph = getOrAdd(graphs, edge.parent, () => new Map<string, Set<string>>());
      getOrAdd(graph, edge.from, () => new Set<string>()).add(edge.to);
    }
  }
  return [...graphs].flatMap(([parent, graph]) => {
    const circles = [...graph.keys()].map((folder) => {
      const others = [...reach(graph, folder)].filter((other) => reach(graph, other).has(folder));
      return others.sort().join(', ');
    });
    return [...new Set(circles)].filter((names) => names !== '').map((names) => `${parent}: ${names}`);
  });
}

function siblingsBetween(from: string, to: string): { parent: string; from: string; to: string } | null {
  const [own, other] = [from.split('/'), to.split('/')];
  const depth = own.findIndex((name, index) => name !== other[index]);
  const [ownName, otherName] = [own[depth], other[depth]];
  if (depth < 0 || ownName === undefined || otherName === undefined) return null;
  return { parent: own.slice(0, depth).join('/'), from: ownName, to: otherName };
}

/**
 * Collects the folders that imports reach from `start`; `start` itself only when they lead back to
 * it.
 */
function reach(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): Set<string> {
  const reached = new Set<string>();
  const queue = [...(graph.get(start) ?? [])];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    queue.push(...(graph.get(next) ?? []));
  }
  return reached;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const FOREIGN = /^(?:import|export)\s[^;]*?from '[^']+';|^import '[^']+';|^export (?:type )?\{[^}]*\};/gm;

/** Finds barrels: index files, and files that only re-export. */
export function findBarrels(files: readonly SourceFile[]): string[] {
  const isBarrel = ({ path, text }: SourceFile) => {
    const isReexporting = /^export\s/m.test(text) && text.replace(COMMENT, '').replace(FOREIGN, '').trim() === '';
    return basename(path) === 'index.ts' || isReexporting;
  };
  return files.filter(isBarrel).map(({ path }) => path);
}

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;

/** Finds names that several files export, with those files. */
export function findRepeatedExports(files: readonly SourceFile[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const [, name = ''] of text.matchAll(EXPORT)) getOrAdd(places, name, () => new Set<string>()).add(path);
  }
  return [...places].filter(([, paths]) => paths.size > 1).map(([name, paths]) => `${name}: ${[...paths].join(', ')}`);
}

/**
 * Finds names that a file exports and no file of `all` beside it mentions. A name in quotes is that
 * of a task, which a thread loads by it.
 */
export function findNeedlessExports(files: readonly SourceFile[], all: readonly SourceFile[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { path, text } of all) {
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) getOrAdd(places, word, () => new Set<string>()).add(path);
  }
  return files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(EXPORT), ([, name = '']) => name)
      .filter((name) => !text.includes(`'${name}'`))
      .filter((name) => [...(places.get(name) ?? [])].every((place) => place === path))
      .map((name) => `${path}: ${name}`),
  );
}
