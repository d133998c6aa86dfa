import type { StoredDocument } from '../../store/ports/document-store.ts';
import { type EnvironmentRecord, revisionToken } from '../../store/ports/environment-store.ts';
import type { FanOutMessage } from '../../store/ports/fan-out-queue.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { type InvalidationPorts, invalidateNodes } from '../nodes/invalidate-nodes.ts';
import { noteFanOut } from '../reports/work-hours.ts';
import { countPortions, deletePlan, type FanOutPlan, findPortion, loadPlan, planKey } from './fan-out-plan.ts';

/** Position of a chain: the next portion, and the last certname of it that was invalidated. */
interface ChainCursor {
  readonly portion: number;
  readonly after: string | null;
}

export type ChainPorts = InvalidationPorts & Pick<Stores, 'dependencies' | 'blobs' | 'environments' | 'documents'>;

interface ChainReport {
  /** The nodes that were invalidated. */
  readonly invalidated: readonly string[];
  /** False: the time is over, and the message must be received again. */
  readonly isDone: boolean;
}

/** Collection of the cursors of chains. */
export const FAN_OUT_CHAINS = 'fan-outs';
/** Collection of the times at which messages of a deploy were sent, and of their number. */
export const FAN_OUTS_SENT = 'fan-outs-sent';
const NODES_A_PAGE = 200;
/** Lanes that one page reads at most: the sets of small roles have few members in a shard. */
const PORTIONS_A_PAGE = 64;
export const MOST_CHAINS_LISTED = 1000;

/**
 * Works on a chain, page by page, until it is done or `isOver`. A page is invalidated before the
 * cursor moves behind it, so that a worker that dies has its last page repeated; a node that was
 * invalidated for the revision is left as it is. The last chain settles the environment. A message
 * of an earlier revision has nothing to do: the plan of the one in force covers its changes.
 */
export async function runChain(message: FanOutMessage, ports: ChainPorts, isOver: () => boolean): Promise<ChainReport> {
  const plan = await findPlanInForce(message, ports);
  if (!plan) return { invalidated: [], isDone: true };
  const key = chainKey(plan, message.chain);
  let stored = await ports.documents.get(FAN_OUT_CHAINS, key);
  const invalidated: string[] = [];
  const { environment } = plan;
  const reason = plan.cause ? `${plan.cause} of environment ${environment}` : `environment ${environment} deployed`;
  for (let pages = 0; ; pages += 1) {
    const cursor = readCursor(stored, message.chain);
    if (cursor === null) break;
    if (pages > 0 && isOver()) return { invalidated, isDone: false };
    const page = await readPage(plan, cursor, ports);
    const names = await invalidateNodes(page.certnames, reason, ports, plan.revision);
    invalidated.push(...names);
    const count = Number(stored?.invalidated ?? 0) + names.length;
    const next: StoredDocument = { ...(page.next ?? { isDone: true }), invalidated: count };
    const hasMoved = stored
      ? await ports.documents.replace(FAN_OUT_CHAINS, key, stored, next)
      : await ports.documents.create(FAN_OUT_CHAINS, key, next);
    // Another worker is at this chain.
    if (!hasMoved) return { invalidated, isDone: true };
    stored = next;
  }
  const chains = await listChains(plan, ports);
  if (findUnfinished(plan, chains).length > 0) return { invalidated, isDone: true };
  const count = chains.reduce((sum, { document }) => sum + Number(document.invalidated ?? 0), 0);
  await noteFanOut(ports.documents, ports.clock.now(), planKey(environment, plan.revision), count);
  await settle(plan, ports);
  return { invalidated, isDone: true };
}

/** Chains of the plan that are not done. */
export async function listUnfinished(
  plan: FanOutPlan,
  ports: Pick<ChainPorts, 'documents'>,
): Promise<readonly number[]> {
  return findUnfinished(plan, await listChains(plan, ports));
}

type StoredChains = Awaited<ReturnType<ChainPorts['documents']['list']>>;

function listChains(plan: FanOutPlan, { documents }: Pick<ChainPorts, 'documents'>): Promise<StoredChains> {
  return documents.list(FAN_OUT_CHAINS, `${planKey(plan.environment, plan.revision)}/`, MOST_CHAINS_LISTED);
}

