import type { Stores } from './ports/stores.ts';

const COLLECTION = 'leases';
/** Another server takes the place of a dead leader after this time. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;
/** A leader that could not renew its lease stops this long before it ends. */
const RESERVE_MS = 5_000;
/** Servers look at different times. */
const LOOK_MS = 4_000;

interface Leading {
  readonly ports: Pick<Stores, 'documents' | 'clock'>;
  /** The name of the work. */
  readonly name: string;
  /** The name of this server. */
  readonly holder: string;
  /** A fault of the store, and an error of the work. The next try follows. */
  readonly reportFault: (error: unknown) => void;
}

/**
 * Runs `work` in one server at a time, until `signal` aborts. The signal that `work` gets aborts as
 * well when the lease is lost; `work` must end then. A work that ends by itself begins again.
 */
export async function keepLeading(
  leading: Leading,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { clock } = leading.ports;
  while (!signal.aborted) {
    try {
      const lease = await takeLease(leading);
      if (lease !== null) await workUnder(lease, leading, signal, work);
    } catch (error) {
      leading.reportFault(error);
    }
    await clock.sleep(LOOK_MS * (1 + clock.random() / 2), signal);
  }
}

/** The leaders of all works, by name; a work without a leader is absent. */
export async function listLeaders({ documents, clock }: Leading['ports']): Promise<Readonly<Record<string, string>>> {
  const { work, collection, key } = NOTIFYING;
  const [leases, notifying] = await Promise.all([
    documents.list(COLLECTION, LEADER_PREFIX, MOST_WORKS),
    documents.get(collection, key),
  ]);
  const held = leases.map((one) => [one.key.slice(LEADER_PREFIX.length), one.document.holder, one.document.until]);
  held.push([work, notifying?.owner, notifying?.until]);
  return Object.fromEntries(
    held.flatMap(([name, holder, until]) => (Number(until) > clock.now() ? [[name, String(holder)]] : [])),
  );
}

/** The work of notifying nodes, whose lease is a document of its own, as in AWS. */
export const NOTIFYING = { work: 'notify', collection: 'notify-lease', key: 'lanes' } as const;
const LEADER_PREFIX = 'leader-';
const MOST_WORKS = 100;

interface Lease {
  readonly until: number;
  readonly holder: string;
}

/** Null while another server leads. */
async function takeLease({ ports: { documents, clock }, name, holder }: Leading): Promise<Lease | null> {
  const key = LEADER_PREFIX + name;
  const now = clock.now();
  const lease = { until: now + LEASE_MS, holder };
  if (await documents.create(COLLECTION, key, lease)) return lease;
  const held = await documents.get(COLLECTION, key);
  if (held === null || Number(held.until) > now) return null;
  return (await documents.replace(COLLECTION, key, held, lease)) ? lease : null;
}

async function workUnder(
  first: Lease,
  leading: Leading,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { documents } = leading.ports;
  const losing = new AbortController();
  const ended = new AbortController();
  const renewing = keepLease(first, leading, ended.signal).finally(() => losing.abort());
  try {
    await work(AbortSignal.any([signal, losing.signal]));
  } finally {
    ended.abort();
    const last = await renewing;
    if (last !== null) await documents.remove(COLLECTION, LEADER_PREFIX + leading.name, { ...last });
  }
}

/** Renews a lease until `signal` aborts; returns the last one, null when it is lost. */
async function keepLease(first: Lease, leading: Leading, signal: AbortSignal): Promise<Lease | null> {
  const { documents, clock } = leading.ports;
  let lease = first;
  while (!signal.aborted) {
    await clock.sleep(RENEW_MS, signal);
    if (signal.aborted) break;
    const next = { until: clock.now() + LEASE_MS, holder: lease.holder };
    try {
      if (!(await documents.replace(COLLECTION, LEADER_PREFIX + leading.name, { ...lease }, next))) return null;
      lease = next;
    } catch (error) {
      leading.reportFault(error);
      if (clock.now() > lease.until - RESERVE_MS) return null;
    }
  }
  return lease;
}
