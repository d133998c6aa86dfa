import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs leave much short-lived garbage. The processes that make it need no threads for it, too. */
export const EXPLORER_FLAGS = [
  ...['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64', '--single-threaded-gc'],
] as const;

export interface ExploreRequest {
  /** Runs in all, of small worlds and large ones. */
  readonly runs: number;
  /** Only small worlds with this in their name, and no large ones; empty: all. */
  readonly world: string;
  /** The seed of the first large world. */
  readonly seed: number;
  /** A bug of `COMPILE_BUGS` to plant; the first violation then ends the exploration. */
  readonly bug: string | null;
  /** Prints each step of the first large world, and explores nothing else. */
  readonly isTraced: boolean;
  readonly processes: number;
}

export interface FoundFailure {
  readonly name: string;
  readonly message: string;
  readonly schedule: readonly string[];
  /** The command that shows it again. */
  readonly replay: string;
}

export interface Report {
  readonly runs: number;
  readonly redundant: number;
  readonly steps: number;
  /** Small worlds, and how many of them were explored completely. */
  readonly worlds: number;
  readonly complete: number;
  readonly failures: readonly FoundFailure[];
  readonly seconds: number;
}

/** The share of a process. */
export interface PartRequest extends ExploreRequest {
  readonly part: number;
}

/**
 * Explores the worlds, each process a part of them. Rejects when a process fails by itself, and
 * when `signal` ends them.
 */
export async function exploreWorlds(request: ExploreRequest, signal?: AbortSignal): Promise<Report> {
  const started = performance.now();
  const parts = Array.from({ length: request.processes }, (_, part) => explorePart({ ...request, part }, signal));
  const reports = await Promise.all(parts);
  const sum = (count: (report: Report) => number) => reports.reduce((all, report) => all + count(report), 0);
  return {
    runs: sum(({ runs }) => runs),
    redundant: sum(({ redundant }) => redundant),
    steps: sum(({ steps }) => steps),
    worlds: sum(({ worlds }) => worlds),
    complete: sum(({ complete }) => complete),
    failures: reports.flatMap(({ failures }) => failures),
    seconds: (performance.now() - started) / 1000,
  };
}

function explorePart(request: PartRequest, signal: AbortSignal | undefined): Promise<Report> {
  const file = fileURLToPath(new URL('explore-part.ts', import.meta.url));
  const child = fork(file, [JSON.stringify(request)], { execArgv: [...EXPLORER_FLAGS], ...(signal && { signal }) });
  return new Promise((resolve, reject) => {
    child.on('message', (report) => resolve(report as Report));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`part ${request.part} of the exploration ended with ${code}`)));
  });
}
