import { callApi } from './api-client.ts';
import { ApiFault } from './api-fault.ts';

const STATUS = '/puppet-ca/v1/certificate_status';

/** The outcome of a request: `skipped` after a fault that would meet the others, too. */
export interface SignOutcome {
  readonly name: string;
  readonly state: 'signed' | 'failed' | 'skipped';
  /** The server's reason; null for a signed one. */
  readonly reason: string | null;
}

/** Faults of one request alone; after any other, no further request is sent. */
const OF_ONE: ReadonlySet<ApiFault['kind']> = new Set(['refused', 'not-found', 'conflict']);

/** Signs a request. Throws ApiFault. */
export async function signRequest(name: string): Promise<void> {
  await callApi(`${STATUS}/${encodeURIComponent(name)}`, { method: 'PUT', body: { desired_state: 'signed' } });
}

/**
 * Signs requests one after the other, so that each has its own outcome. `note` gets the number of
 * those that are done.
 */
export async function signRequests(
  names: readonly string[],
  note: (done: number) => void,
  sign: (name: string) => Promise<void> = signRequest,
): Promise<readonly SignOutcome[]> {
  const outcomes: SignOutcome[] = [];
  let end: ApiFault | null = null;
  for (const name of names) {
    const fault: ApiFault | null = end ?? (await faultOf(() => sign(name)));
    const state = fault === null ? 'signed' : OF_ONE.has(fault.kind) ? 'failed' : 'skipped';
    if (state === 'skipped') end = fault;
    outcomes.push({ name, state, reason: fault?.message ?? null });
    note(outcomes.length);
  }
  return outcomes;
}

async function faultOf(work: () => Promise<void>): Promise<ApiFault | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return error instanceof ApiFault ? error : new ApiFault('broken', 'The page failed to do this.');
  }
}
