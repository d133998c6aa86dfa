import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { compareSnapshots, type SnapshotChanges } from '../../puppet/environment/snapshot-diff.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { CodeStage, EnvironmentRecord, TakenBack } from '../../store/ports/environment-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { shortenId } from '../../util/short-id.ts';
import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { settleEnvironment } from '../fan-out/settle-environment.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import { setStrictness } from '../policies/strictness-policy.ts';
import type { PrepareTypesData } from '../snapshots/prepare-types-worker.ts';
import { listingsBlob, snapshotBlob, storePacks, typesBlob } from '../snapshots/snapshot-blobs.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { codeIdOf, findManifest, printManifest } from '../snapshots/snapshot-manifest.ts';
import { withUploadLock } from './code-lock.ts';
import { listCodeNotes } from './code-notes.ts';
import type { ScannedEnvironment } from './scan-environment.ts';
import { forgetTakenBack } from './taken-back.ts';
import { isStored, readSource, uploadFiles } from './upload-files.ts';

export interface DeployReport {
  readonly environment: string;
  readonly codeId: string;
  /** False when the environment had the same code before. */
  readonly changed: boolean;
  readonly files: number;
  /** Nodes that this process invalidated, at most 10,000: they will be compiled or verified. */
  readonly nodes: readonly string[];
  /** The number of these nodes. */
  readonly nodeCount: number;
  /** Sentences about what the code asks for and does not get. */
  readonly notes?: readonly string[];
}

/** Describes the resource types of a snapshot; returns their blob, or null. */
type TypePreparation = (data: PrepareTypesData) => Promise<Uint8Array | null>;

/** Makes the snapshot's listings that every agent requests; returns their blob. */
type ListingPreparation = (snapshot: Snapshot, codeId: string, blobs: BlobStore) => Promise<Uint8Array>;

/** Looks at stored code before it is put in force. Throws to keep it out of force. */
export type DeployGate = (environment: string, codeId: string) => Promise<void>;

/** Preparations of a snapshot before it is in force: checks and precomputed data. */
export interface Preparation {
  /** Absent: all code is put in force. A rollback does not ask it. */
  readonly gate?: DeployGate;
  readonly types?: TypePreparation;
  readonly listings?: ListingPreparation;
}

/** An environment has a stage, which has to end before other code is put in force for all nodes. */
export class CodeIsStaged extends Error {
  constructor(environment: string, { codeId, isEnding }: CodeStage) {
    const how = isEnding
      ? 'is being taken back: try again in a minute'
      : `has to end first: 'code stage promote ${environment}' puts it in force, 'code stage abort ${environment}' takes it back`;
    super(`the staged deploy of ${shortenId(codeId)} in environment '${environment}' ${how}`);
    this.name = 'CodeIsStaged';
  }
}

const MOST_HISTORY = 50;
const MOST_ATTEMPTS = 10;

/** A snapshot whose files are all in the store. */
export interface PreparedEnvironment {
  readonly codeId: string;
  readonly files: number;
}

/** The effects of a deploy. */
export interface DeployPreview {
  readonly environment: string;
  readonly codeId: string;
  readonly changes: SnapshotChanges;
  readonly nodes: readonly string[];
}

/**
 * Deploys a scanned environment: uploads new files, writes the snapshot, switches the environment
 * to it atomically and invalidates the nodes whose dependency set it affects. `prepare` precomputes
 * results for the code. The feeder or the next deploy completes an interrupted one.
 */
export async function deployEnvironment(
  ports: InvalidatePorts,
  scanned: ScannedEnvironment,
  by: string,
  prepare: Preparation = {},
): Promise<DeployReport> {
  const name = scanned.snapshot.environment;
  const { codeId, files } = await prepareEnvironment(ports, scanned, prepare);
  await prepare.gate?.(name, codeId);
  const changed = await switchTo(name, { codeId, by }, ports);
  const { certnames: nodes, count: nodeCount } = await settleEnvironment(name, ports);
  const notes = changed ? await listCodeNotes(scanned) : [];
  return { environment: name, codeId, changed, files, nodes, nodeCount, ...(notes.length > 0 && { notes }) };
}

