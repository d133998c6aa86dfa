import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { PlanEffect, PlanHost, PlanNote, PlanOutcome } from '../plan-language/plan-effects.ts';
import { SHARED, type ThreadAnswer, type ThreadPost } from './thread-messages.ts';

/** The way of a plan's thread to the rest of the server. */
interface ThreadWay {
  /** Brings answers. */
  readonly answers: MessagePort;
  /** See `SHARED`. */
  readonly memory: Int32Array<SharedArrayBuffer>;
  readonly post: (message: ThreadPost) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** The world of a plan in a thread of its own, which blocks while it waits. */
export class ThreadHost implements PlanHost {
  readonly #way: ThreadWay;
  readonly #outcomes: (readonly [number, PlanOutcome])[] = [];
  readonly #contents = new Map<string, Uint8Array | null>();

  constructor(way: ThreadWay) {
    this.#way = way;
  }

  begin(id: number, effect: PlanEffect): void {
    this.#way.post({ kind: 'begin', id, effect });
  }

  await(until: number | null): readonly (readonly [number, PlanOutcome])[] {
    this.#waitUntil(() => this.#outcomes.length > 0, until);
    return this.#outcomes.splice(0);
  }

  note(note: PlanNote): void {
    this.#way.post({ kind: 'note', note });
  }

  now(): number {
    return this.#way.now();
  }

  /** The content of a deployed file; null when it is gone. */
  fetchContent(sha256: string): Uint8Array | null {
    this.#way.post({ kind: 'content', sha256 });
    this.#waitUntil(() => this.#contents.has(sha256), null);
    const bytes = this.#contents.get(sha256) ?? null;
    this.#contents.delete(sha256);
    return bytes;
  }

  #waitUntil(isOver: () => boolean, until: number | null): void {
    const { memory, now } = this.#way;
    for (;;) {
      const seen = Atomics.load(memory, SHARED.answers);
      this.#receive();
      const leftMs = until === null ? undefined : until - now();
      if (isOver() || (leftMs !== undefined && leftMs <= 0)) return;
      Atomics.store(memory, SHARED.isWaiting, 1);
      Atomics.wait(memory, SHARED.answers, seen, leftMs);
      Atomics.store(memory, SHARED.isWaiting, 0);
      Atomics.add(memory, SHARED.turns, 1);
    }
  }

  #receive(): void {
    for (;;) {
      const received: { readonly message: ThreadAnswer } | undefined = receiveMessageOnPort(this.#way.answers);
      if (received === undefined) return;
      const { message } = received;
      if (message.kind === 'outcome') this.#outcomes.push([message.id, message.outcome]);
      else this.#contents.set(message.sha256, message.bytes);
    }
  }
}
