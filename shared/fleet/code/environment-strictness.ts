import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Author } from '../../access/accounts/account.ts';
import type { Strictness } from '../../config/strictness.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { keepChange, type TouchedByChange } from '../nodes/noted-changes.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import type { PolicyEntry } from '../policies/policy-fields.ts';
import { printStrictness, setStrictness, strictnessOf } from '../policies/strictness-policy.ts';
import { CodeIsStaged } from './deploy.ts';

type StrictnessPorts = Pick<Stores, 'environments' | 'documents'>;

const MOST_ATTEMPTS = 10;

/**
 * Creates or replaces a policy (null: deletes it), and has deployed environments compile as it
 * says. Each that was compiled otherwise gets a new revision of the same code, which affects all of
 * its nodes. Returns these environments, as they are now: `settleEnvironment` invalidates their
 * nodes, else the feeder does. Throws InvalidPolicy; CodeIsStaged, without a change, for another
 * strictness of an environment that has a stage.
 */
export async function changePolicy(
  ports: StrictnessPorts,
  key: string,
  entry: PolicyEntry | null,
  author: Author | null = null,
): Promise<readonly EnvironmentRecord[]> {
  const policies = new FreshnessPolicies(ports.documents);
  const concerned = await listConcerned(ports, key);
  for (const record of concerned) await demandNoStage(record, key, entry, policies);
  if (entry === null) await policies.delete(key);
  else await policies.put(key, entry, author);
  const changed: EnvironmentRecord[] = [];
  for (const { name } of concerned) {
    const record = await applyTo(name, await policies.resolveStrictness(name), ports);
    if (record !== null) changed.push(record);
  }
  return changed;
}

/** The deployed environments for which a policy counts. */
async function listConcerned({ environments }: StrictnessPorts, key: string): Promise<readonly EnvironmentRecord[]> {
  if (key === 'default') return environments.list();
  const [, name] = /^environments\/(\w+)$/.exec(key) ?? [];
  const record = name === undefined ? null : await environments.get(name);
  return record === null ? [] : [record];
}

/** A stage has no fan-out beside it: see `EnvironmentRecord.stage`. */
async function demandNoStage(
  { name, stage, strictness }: EnvironmentRecord,
  key: string,
  entry: PolicyEntry | null,
  policies: FreshnessPolicies,
): Promise<void> {
  if (stage === undefined) return;
  const entries = await Promise.all(
    ['default', `environments/${name}`].map((one) => (one === key ? entry : policies.get(one))),
  );
  const [all, own] = entries.map((one) => strictnessOf(one ?? {}));
  if (printStrictness({ ...all, ...own }) !== printStrictness(strictness)) throw new CodeIsStaged(name, stage);
}

/** The record with the strictness; null when it is no other one. */
async function applyTo(
  name: string,
  strictness: Partial<Strictness>,
  { environments }: StrictnessPorts,
): Promise<EnvironmentRecord | null> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const old = await environments.get(name);
    if (old === null) return null;
    const next = setStrictness({ ...old, revision: old.revision + 1 }, strictness);
    if (next.strictnessRevision !== next.revision) return null;
    if (old.stage) throw new CodeIsStaged(name, old.stage);
    if (await environments.replace(next, old.revision)) return next;
  }
  throw new Error(`environment ${name} keeps being deployed by other processes`);
}

const PAGE = 1000;

/**
 * Notes for the list of changes that all nodes of an environment compile with another strictness.
 * It reads a summary of each node of the fleet.
 */
export async function noteStrictness(
  { name: environment, strictness }: Pick<EnvironmentRecord, 'name' | 'strictness'>,
  user: string,
  ports: Pick<Stores, 'nodes' | 'documents' | 'clock'>,
): Promise<void> {
  const now = printStrictness(strictness);
  const why = `the strictness of ${environment} is ${now === '' ? "the server's again" : now}`;
  const touched: TouchedByChange[] = [];
  for (let after: string | null = null; ; ) {
    const page = await ports.nodes.listSummaries(after, PAGE);
    for (const node of page) {
      if (node.environment === environment) touched.push({ certname: node.certname, why });
    }
    after = page.at(-1)?.certname ?? null;
    if (page.length < PAGE) break;
    // A page of the embedded store is read at once: requests are served between the pages.
    await nextTurn();
  }
  await keepChange(ports, { kind: 'strictness', environment, summary: why, user, touched });
}
