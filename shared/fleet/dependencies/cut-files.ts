import type { FileInputs } from '../../puppet/environment/inputs.ts';
import type { DependencySet, Observations, Part } from '../../store/ports/dependency-index.ts';
import { digestSha256 } from '../../util/digest.ts';
import { quotePattern } from '../../util/literal-pattern.ts';
import { nameOfPart } from './part-name.ts';

/** A compile's reads of files; `dataKeys` has the keys of data files that it read by key. */
export interface CutFiles {
  readonly set: DependencySet;
  readonly own: Observations;
}

/**
 * Cuts the reads of a compile into parts, one a folder, and what only this node looks at. Contents
 * have no influence, so that a changed file leaves all ids as they are.
 */
export function cutFiles(environment: string, certname: string, { files, dataKeys }: FileInputs): CutFiles {
  const isOwn = ownPathTest(certname);
  const own = new Collected();
  const byName = new Map<string, Collected>();
  for (const path of Object.keys(files).sort()) {
    const name = nameOfPart(path);
    let part = isOwn(path) ? own : byName.get(name);
    if (!part) {
      part = new Collected();
      byName.set(name, part);
    }
    part.add(path, files[path] ?? null, dataKeys[path]);
  }
  const parts = [...byName].map(([name, { observations }]): Part => {
    return { id: digestSha256(JSON.stringify([name, observations])), name, observations };
  });
  const id = digestSha256(JSON.stringify([environment, ...parts.map((part) => part.id).sort()]));
  return { set: { environment, id, parts }, own: own.observations };
}

/** All paths of these observations. */
export function pathsOf({ contents, kinds, keys }: Observations): readonly string[] {
  return [...new Set([...contents, ...kinds, ...Object.keys(keys)])];
}

/** Observations in the order of their paths. */
class Collected {
  readonly #contents: string[] = [];
  readonly #kinds: string[] = [];
  readonly #keys: Record<string, readonly string[]> = {};

  get observations(): Observations {
    return { contents: this.#contents, kinds: this.#kinds, keys: this.#keys };
  }

  add(path: string, seen: string | null, keys: Readonly<Record<string, string | null>> | undefined): void {
    if (keys) this.#keys[path] = Object.keys(keys).sort();
    if (seen?.startsWith('+')) this.#kinds.push(path);
    else this.#contents.push(path);
  }
}

/** Files with code: a name in their paths is that of a class, not of a node. */
const CODE = /\.(pp|rb)$/;

/**
 * Tests whether only one node looks at a path: it holds the certname, or a segment beyond the
 * part's folder is the certname's first label, with any extension.
 */
function ownPathTest(certname: string): (path: string) => boolean {
  const [label = certname] = certname.split('.', 1);
  const whole = new RegExp(`(^|[^a-z0-9])${quotePattern(certname)}($|[^a-z0-9])`);
  return (path) => {
    if (!path.includes(label)) return false;
    if (whole.test(path)) return true;
    if (CODE.test(path)) return false;
    const rest = path.slice(nameOfPart(path).length).split('/');
    return rest.some((segment) => segment === label || segment.startsWith(`${label}.`));
  };
}
