import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Disturbance, KillSignal } from './life-plan.ts';
import { BUG_VARIABLE, type PlantedBug } from './plant-bug.ts';
import { PLAN_VARIABLE } from './read-disturbance.ts';
import { isPortOpen } from './tls-client.ts';

export interface ServerPlace {
  readonly data: string;
  readonly controlRepo: string;
  readonly port: number;
  /** Where Node keeps compiled sources, so that a restart takes less time. */
  readonly compileCache: string;
  /** A bug of every process, which the run must find. */
  readonly bug?: PlantedBug | undefined;
}

export interface LifeObserver {
  /** Gets each line that the process prints. */
  onLine(line: string): void;
  /** Gets what its stores tell: `fault` for an injected fault, `kill` before a kill point. */
  onEvent(event: string): void;
}

/** The command of `npm start`, with its settings of memory. */
const ENTRY = fileURLToPath(new URL('../../functions/start-server', import.meta.url));
const DISTURBING = new URL('./disturb-process.ts', import.meta.url).href;
const PLANTING = new URL('./plant-bug.ts', import.meta.url).href;
/** A start that takes longer has failed. */
const LONGEST_START_MS = 60_000;
const POLL_MS = 20;

/** One process of the server, from its start to its death. */
export class ServerLife {
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #port: number;

  /** `onLine` gets what it prints. */
  constructor(place: ServerPlace, disturbance: Disturbance | null, observer: LifeObserver) {
    const { data, controlRepo, port, compileCache, bug } = place;
    const flags = Object.entries({
      data,
      'control-repo': controlRepo,
      port,
      'pcp-port': 'off',
      workers: 2,
      'export-delay': 1,
      'export-interval': 1,
      'keep-history': 1,
      'keep-code': 1,
    });
    const preloads = [...(disturbance === null ? [] : [DISTURBING]), ...(bug === undefined ? [] : [PLANTING])];
    this.#port = port;
    this.#child = spawn(
      ENTRY,
      flags.flatMap(([name, value]) => [`--${name}`, String(value)]),
      {
        // A process group of its own, which dies as a whole.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
        env: {
          ...process.env,
          PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
          NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', ...preloads.map((module) => `--import ${module}`)].join(' '),
          NODE_COMPILE_CACHE: compileCache,
          ...(disturbance && { [PLAN_VARIABLE]: JSON.stringify(disturbance) }),
          ...(bug && { [BUG_VARIABLE]: bug }),
        },
      },
    );
    const [, stdout, stderr, events] = this.#child.stdio;
    readLines(stdout, observer.onLine);
    readLines(stderr, observer.onLine);
    readLines(events, observer.onEvent);
    this.ended = new Promise((resolve) => this.#child.once('exit', resolve));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The signal that ended it. */
  get endSignal(): NodeJS.Signals | null {
    return this.#child.signalCode;
  }

  /** The code with which it exited by itself; null when it lives or was killed. */
  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** Waits until the port is open; returns the milliseconds, or null when the process ended. */
  async untilListening(): Promise<number | null> {
    const began = performance.now();
    while (this.isAlive) {
      if (await isPortOpen(this.#port)) return performance.now() - began;
      if (performance.now() - began > LONGEST_START_MS) return performance.now() - began;
      await pause(POLL_MS);
    }
    return null;
  }

  /** Asks the process to end, and waits for its end: it stores what it compiled of its sources. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.ended;
  }

  /** Kills the process group, and waits for its end. */
  async kill(signal: KillSignal = 'SIGKILL'): Promise<void> {
    if (this.pid > 0 && this.isAlive) {
      try {
        process.kill(-this.pid, signal);
      } catch {
        // It has just ended.
      }
    }
    await this.ended;
  }
}

function readLines(stream: unknown, onLine: (line: string) => void): void {
  if (stream instanceof Readable) createInterface({ input: stream }).on('line', onLine);
}
