import { gunzipSync } from 'node:zlib';
import type { LanguageLevel } from '../../config/language-level.ts';
import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import { renameSnapshot } from '../../puppet/environment/rename-snapshot.ts';
import { compareSnapshots, type SnapshotChanges } from '../../puppet/environment/snapshot-diff.ts';
import { allNodes } from '../../store/list-pages.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { loadCatalog } from '../catalogs/catalog-blob.ts';
import type { CompileReply } from '../compiles/compile-question.ts';
import type { ManifestFault } from '../compiles/manifests-question.ts';
import { findAffectedParts, listAffectedNodes } from '../dependencies/affected-nodes.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { type ChangedNodes, ChangeGroups } from './change-groups.ts';
import { type ChosenNodes, chooseNodes, type NodeBounds } from './choose-nodes.ts';
import { type CatalogChange, listCatalogChanges } from './list-catalog-changes.ts';
import { IN_FORCE, type TrialCode, type TrialCompiler } from './trial-compiler.ts';

export type PreviewPorts = Pick<Stores, 'nodes' | 'environments' | 'dependencies' | 'blobs' | 'clock'>;

/** A node that does not compile with the code. */
export interface FailingNode {
  readonly certname: string;
  readonly message: string;
  /** False: it does not compile with the code in force either. */
  readonly isNew: boolean;
}

/** Effect of code, were it in force. */
export interface CatalogPreview {
  readonly environment: string;
  readonly codeId: string;
  /** The environment that the code is of; absent: that of the nodes. */
  readonly codeEnvironment?: string;
  /** The code in force; null when the environment is not deployed. */
  readonly inForce: string | null;
  readonly files: SnapshotChanges;
  /** Changed manifests and templates that Puppet does not accept. */
  readonly faults: readonly ManifestFault[];
  /** Number of nodes that use what changed. */
  readonly touched: number;
  /** Number of them that were compiled, and compared. */
  readonly compared: number;
  /** Nodes that keep their catalogs, of those that the compared ones stand for. */
  readonly unchanged: number;
  readonly failures: readonly FailingNode[];
  /** Number of nodes that compile, and do not with the code in force. */
  readonly fixed: number;
  /** By cause, the largest first; a node may be in several. */
  readonly groups: readonly ChangedNodes[];
  /** Nodes that were to be compiled, and were not: time was up, or no worker answered. */
  readonly unanswered: number;
  /** Groups of nodes of which none was to be compiled. */
  readonly groupsLeftOut: number;
}

/** Bounds of a preview. */
interface PreviewBounds extends NodeBounds {
  /** No further compile starts after this time. */
  readonly limitMs: number;
  /** Compile the code in this language; absent: in that of the environment. */
  readonly language?: LanguageLevel | undefined;
  /** The environment that the code is of; absent: that of the nodes. */
  readonly codeEnvironment?: string | undefined;
}

/** Called when a node was compiled. */
export type PreviewObserver = (done: number, of: number) => void;

/**
 * Compiles nodes that use what changed with stored code that is not in force, and compares their
 * catalogs with those of the code in force. Nothing of nodes or environments changes. Code of
 * another environment is compiled as a run with `puppet agent --environment` gets it, with that
 * environment as `$environment`. Its files are compared by their paths within both environments.
 */
export async function previewCatalogs(
  environment: string,
  codeId: string,
  bounds: PreviewBounds,
  trials: TrialCompiler,
  ports: PreviewPorts,
  observe: PreviewObserver = () => {},
): Promise<CatalogPreview> {
  const inForce = (await ports.environments.get(environment))?.codeId ?? null;
  const before = inForce === null ? null : await loadSnapshot(ports.blobs, inForce);
  const { language, codeEnvironment = environment } = bounds;
  const after = renameSnapshot(await loadSnapshot(ports.blobs, codeId), environment);
  const code = { codeId, language, environment: codeEnvironment };
  const affected = inForce === codeId ? null : await findAffectedParts(environment, { before, after }, ports);
  const certnames =
    language !== undefined
      ? await listNodesOf(environment, ports)
      : affected === null
        ? []
        : await listAffectedNodes(environment, affected, ports);
  const chosen = await chooseNodes(certnames, bounds, ports);
  const faults = affected === null ? [] : await findFaults(codeId, inForce, trials);
  const until = ports.clock.now() + bounds.limitMs;
  const jobs = chosen.groups.flatMap(({ sample, size }) =>
    sample.map((node) => ({ node, weight: size / sample.length })),
  );
  let done = 0;
  const outcomes = await inParallel(trials.atOnce, jobs, async ({ node, weight }) => {
    const isLate = ports.clock.now() >= until;
    const outcome: TrialOutcome = isLate ? { kind: 'none' } : await tryNode(node, environment, code, trials, ports);
    done += 1;
    observe(done, jobs.length);
    return { certname: node.certname, weight, outcome };
  });
  return {
    environment,
    codeId,
    ...(codeEnvironment === environment ? {} : { codeEnvironment }),
    inForce,
    files: compareSnapshots(before, after),
    faults,
    touched: certnames.length,
    ...summarize(outcomes, chosen),
  };
}

