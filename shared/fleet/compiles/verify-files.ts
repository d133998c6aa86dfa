import type { InputChange } from '../../puppet/environment/verify.ts';
import type { Observations, Part } from '../../store/ports/dependency-index.ts';
import type { DependencySummary } from '../../store/ports/node-record.ts';
import { describeInputChange } from '../catalogs/currency.ts';
import type { CutFiles } from '../dependencies/cut-files.ts';
import { ABSENT, listStates } from '../dependencies/part-states.ts';
import { openFiles, type ReadableFiles } from '../dependencies/readable-files.ts';
import type { OpenSnapshot } from '../snapshots/snapshot-cache.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * The reasons to compile a node that follow from files; empty when a compile would see the same as
 * the last one, which `last` describes.
 */
export async function verifyFiles(
  last: DependencySummary,
  open: OpenSnapshot | null,
  context: WorkerContext,
): Promise<readonly string[]> {
  const parts = await context.dependencies.load(last.set);
  if (!parts) return ['the dependency set is lost'];
  const files = openFiles(open, context.snapshots);
  if ((await context.dependencies.digest(parts, last.own, files)) === last.states) return [];
  const changes = await findChanges(parts, last, files, context);
  return changes.length > 0 ? changes.map(describeInputChange) : ['files changed'];
}

/** Digest of the states of all that a compile looked at, as they are in a snapshot. */
export function digestFiles(
  { set, own }: CutFiles,
  open: OpenSnapshot | null,
  { dependencies, snapshots }: WorkerContext,
): Promise<string> {
  return dependencies.digest(set.parts, own, openFiles(open, snapshots));
}

/**
 * The differences from the snapshot of the last compile, for people to read; empty when that
 * snapshot is gone.
 */
async function findChanges(
  parts: readonly Part[],
  last: DependencySummary,
  files: ReadableFiles,
  { dependencies }: WorkerContext,
): Promise<readonly InputChange[]> {
  const before = await dependencies.openCode(last.codeId);
  if (!before) return [];
  const changes: InputChange[] = [];
  for (const part of parts) {
    if ((await dependencies.digestPart(part, before)) === (await dependencies.digestPart(part, files))) continue;
    changes.push(...(await compareStates(part.observations, before, files)));
  }
  return [...changes, ...(await compareStates(last.own, before, files))];
}

async function compareStates(
  observations: Observations,
  before: ReadableFiles,
  files: ReadableFiles,
): Promise<readonly InputChange[]> {
  const was = await before.read((present) => listStates(observations, present));
  const is = await files.read((present) => listStates(observations, present));
  return was.flatMap(({ kind, name, state }, index): InputChange[] => {
    const now = is[index]?.state ?? ABSENT;
    if (now === state) return [];
    const reason = state === ABSENT ? 'appeared' : now === ABSENT ? 'disappeared' : 'changed';
    return [{ kind, name, reason }];
  });
}
