import type { ClassLists, DeclaredClasses } from './class-lists.ts';
import type { GroupHierarchy } from './group-hierarchy.ts';
import { GroupRefused } from './group-refused.ts';
import type { ClassValues, GroupValues, NodeGroup } from './node-group.ts';

/** A class or parameter of a group that the code of its environment does not have. */
interface MissingReferent {
  readonly kind: 'missing-class' | 'missing-parameter';
  /** The class, or the class and the parameter. */
  readonly missing: string | readonly string[];
  readonly environment: string;
  readonly group: string;
  readonly defined_by: string;
}

/**
 * The classes of the environments that groups name. An environment that is not deployed has none.
 */
export type KnownClasses = ReadonlyMap<string, DeclaredClasses>;

/** Reads the classes of these environments. */
export async function readKnownClasses(lists: ClassLists, environments: Iterable<string>): Promise<KnownClasses> {
  const known = new Map<string, DeclaredClasses>();
  for (const environment of new Set(environments)) {
    const classes = await lists.find(environment);
    if (classes !== null) known.set(environment, classes);
  }
  return known;
}

/**
 * Refuses a change after which a group, or one below it, lacks a class or parameter in its
 * environment that it did not lack before. Environments that are not deployed are not checked.
 * Throws GroupRefused (`missing-referents`).
 */
export function checkReferents(id: string, before: GroupHierarchy, after: GroupHierarchy, known: KnownClasses): void {
  const had = new Set(listMissing(id, before, known).map((one) => JSON.stringify(one)));
  const added = listMissing(id, after, known).filter((one) => !had.has(JSON.stringify(one)));
  const [first] = added;
  if (first === undefined) return;
  const what = first.kind === 'missing-class' ? 'class' : 'class parameter';
  const name = typeof first.missing === 'string' ? first.missing : first.missing.join(' ');
  const more = added.length === 1 ? '' : `, and ${added.length - 1} more`;
  const message = `The ${what} ${name} does not exist in the environment ${first.environment}${more}`;
  throw new GroupRefused('missing-referents', message, added);
}

function listMissing(id: string, hierarchy: GroupHierarchy, known: KnownClasses): readonly MissingReferent[] {
  const group = hierarchy.get(id);
  if (group === null) return [];
  const missing: MissingReferent[] = [];
  const pending = [group];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const classes = known.get(one.environment);
    if (classes !== undefined) missing.push(...listMissingOf(one, hierarchy, classes));
    pending.push(...hierarchy.childrenOf(one.id));
  }
  return missing;
}

function listMissingOf(
  group: NodeGroup,
  hierarchy: GroupHierarchy,
  known: DeclaredClasses,
): readonly MissingReferent[] {
  return [group, ...hierarchy.ancestorsOf(group)].flatMap((definedBy) => {
    const common = { environment: group.environment, group: group.id, defined_by: definedBy.id };
    return Object.entries(definedBy.classes).flatMap(([name, parameters]): readonly MissingReferent[] => {
      const declared = known.get(name);
      if (declared === undefined) return [{ kind: 'missing-class', missing: name, ...common }];
      const unknown = Object.keys(parameters).filter((parameter) => !declared.has(parameter));
      return unknown.map((parameter) => ({ kind: 'missing-parameter', missing: [name, parameter], ...common }));
    });
  });
}

/** The marker of the classifier API for what the code no longer has. */
const DELETED = 'puppetlabs.classifier/deleted';

/** The classes and parameters of a group that the code does not have, as the API marks them. */
export function printDeleted(classes: ClassValues, known: DeclaredClasses | undefined): GroupValues | null {
  if (known === undefined) return null;
  const deleted = Object.entries(classes).flatMap(([name, parameters]) => {
    const declared = known.get(name);
    const unknown = Object.entries(parameters).filter(([parameter]) => declared?.has(parameter) !== true);
    if (declared !== undefined && unknown.length === 0) return [];
    const marks = unknown.map(([parameter, value]) => [parameter, { [DELETED]: true, value }] as const);
    return [[name, { [DELETED]: declared === undefined, ...Object.fromEntries(marks) }] as const];
  });
  return deleted.length === 0 ? null : Object.fromEntries(deleted);
}
