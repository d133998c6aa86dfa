import { MOST_STAGE_CANARIES } from '../../config/stage-limits.ts';
import { MEMBER_SHARDS } from '../../store/ports/dependency-index.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { NoSuchEnvironment } from '../code/scan-environment.ts';
import { type AffectedDependencies, findAffectedParts, findPartsOf } from '../dependencies/affected-nodes.ts';
import { shareOut } from '../previews/choose-nodes.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { listRootPaths } from '../snapshots/snapshot-manifest.ts';
import { type CanaryChoice, checkChoice, InvalidStage } from './stage-plan.ts';

type ChoicePorts = Pick<Stores, 'environments' | 'dependencies' | 'nodes' | 'blobs'>;

/** The chosen canaries, and what they were chosen from. */
interface ChosenCanaries {
  /** Sorted. */
  readonly canaries: readonly string[];
  /** Number of nodes that use what changed. */
  readonly touched: number;
}

const READS_AT_ONCE = 16;
const MEMBERS_A_PAGE = 1000;
/** Rounds in which failing nodes are replaced by others. */
const MOST_ROUNDS = 20;
/** The group of nodes that look at a changed path of their own. */
const OWN = '';

/**
 * Chooses the nodes that have the code first. A number or share is taken of the nodes that use what
 * changed (of all nodes, when none does), from each group of equal dependency parts, without nodes
 * that do not compile at present as long as there are others. The choice is stable: it follows from
 * the names, so that the same nodes are canaries of each deploy that touches the same groups.
 * Throws NoSuchEnvironment, and InvalidStage for a name that no node of the environment has.
 */
export async function chooseCanaries(
  environment: string,
  codeId: string,
  choice: CanaryChoice,
  ports: ChoicePorts,
): Promise<ChosenCanaries> {
  checkChoice(choice);
  const record = await ports.environments.get(environment);
  if (!record) throw new NoSuchEnvironment(`environment '${environment}' has no code yet: a first deploy has no stage`);
  const [before, after] = [await loadSnapshot(ports.blobs, record.codeId), await loadSnapshot(ports.blobs, codeId)];
  const touched = await groupMembers(
    environment,
    await findAffectedParts(environment, { before, after }, ports),
    ports,
  );
  const count = countMembers(touched);
  if ('nodes' in choice) return { canaries: await checkNodes(environment, choice.nodes, ports), touched: count };
  const groups = count > 0 ? touched : await groupAll(environment, ports);
  const wanted = 'count' in choice ? choice.count : Math.ceil((countMembers(groups) * choice.percent) / 100);
  return { canaries: await pickCompiling(groups, Math.min(wanted, MOST_STAGE_CANARIES), ports), touched: count };
}

/**
 * Picks nodes that compile at present, because the others say nothing about the code, and any nodes
 * when there are none. It reads the records of those that it picks, again as often as some fail.
 */
async function pickCompiling(
  groups: ReadonlyMap<string, readonly string[]>,
  wanted: number,
  { nodes }: Pick<ChoicePorts, 'nodes'>,
): Promise<readonly string[]> {
  const failing = new Set<string>();
  const compiling = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const left = new Map([...groups].map(([set, names]) => [set, names.filter((name) => !failing.has(name))]));
    const picked = pickCanaries(left, wanted);
    const unknown = picked.filter((name) => !compiling.has(name));
    if (unknown.length === 0) return picked.length > 0 ? picked : pickCanaries(groups, wanted);
    await inParallel(READS_AT_ONCE, unknown, async (name) => {
      const isFailing = ((await nodes.get(name))?.failure ?? null) !== null;
      (isFailing ? failing : compiling).add(name);
    });
  }
  return compiling.size > 0 ? [...compiling].slice(0, wanted).sort() : pickCanaries(groups, wanted);
}

/** Takes `wanted` names of the groups, of each at least one as far as that goes. Sorted. */
export function pickCanaries(groups: ReadonlyMap<string, readonly string[]>, wanted: number): readonly string[] {
  const ordered = [...groups.values()]
    .filter((members) => members.length > 0)
    .map((members) => members.map((name) => [digestSha256(name), name] as const).sort(compareFirst))
    .sort((a, b) => b.length - a.length || compareFirst(a[0] ?? ['', ''], b[0] ?? ['', '']))
    .slice(0, wanted);
  const shares = shareOut(
    ordered.map(({ length }) => length),
    wanted,
  );
  return ordered.flatMap((members, index) => members.slice(0, shares[index]).map(([, name]) => name)).sort();
}

function compareFirst([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function countMembers(groups: ReadonlyMap<string, readonly string[]>): number {
  return [...groups.values()].reduce((sum, { length }) => sum + length, 0);
}

async function groupAll(environment: string, ports: ChoicePorts): Promise<ReadonlyMap<string, readonly string[]>> {
  return groupMembers(environment, await findPartsOf(environment, listRootPaths(environment), ports), ports);
}

/** Nodes that depend on the parts or paths, by dependency set; each is in one group. */
async function groupMembers(
  environment: string,
  { parts, paths }: AffectedDependencies,
  { dependencies }: ChoicePorts,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const sets = [...(await dependencies.findSets(environment, parts))].sort();
  const members = new Map<string, string[]>(sets.map((set) => [set, []]));
  const shards = sets.flatMap((set) => Array.from({ length: MEMBER_SHARDS }, (_, shard) => ({ set, shard })));
  await inParallel(READS_AT_ONCE, shards, async ({ set, shard }) => {
    for (let after: string | null = null; ; ) {
      const page = await dependencies.listMembers(environment, set, shard, after, MEMBERS_A_PAGE);
      members.get(set)?.push(...page.certnames);
      if (page.next === null) return;
      after = page.next;
    }
  });
  const owners = await dependencies.findOwners(environment, paths);
  const seen = new Set<string>();
  const first = (name: string) => !seen.has(name) && seen.add(name) !== undefined;
  return new Map([...members, [OWN, owners] as const].map(([set, names]) => [set, names.filter(first)]));
}

/** Refuses names that no node of the environment has: they are slips. */
async function checkNodes(
  environment: string,
  names: readonly string[],
  { nodes }: ChoicePorts,
): Promise<readonly string[]> {
  const unique = [...new Set(names)].sort();
  const records = await inParallel(READS_AT_ONCE, unique, (certname) => nodes.get(certname));
  const wrong = unique.filter((_, index) => records[index]?.inputs?.environment !== environment);
  if (wrong.length === 0) return unique;
  const named = wrong.slice(0, 5).join(', ') + (wrong.length > 5 ? ` and ${wrong.length - 5} more` : '');
  throw new InvalidStage(`no catalog was compiled in environment '${environment}' for ${named}`);
}
