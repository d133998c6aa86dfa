import type { ShownRequest } from '../../../orchestrator/jobs/job-service.ts';
import { readKeptValue } from '../../../orchestrator/jobs/kept-values.ts';
import type { BlobStore } from '../../../store/ports/blob-store.ts';
import type { JobOwner, JobRecord, LedgerEvent } from '../../../store/ports/job-records.ts';
import type { Ledger } from '../../../store/ports/job-store.ts';
import { formatIsoSeconds } from '../../../util/iso-seconds.ts';

/** A time as ISO 8601 in UTC, without a fraction; null for none. */
export function printTime(time: number | null): string | null {
  return time === null ? null : formatIsoSeconds(time);
}

/** The state that a job is in. */
export function stateOfJob({ stays }: JobRecord): string {
  return stays.at(-1)?.state ?? 'new';
}

/** Seconds from the start of something to its end, or to `now`. */
export function measureSeconds(startedAt: number | null, finishedAt: number | null, now: number): number {
  return startedAt === null ? 0 : Math.max(0, (finishedAt ?? now) - startedAt) / 1000;
}

/** A user, as the API shows him. */
export function describeUser(owner: JobOwner): Readonly<Record<string, unknown>> {
  return {
    id: owner.id,
    login: owner.login,
    email: owner.email,
    display_name: owner.displayName,
    is_revoked: owner.isRevoked,
    is_remote: owner.isRemote,
    is_superuser: owner.isSuperuser,
    is_group: owner.isGroup,
    last_login: owner.lastLogin === null ? null : new Date(owner.lastLogin).toISOString(),
    role_ids: owner.roleIds,
  };
}

/** A job, as lists show it. */
export async function describeJob(
  { number, body }: Ledger<JobRecord>,
  { base, blobs, now }: { readonly base: string; readonly blobs: Pick<BlobStore, 'get' | 'put'>; readonly now: number },
): Promise<Readonly<Record<string, unknown>>> {
  const id = `${base}/jobs/${number}`;
  const shown = (await readKeptValue(blobs, body.options)) as ShownRequest | null;
  return {
    id,
    name: String(number),
    state: stateOfJob(body),
    command: body.command,
    type: body.command,
    options: shown?.options ?? {},
    owner: describeUser(body.owner),
    description: body.description,
    timestamp: printTime(body.finishedAt ?? body.startedAt ?? body.createdAt),
    started_timestamp: printTime(body.startedAt),
    finished_timestamp: printTime(body.finishedAt),
    duration: String(measureSeconds(body.startedAt, body.finishedAt, now)),
    environment: { name: body.environment },
    node_count: body.nodeCount,
    node_states: body.nodeCount === 0 ? null : body.nodeStates,
    nodes: { id: `${id}/nodes` },
    report: { id: `${id}/report` },
    events: { id: `${id}/events` },
    userdata: shown?.userdata ?? {},
  };
}

/** The states of a job, with the times at which they were entered and left. */
export function describeStays({ stays }: JobRecord): readonly Readonly<Record<string, unknown>>[] {
  return stays.map(({ state, enteredAt, leftAt }) => ({
    state,
    enter_time: printTime(enteredAt),
    exit_time: printTime(leftAt),
  }));
}

/** Events from an id, and where to go on. */
export function describeEvents(
  url: string,
  events: readonly LedgerEvent[],
  start: number,
): Readonly<Record<string, unknown>> {
  const next = (events.at(-1)?.id ?? start - 1) + 1;
  return {
    'next-events': describeNextEvents(url, next),
    items: events.map(({ id, type, at, details, message }) => ({
      id: String(id),
      type,
      timestamp: printTime(at),
      details,
      message,
    })),
  };
}

/** The place at which events go on. */
export function describeNextEvents(url: string, next: number): { readonly id: string; readonly event: string } {
  return { id: `${url}?start=${next}`, event: String(next) };
}