/** Throws StoreUnavailable when no worker answers: the code is not known to be valid then. */
async function findFaults(codeId: string, before: string | null, trials: TrialCompiler) {
  const faults = await trials.findFaults({ codeId, before });
  if (faults === null) throw new StoreUnavailable('no worker checked the manifests in time');
  return faults;
}

/** A change of the language is about all nodes whose catalogs were compiled in the environment. */
async function listNodesOf(environment: string, { nodes }: PreviewPorts): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const page of allNodes(nodes)) {
    found.push(...page.filter(({ inputs }) => inputs?.environment === environment).map(({ certname }) => certname));
  }
  return found;
}

type TrialOutcome =
  | { readonly kind: 'none' | 'fixed' }
  | { readonly kind: 'failed'; readonly message: string; readonly isNew: boolean }
  | { readonly kind: 'compared'; readonly differences: readonly CatalogChange[] };

async function tryNode(
  node: NodeRecord,
  environment: string,
  code: TrialCode,
  trials: TrialCompiler,
  ports: PreviewPorts,
): Promise<TrialOutcome> {
  const { certname } = node;
  const after = await trials.compile(certname, environment, code);
  if (after === null) return { kind: 'none' };
  const before = await compileBefore(node, environment, trials, ports);
  if (before === null) return { kind: 'none' };
  if (after.status === 'failed') {
    return { kind: 'failed', message: after.message, isNew: before.status === 'ok' };
  }
  if (before.status === 'failed') return { kind: 'fixed' };
  const differences = listCatalogChanges(toParsedCatalog(before.catalog), toParsedCatalog(after.catalog));
  return { kind: 'compared', differences };
}

/** The node's catalog with the code in force: the stored one if it is current. */
async function compileBefore(
  node: NodeRecord,
  environment: string,
  trials: TrialCompiler,
  { blobs }: PreviewPorts,
): Promise<CompileReply | null> {
  const { certname, catalog, failure, built, wanted, inputs } = node;
  const isCurrent = built >= wanted && failure === null && inputs?.environment === environment;
  if (trials.isLikeWorkers && isCurrent && catalog !== null) {
    const bytes = await loadCatalog(blobs, catalog.hash);
    if (bytes !== null) return { status: 'ok', catalog: JSON.parse(gunzipSync(bytes).toString('utf8')), log: [] };
  }
  return trials.compile(certname, environment, IN_FORCE);
}

function toParsedCatalog(catalog: unknown): ParsedCatalog {
  const { resources, edges, classes } = Object(catalog);
  const listOf = (value: unknown) => (Array.isArray(value) ? value : []);
  return { resources: listOf(resources), edges: listOf(edges), classes: listOf(classes) };
}

interface WeighedOutcome {
  readonly certname: string;
  readonly weight: number;
  readonly outcome: TrialOutcome;
}

function summarize(outcomes: readonly WeighedOutcome[], { groupsLeftOut }: ChosenNodes) {
  const failures: FailingNode[] = [];
  const compared: { certname: string; weight: number; differences: readonly CatalogChange[] }[] = [];
  for (const { certname, weight, outcome } of outcomes) {
    if (outcome.kind === 'failed') failures.push({ certname, message: outcome.message, isNew: outcome.isNew });
    if (outcome.kind === 'compared') compared.push({ certname, weight, differences: outcome.differences });
  }
  const countOf = (nodes: readonly { readonly weight: number }[]) =>
    Math.round(nodes.reduce((sum, { weight }) => sum + weight, 0));
  const groups = new ChangeGroups();
  for (const { certname, weight, differences } of compared) groups.add(certname, differences, weight);
  const fixed = outcomes.filter(({ outcome }) => outcome.kind === 'fixed');
  const done = failures.length + compared.length + fixed.length;
  return {
    compared: done,
    unchanged: countOf(compared.filter(({ differences }) => differences.length === 0)),
    failures,
    fixed: countOf(fixed),
    groups: groups.list(),
    unanswered: outcomes.length - done,
    groupsLeftOut,
  };
}