function findUnfinished(plan: FanOutPlan, found: StoredChains): readonly number[] {
  const done = new Set(found.flatMap(({ key, document }) => (document.isDone === true ? key : [])));
  const chains = Array.from({ length: plan.chains }, (_, chain) => chain);
  return chains.filter((chain) => !done.has(chainKey(plan, chain)));
}

/**
 * Marks the environment as settled, then deletes the plan and its chains, and what deploys left
 * that were overtaken before they were settled.
 */
export async function settle(
  { environment: name, revision }: FanOutPlan,
  ports: Pick<ChainPorts, 'environments' | 'documents' | 'blobs'>,
): Promise<void> {
  const environment = await ports.environments.get(name);
  if (!environment || revisionToken(environment) !== revision) return;
  await ports.environments.settle(name, environment.revision);
  for (const one of [revision, ...listOvertaken(environment)]) await deleteFanOut(name, one, ports);
}

/**
 * Tokens of the revisions since the settled one, without the one in force. A revision that changed
 * the strictness has the time of the deploy before.
 */
function listOvertaken(environment: EnvironmentRecord): readonly string[] {
  const { revision, settled, history, deployedAt, strictnessRevision = 0 } = environment;
  const count = Math.max(0, revision - settled - 1);
  const times = history.slice(0, count).map((earlier) => earlier.deployedAt);
  const isOfSettings = strictnessRevision > settled;
  return Array.from({ length: isOfSettings ? count : times.length }, (_, index) => index).flatMap((index) => {
    const possible = isOfSettings ? [deployedAt, ...times] : times.slice(index, index + 1);
    return possible.map((time) => revisionToken({ ...environment, deployedAt: time, revision: revision - 1 - index }));
  });
}

async function deleteFanOut(
  environment: string,
  revision: string,
  { documents, blobs }: Pick<ChainPorts, 'documents' | 'blobs'>,
): Promise<void> {
  await deletePlan(blobs, environment, revision);
  const chains = await documents.list(FAN_OUT_CHAINS, `${planKey(environment, revision)}/`, MOST_CHAINS_LISTED);
  for (const { key } of chains) await documents.delete(FAN_OUT_CHAINS, key);
}

async function findPlanInForce(
  { environment: name, revision }: FanOutMessage,
  { environments, blobs }: ChainPorts,
): Promise<FanOutPlan | null> {
  const environment = await environments.get(name);
  if (!environment || revisionToken(environment) !== revision) return null;
  return environment.settled >= environment.revision ? null : loadPlan(blobs, name, revision);
}

/** Reads members of the chain's next portions. */
async function readPage(
  plan: FanOutPlan,
  cursor: ChainCursor,
  { dependencies }: Pick<ChainPorts, 'dependencies'>,
): Promise<{ readonly certnames: readonly string[]; readonly next: ChainCursor | null }> {
  const certnames: string[] = [];
  let at: ChainCursor | null = cursor;
  for (let portions = 0; at && portions < PORTIONS_A_PAGE && certnames.length < NODES_A_PAGE; portions += 1) {
    const portion = findPortion(plan, at.portion);
    if (!portion) return { certnames, next: null };
    const left = NODES_A_PAGE - certnames.length;
    const page: { readonly certnames: readonly string[]; readonly next: string | null } =
      'set' in portion
        ? await dependencies.listMembers(plan.environment, portion.set, portion.shard, at.after, left)
        : { certnames: await dependencies.findOwners(plan.environment, portion.paths), next: null };
    certnames.push(...page.certnames);
    at =
      page.next === null
        ? { portion: at.portion + plan.chains, after: null }
        : { portion: at.portion, after: page.next };
  }
  return { certnames, next: at && at.portion < countPortions(plan) ? at : null };
}

function readCursor(stored: StoredDocument | null, chain: number): ChainCursor | null {
  if (stored === null) return { portion: chain, after: null };
  if (stored.isDone === true) return null;
  const { portion, after } = stored;
  return { portion: Number(portion), after: typeof after === 'string' ? after : null };
}

function chainKey({ environment, revision }: FanOutPlan, chain: number): string {
  return `${planKey(environment, revision)}/${String(chain).padStart(4, '0')}`;
}
