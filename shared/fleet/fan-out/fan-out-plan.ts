import { gunzipSync, gzipSync } from 'node:zlib';
import { PLAN_DAYS } from '../../config/deployment.ts';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { MEMBER_SHARDS } from '../../store/ports/dependency-index.ts';
import { type EnvironmentRecord, revisionToken } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { DAY_MS } from '../../util/day.ts';
import { digestSha256 } from '../../util/digest.ts';
import {
  type AffectedDependencies,
  type CodeStep,
  findAffectedParts,
  findPartsOf,
} from '../dependencies/affected-nodes.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { findManifest, listRootPaths } from '../snapshots/snapshot-manifest.ts';

/**
 * Scope of a deploy. Its members are listed in portions: one for each set and shard, then one for
 * each group of paths that single nodes own. A chain takes every `chains`-th portion.
 */
export interface FanOutPlan {
  readonly environment: string;
  /** `revisionToken` of the deploy. */
  readonly revision: string;
  /** The changed paths. */
  readonly paths: readonly string[];
  /** Ids of the dependency sets with a changed part. */
  readonly sets: readonly string[];
  readonly chains: number;
  /** Present when all nodes of the environment are affected, because they compile otherwise. */
  readonly cause?: 'strictness';
}

type PlanPorts = Pick<Stores, 'dependencies' | 'blobs'>;

const FORMAT = 1;
/** More chains make more messages; fewer let fewer workers take part. */
const MOST_CHAINS = 256;
const PATHS_A_PORTION = 200;

/** The number of portions of a plan. */
export function countPortions({ sets, paths }: Pick<FanOutPlan, 'sets' | 'paths'>): number {
  return sets.length * MEMBER_SHARDS + Math.ceil(paths.length / PATHS_A_PORTION);
}

/** A portion: a shard of a set, or paths. */
type Portion = { readonly set: string; readonly shard: number } | { readonly paths: readonly string[] };

/** Returns a portion by its number; null beyond the last one. */
export function findPortion({ sets, paths }: FanOutPlan, portion: number): Portion | null {
  const set = sets[Math.floor(portion / MEMBER_SHARDS)];
  if (set !== undefined) return { set, shard: portion % MEMBER_SHARDS };
  const first = (portion - sets.length * MEMBER_SHARDS) * PATHS_A_PORTION;
  return first < paths.length ? { paths: paths.slice(first, first + PATHS_A_PORTION) } : null;
}

/** Names the plan's blob and the documents of its chains. */
export function planKey(environment: string, revision: string): string {
  return `${environment}/${digestSha256(revision).slice(0, 32)}`;
}

/** Reads the plan of a deploy; null when there is none. */
export async function loadPlan(blobs: BlobStore, environment: string, revision: string): Promise<FanOutPlan | null> {
  const bytes = await blobs.get(planBlob(environment, revision));
  if (!bytes) return null;
  const plan: unknown = JSON.parse(gunzipSync(bytes).toString('utf8'));
  if (isPlan(plan)) return plan;
  throw new Error(`blob ${planBlob(environment, revision)} is no plan of a deploy`);
}

/**
 * Returns the plan of the revision in force, which is made at the first call. It does not change:
 * a set that is registered later belongs to a compile that sees this revision.
 */
export async function planFanOut(record: EnvironmentRecord, ports: PlanPorts): Promise<FanOutPlan> {
  const { name } = record;
  const revision = revisionToken(record);
  const known = await loadPlan(ports.blobs, name, revision);
  if (known) return known;
  const made = await makePlan(record, revision, ports);
  const bytes = gzipSync(JSON.stringify({ format: FORMAT, ...made }));
  await ports.blobs.putIfAbsent(planBlob(name, revision), bytes);
  return (await loadPlan(ports.blobs, name, revision)) ?? made;
}

/** Deletes the plan of a deploy that is settled, or overtaken by another one. */
export async function deletePlan(blobs: BlobStore, environment: string, revision: string): Promise<void> {
  await blobs.delete(planBlob(environment, revision));
}

/**
 * Writes the plan of an unfinished deploy anew when it is old: plans expire in AWS, and another one
 * would not have the portions that the chains are at.
 */
export async function keepPlan(
  { environment, revision }: FanOutPlan,
  { blobs, clock }: Pick<Stores, 'blobs' | 'clock'>,
): Promise<void> {
  const key = planBlob(environment, revision);
  const [entry] = (await blobs.list(key)).entries;
  if (entry === undefined || clock.now() - entry.putAt < PLAN_DAYS.renewed * DAY_MS) return;
  const bytes = await blobs.get(key);
  if (bytes) await blobs.put(key, bytes);
}

/** All nodes of the environment compile otherwise. */
const NEW_SETTINGS: CodeStep = { before: null, after: null };

async function makePlan(record: EnvironmentRecord, revision: string, ports: PlanPorts): Promise<FanOutPlan> {
  const paths = new Set<string>();
  const parts = new Set<string>();
  const hasOtherSettings = (record.strictnessRevision ?? 0) > record.settled;
  for await (const step of hasOtherSettings ? [NEW_SETTINGS] : listSteps(record, ports.blobs)) {
    const affected = await findAffected(record.name, step, ports);
    for (const path of affected.paths) paths.add(path);
    for (const part of affected.parts) parts.add(part);
  }
  const sets = [...(await ports.dependencies.findSets(record.name, parts))].sort();
  const found = { sets, paths: [...paths].sort() };
  const chains = Math.min(MOST_CHAINS, countPortions(found));
  const cause = hasOtherSettings ? { cause: 'strictness' as const } : {};
  return { environment: record.name, revision, ...found, chains, ...cause };
}

/** Finds the scope of a step: all of the environment when one of the two snapshots is unknown. */
function findAffected(name: string, step: CodeStep, ports: PlanPorts): Promise<AffectedDependencies> {
  return step.before && step.after
    ? findAffectedParts(name, step, ports)
    : findPartsOf(name, listRootPaths(name), ports);
}

/**
 * The steps since the settled snapshot. Each step counts by itself: a node may have compiled in
 * between, with a file that has its first content again by now.
 */
async function* listSteps(environment: EnvironmentRecord, blobs: BlobStore): AsyncGenerator<CodeStep> {
  const { codeId, history, revision, settled } = environment;
  const codeIds = [codeId, ...history.map((earlier) => earlier.codeId)].slice(0, revision - settled + 1).reverse();
  const knowsStart = settled > 0 && codeIds.length === revision - settled + 1;
  let before = knowsStart ? await findSnapshot(blobs, codeIds.shift() ?? codeId) : null;
  for (const next of codeIds) {
    const after = next === codeId ? await loadSnapshot(blobs, next) : await findSnapshot(blobs, next);
    yield { before, after };
    before = after;
  }
}

/** An earlier snapshot; null when it is missing or damaged. */
async function findSnapshot(blobs: BlobStore, codeId: string): Promise<Snapshot | null> {
  return (await findManifest(blobs, codeId))?.snapshot ?? null;
}

function planBlob(environment: string, revision: string): string {
  return `fan-outs/${planKey(environment, revision)}`;
}

function isPlan(value: unknown): value is FanOutPlan {
  return typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT;
}
