/** Something that happened on the server. `data` is undefined when events were polled for. */
interface LiveEvent {
  readonly name: string;
  readonly data: unknown;
  /** Whether it stands for time that passed without a stream: something may have happened. */
  readonly isPolled: boolean;
}

type Listener = (event: LiveEvent) => void;

const ADDRESS = '/understudy/v1/events';
const NAMES = ['node', 'report', 'deploy', 'job', 'job-nodes', 'certificate-requests'];
/** While there are no events, pages read again so often. */
const POLL_MS = 10_000;
/** Pause between a failure of the stream and its next opening. */
const REOPEN_MS = 30_000;

const listeners = new Set<{ readonly names: ReadonlySet<string>; readonly listener: Listener }>();
const watchers = new Set<(isLive: boolean) => void>();
let source: EventSource | null = null;
let poll = 0;
let reopen = 0;
let isStreaming = false;

/** Calls `listener` for events of these names. Returns what ends it. */
export function subscribeToEvents(names: readonly string[], listener: Listener): () => void {
  const entry = { names: new Set(names), listener };
  listeners.add(entry);
  if (source === null && reopen === 0) openStream();
  return () => {
    listeners.delete(entry);
    if (listeners.size === 0) closeStream();
  };
}

/** Calls `watcher` with whether events come as they happen, now and after each change. */
export function watchLiveness(watcher: (isLive: boolean) => void): () => void {
  watchers.add(watcher);
  watcher(isStreaming);
  return () => watchers.delete(watcher);
}

function openStream(): void {
  reopen = 0;
  source = new EventSource(ADDRESS);
  source.addEventListener('open', () => {
    const wasPolling = poll !== 0;
    window.clearInterval(poll);
    poll = 0;
    setStreaming(true);
    // Changes in between had no event.
    if (wasPolling) emitAll(false);
  });
  source.addEventListener('error', () => {
    setStreaming(false);
    if (poll === 0) poll = window.setInterval(() => emitAll(true), POLL_MS);
    if (source?.readyState !== EventSource.CLOSED) return;
    source = null;
    reopen = window.setTimeout(openStream, REOPEN_MS);
  });
  // Events were lost: everything may have changed.
  source.addEventListener('reset', () => emitAll(false));
  for (const name of NAMES) {
    source.addEventListener(name, (event) => emit({ name, data: parseEvent(event.data), isPolled: false }));
  }
}

/** Ends the stream and everything that would open it again. */
export function closeStream(): void {
  source?.close();
  source = null;
  window.clearInterval(poll);
  window.clearTimeout(reopen);
  [poll, reopen] = [0, 0];
  setStreaming(false);
}

function emitAll(isPolled: boolean): void {
  for (const name of NAMES) emit({ name, data: undefined, isPolled });
}

function emit(event: LiveEvent): void {
  for (const { names, listener } of [...listeners]) if (names.has(event.name)) listener(event);
}

function setStreaming(isLive: boolean): void {
  if (isStreaming === isLive) return;
  isStreaming = isLive;
  for (const watcher of watchers) watcher(isLive);
}

function parseEvent(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return undefined;
  }
}
