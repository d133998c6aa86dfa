import { isJsonRecord, type JsonRecord, type OrchestratorClient } from './orchestrator-client.ts';

/** An event of a job; they come in order. */
export type JobStep =
  | { readonly kind: 'started'; readonly node: string; readonly message: string }
  | { readonly kind: 'ended'; readonly node: string; readonly run: JsonRecord }
  | { readonly kind: 'note'; readonly message: string };

const ENDED_STATES = new Set(['stopped', 'finished', 'failed']);
const NODE_ENDS = new Set(['node_finished', 'node_failed', 'node_errored', 'node_skipped']);
const JOB_ENDS = new Set(['job_finished', 'job_aborted']);
const POLL_MS = 1000;
/**
 * A job whose last event is lost ends all the same: its state is read after so many empty polls.
 */
const EMPTY_POLLS = 5;

/** Whether a job in this state does nothing any more. */
export function hasJobEnded(job: JsonRecord): boolean {
  return ENDED_STATES.has(String(job.state));
}

/** Follows a job by its events, until it ends. */
export async function* followJob(
  client: OrchestratorClient,
  job: string,
  sleep: (milliseconds: number) => Promise<void>,
): AsyncGenerator<JobStep> {
  let start = '';
  let hasEnded = false;
  for (let empty = 0; ; ) {
    const page = await client.get(`/jobs/${job}/events${start === '' ? '' : `?start=${start}`}`);
    const events = listRecords(page.items);
    yield* readSteps(client, job, events);
    if (events.some(({ type }) => JOB_ENDS.has(String(type))) || (hasEnded && events.length === 0)) return;
    empty = events.length === 0 ? empty + 1 : 0;
    // It may have ended since the last poll: what happened then is still to be read.
    if (empty > 0 && empty % EMPTY_POLLS === 0) hasEnded = hasJobEnded(await client.get(`/jobs/${job}`));
    const next = isJsonRecord(page['next-events']) ? page['next-events'].event : undefined;
    if (next !== undefined) start = encodeURIComponent(String(next));
    if (events.length === 0 && !hasEnded) await sleep(POLL_MS);
  }
}

async function* readSteps(
  client: OrchestratorClient,
  job: string,
  events: readonly JsonRecord[],
): AsyncGenerator<JobStep> {
  const ends = events.filter(({ type }) => NODE_ENDS.has(String(type)));
  const runs = ends.length === 0 ? new Map<string, JsonRecord>() : await readEndedRuns(client, job, ends);
  for (const event of events) {
    const message = String(event.message ?? '');
    const node = nodeOf(event);
    if (event.type === 'node_running') yield { kind: 'started', node, message };
    else if (NODE_ENDS.has(String(event.type))) {
      yield { kind: 'ended', node, run: runs.get(node) ?? { name: node, state: String(event.type).slice(5) } };
    } else if (event.type === 'job_aborted') yield { kind: 'note', message };
  }
}

/**
 * The runs of nodes that ended: the latest ones, and all of them only when one of these is not
 * among them. A job of many nodes thus costs little more for each poll than what is new.
 */
async function readEndedRuns(client: OrchestratorClient, job: string, ends: readonly JsonRecord[]) {
  const wanted = new Set(ends.map(nodeOf));
  const latest = `?order_by=finish_timestamp&order=desc&limit=${wanted.size + 20}`;
  for (const query of [latest, '']) {
    const { items } = await client.get(`/jobs/${job}/nodes${query}`);
    const runs = new Map(listRecords(items).map((run) => [String(run.name), run]));
    if (query === '' || [...wanted].every((node) => runs.has(node))) return runs;
  }
  throw new Error('invariant: the last query returns');
}

/** The JSON objects of a list. */
export function listRecords(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isJsonRecord) : [];
}

function nodeOf({ details }: JsonRecord): string {
  return isJsonRecord(details) ? String(details.node ?? '') : '';
}