/**
 * The first half of a deploy: uploads new files and writes the snapshot, which is not in force yet.
 * For code in force it stores missing or damaged files again, and precomputes what no earlier
 * deploy did.
 */
export async function prepareEnvironment(
  ports: InvalidatePorts,
  scanned: ScannedEnvironment,
  prepare: Preparation = {},
): Promise<PreparedEnvironment> {
  const name = scanned.snapshot.environment;
  const codeId = codeIdOf(scanned.snapshot);
  const old = await ports.environments.get(name);
  const isThere = old?.codeId === codeId && (await isStored(codeId, ports.blobs));
  if (!isThere || !(await isPrepared(scanned.snapshot, codeId, prepare, ports.blobs))) {
    await withUploadLock(ports, async (isHeld) => {
      const inForce = old && (await findManifest(ports.blobs, old.codeId));
      const known = (await findManifest(ports.blobs, codeId)) ?? inForce;
      await uploadFiles(scanned, inForce, ports.blobs);
      const packs = await storePacks(scanned.snapshot, (sha256) => readSource(scanned, sha256), ports.blobs);
      // Also when it exists: its new write time keeps it from being pruned before it is in force.
      await ports.blobs.put(
        snapshotBlob(codeId),
        await printManifest(keepTimes(scanned.snapshot, known?.snapshot), packs),
      );
      await prepareSnapshot(scanned, codeId, old?.codeId, prepare, ports);
      // Content that existed may be pruned by now.
      if (!isHeld()) throw new StoreUnavailable(`the deploy of environment ${name} was interrupted: deploy again`);
    });
  }
  return { codeId, files: Object.keys(scanned.snapshot.files).length };
}

/**
 * The snapshot with the times that an earlier one has of the same contents: those of a new checkout
 * say nothing.
 */
function keepTimes(snapshot: Snapshot, earlier: Snapshot | undefined): Snapshot {
  const times = { ...snapshot.times };
  for (const [path, { sha256 }] of Object.entries(snapshot.files)) {
    const known = earlier?.files[path]?.sha256 === sha256 ? earlier.times?.[path] : undefined;
    if (known !== undefined) times[path] = known;
  }
  return { ...snapshot, times };
}

/** The changes of files that a deploy would make, and the number of files in force before. */
export interface FileChanges extends SnapshotChanges {
  readonly filesBefore: number;
}

/** Compares what was scanned with the code in force. */
export async function compareScanned(
  ports: InvalidatePorts,
  { snapshot }: Pick<ScannedEnvironment, 'snapshot'>,
): Promise<FileChanges> {
  const before = await loadInForce(ports, snapshot.environment);
  return { ...compareSnapshots(before, snapshot), filesBefore: Object.keys(before?.files ?? {}).length };
}

/** The snapshot in force; null when the environment is not deployed. */
async function loadInForce({ environments, blobs }: InvalidatePorts, name: string): Promise<Snapshot | null> {
  const record = await environments.get(name);
  return record && loadSnapshot(blobs, record.codeId);
}

/**
 * The second half of a deploy: puts a stored snapshot in force for all nodes. False when it was in
 * force already. `takenBack`: what it replaces was rolled back. `settleEnvironment` invalidates the
 * nodes. Throws StoreUnavailable when the snapshot is missing, CodeIsStaged while the environment
 * has a stage.
 */
export async function switchEnvironment(
  ports: InvalidatePorts,
  name: string,
  codeId: string,
  by: string,
  takenBack?: TakenBack,
): Promise<boolean> {
  return withUploadLock(ports, async () => {
    await loadSnapshot(ports.blobs, codeId);
    return switchTo(name, { codeId, by, ...(takenBack && { takenBack }) }, ports);
  });
}

/**
 * Puts the code of a stage in force for all nodes, and ends the stage. False when that stage has
 * ended. `settleEnvironment` invalidates the nodes. Throws StoreUnavailable when the snapshot is
 * missing.
 */
