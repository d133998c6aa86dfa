import type { Permission } from '../../../access/accounts/access-control.ts';
import type { NumberedEvent } from '../../../fleet/overview/fleet-events.ts';
import type { FleetOverview } from '../../../fleet/overview/fleet-overview.ts';
import type { Clock } from '../../../store/ports/clock.ts';
import type { HttpContext } from '../../endpoint.ts';
import { badRequestError, unavailableError } from '../../exchange/answers.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const HEARTBEAT_MS = 15_000;
/** Events that only those who may see jobs get. */
const JOB_EVENTS: ReadonlySet<string> = new Set(['job', 'job-nodes']);
const VIEW_JOBS: Permission = { objectType: 'orchestrator', action: 'view', instance: '*' };
/** A stream ends so that its client is authenticated again; it resumes where it was. */
const STREAM_MS = 5 * 60_000;
const RETRY_MS = 1000;

/**
 * `GET events`: what happens to nodes, code, certificate requests and (to those who may see them)
 * jobs, as server-sent events. The
 * header `Last-Event-ID` (or the parameter `after`) resumes; the event `reset` says that events
 * were lost. A comment every 15 seconds keeps the connection.
 */
export const getEvents = createRoute<FleetServices>(
  'GET',
  '/understudy/v1/events',
  async (context, { fleet, clock }) => {
    const after = readLastId(context) ?? fleet.events.last;
    fleet.watch.look();
    const headers = { 'Content-Type': 'text/event-stream;charset=utf-8', 'Cache-Control': 'no-store' };
    if (context.req.method === 'HEAD') return new Response(null, { headers });
    if (!fleet.events.enter()) throw unavailableError('there are too many streams of events', 30);
    const { permits } = context.env;
    const mayView = permits === undefined || (await permits(VIEW_JOBS));
    const isShown = ({ event }: NumberedEvent) => mayView || !JOB_EVENTS.has(event.kind);
    return new Response(streamEvents({ fleet, clock, after, isShown }, context.req.raw.signal), { headers });
  },
);

function readLastId({ req }: HttpContext): number | null {
  const text = req.header('Last-Event-ID') ?? req.query('after');
  if (text === undefined || text === '') return null;
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw badRequestError(`The number of the last event must be a whole number, not '${text.slice(0, 40)}'`);
}

interface EventStream {
  readonly fleet: FleetOverview;
  readonly clock: Clock;
  readonly after: number;
  /** Whether the client may see an event. */
  readonly isShown: (event: NumberedEvent) => boolean;
}

function streamEvents({ fleet, clock, after, isShown }: EventStream, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const until = clock.now() + STREAM_MS;
  const closing = new AbortController();
  let last = after;
  let isOpen = true;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    fleet.events.leave();
    signal.removeEventListener('abort', end);
    closing.abort();
  };
  signal.addEventListener('abort', end);
  return new ReadableStream(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
      async pull(controller) {
        const text = await nextText();
        if (text !== null && isOpen) return controller.enqueue(encoder.encode(text));
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );

  /** Waits for events, at most until the next heartbeat; null at the end of the stream. */
  async function nextText(): Promise<string | null> {
    if (fleet.events.after(last)?.length === 0) await waitForEvent();
    if (!isOpen || fleet.isOver || clock.now() >= until) return null;
    fleet.watch.look();
    const found = fleet.events.after(last);
    last = fleet.events.last;
    if (found === null) return `id: ${last}\nevent: reset\ndata: {}\n\n`;
    const shown = found.filter(isShown);
    if (shown.length === 0) return ': still here\n\n';
    return shown
      .map(
        ({ id, at, event: { kind, ...data } }) =>
          `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify({ at, ...data })}\n\n`,
      )
      .join('');
  }

  async function waitForEvent(): Promise<void> {
    const waking = new AbortController();
    const stop = fleet.events.listen(() => waking.abort());
    await clock.sleep(HEARTBEAT_MS, AbortSignal.any([waking.signal, closing.signal]));
    stop();
  }
}