export async function switchToStage(
  ports: InvalidatePorts,
  name: string,
  { codeId, begunAt, by }: Pick<CodeStage, 'codeId' | 'begunAt' | 'by'>,
): Promise<boolean> {
  const { environments, clock } = ports;
  return withUploadLock(ports, async () => {
    await loadSnapshot(ports.blobs, codeId);
    const old = await environments.get(name);
    const { stage } = old ?? {};
    if (!old || !stage || stage.isEnding || stage.codeId !== codeId || stage.begunAt !== begunAt) return false;
    const next = { codeId, by, deployedAt: clock.now() };
    return environments.replace(await switchRecord(name, old, next, ports), old.revision);
  });
}

/**
 * The record of an environment that has other code from now on, and no stage, with the strictness
 * that policies give.
 */
async function switchRecord(
  name: string,
  old: EnvironmentRecord | null,
  next: Pick<EnvironmentRecord, 'codeId' | 'by' | 'deployedAt' | 'takenBack'>,
  { documents }: Pick<InvalidatePorts, 'documents'>,
): Promise<EnvironmentRecord> {
  const replaced = old ? [{ codeId: old.codeId, deployedAt: old.deployedAt, by: old.by }, ...old.history] : [];
  const isReleased = old?.takenBack?.codeId === next.codeId;
  const { stage: _, ...kept } = (old && isReleased ? forgetTakenBack(old) : old) ?? {};
  const record = {
    ...kept,
    name,
    revision: (old?.revision ?? 0) + 1,
    ...next,
    settled: old?.settled ?? 0,
    history: replaced.slice(0, MOST_HISTORY),
  };
  return setStrictness(record, await new FreshnessPolicies(documents).resolveStrictness(name));
}

async function prepareSnapshot(
  scanned: ScannedEnvironment,
  codeId: string,
  oldCodeId: string | undefined,
  { types, listings }: Preparation,
  ports: InvalidatePorts,
): Promise<void> {
  const { snapshot } = scanned;
  if (types && definesTypes(snapshot)) await storeTypes(scanned, codeId, oldCodeId, types, ports);
  if (!listings) return;
  try {
    await ports.blobs.put(listingsBlob(codeId), await listings(snapshot, codeId, ports.blobs));
  } catch (error) {
    // Clients that request files, and compiles, report an invalid environment.conf.
    if (!(error instanceof PuppetError)) throw error;
  }
}

/** Whether everything that is precomputed for a stored snapshot is in the store. */
async function isPrepared(
  snapshot: Snapshot,
  codeId: string,
  { types, listings }: Preparation,
  blobs: BlobStore,
): Promise<boolean> {
  if (types && definesTypes(snapshot) && !(await blobs.has(typesBlob(codeId)))) return false;
  return !listings || blobs.has(listingsBlob(codeId));
}

function definesTypes({ files }: Snapshot): boolean {
  return Object.keys(files).some((path) => path.includes('/lib/puppet/type/'));
}

async function storeTypes(
  { snapshot, sources }: ScannedEnvironment,
  codeId: string,
  oldCodeId: string | undefined,
  prepare: TypePreparation,
  { blobs }: InvalidatePorts,
): Promise<void> {
  const old = oldCodeId === undefined ? null : await blobs.get(typesBlob(oldCodeId));
  const types = await prepare({ snapshot, codeId, sources, old });
  if (types) await blobs.put(typesBlob(codeId), types);
}

async function switchTo(
  name: string,
  next: Pick<EnvironmentRecord, 'codeId' | 'by' | 'takenBack'>,
  { environments, documents, clock }: InvalidatePorts,
): Promise<boolean> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const old = await environments.get(name);
    if (old?.codeId === next.codeId) return false;
    if (old?.stage) throw new CodeIsStaged(name, old.stage);
    const record = await switchRecord(name, old, { ...next, deployedAt: clock.now() }, { documents });
    if (await environments.replace(record, old?.revision ?? null)) return true;
  }
  throw new Error(`environment ${name} keeps being deployed by other processes`);
}
