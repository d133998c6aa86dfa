import type { JobContext } from './job-context.ts';
import type { JobImage } from './job-image.ts';
import type { JobOrder } from './job-order.ts';
import type { Pass } from './pacing.ts';

/** A node that may start; `pass` is what it holds while it runs. */
export interface Start {
  readonly index: number;
  readonly pass: Pass | null;
}

/** Nodes waiting for a compile that are set aside in the search for one that needs none. */
const MOST_ASIDE = 1000;
/** The same for a gated job, whose nodes are admitted before that. */
const MOST_ADMITTED_ASIDE = 64;
/** Catalogs that are looked up together. */
const LOOKS_AT_ONCE = 64;
/** Puppet runs of a job at a time that need no compile: it bounds the requests of their agents. */
const MOST_CURRENT = 1000;

/**
 * Decides which nodes of a job start: within the job's own bound, and within those of all jobs. A
 * Puppet run whose catalog is current takes no pass.
 */
export class NodeStarter {
  readonly #image: JobImage;
  readonly #order: JobOrder;
  readonly #context: Pick<JobContext, 'pacing' | 'currency' | 'gate'>;
  readonly #wake: () => void;
  /** Nodes that need a compile, in their order. */
  readonly #aside: number[] = [];
  /** Nodes whose catalog is current, in their order. */
  readonly #current: number[] = [];
  #allowed = Number.POSITIVE_INFINITY;

  constructor(
    image: JobImage,
    order: JobOrder,
    context: Pick<JobContext, 'pacing' | 'currency' | 'gate'>,
    wake: () => void,
  ) {
    this.#image = image;
    this.#order = order;
    this.#context = context;
    this.#wake = wake;
  }

  /** Looks at the gate of a gated job; returns the description that the job has to have. */
  async readGate(): Promise<string | null> {
    if (!this.#order.isGated || this.#image.count('new') === 0) return null;
    const { allowed, description } = await this.#context.gate.read(this.#image.number);
    this.#allowed = allowed;
    return description;
  }

  /** Takes the next node, with its pass; null when none may start now. */
  async takeNext(): Promise<Start | null> {
    const { stop, body, running, startedCount } = this.#image;
    if (startedCount >= this.#allowed) return null;
    if (stop !== null || (body.concurrency !== null && running.size >= body.concurrency)) return null;
    if (this.#order.kind === 'puppet') return this.#takeRun();
    if (!this.#hasFree('actions')) return null;
    const index = this.#image.takeReady();
    return index === null ? null : this.#pass(index, 'actions');
  }

  async #takeRun(): Promise<Start | null> {
    const { pacing } = this.#context;
    const mostAside = this.#order.isGated ? MOST_ADMITTED_ASIDE : MOST_ASIDE;
    for (;;) {
      if (pacing.hasFree('compiles')) {
        const index = this.#takeFrom(this.#aside);
        if (index !== null) return this.#pass(index, 'compiles');
      }
      if (this.#countCurrent() < MOST_CURRENT) {
        const index = this.#takeFrom(this.#current);
        if (index !== null) return { index, pass: null };
      }
      const hasRoom = this.#current.length === 0 && this.#aside.length < mostAside;
      if (!hasRoom || !(await this.#look())) break;
    }
    if (this.#aside.length > 0) this.#hasFree('compiles');
    return null;
  }

  /** Takes the next nodes that are ready, and sorts them. False when there are none. */
  async #look(): Promise<boolean> {
    const most = this.#order.isGated ? 1 : LOOKS_AT_ONCE;
    const found: number[] = [];
    for (let index = this.#image.takeReady(); index !== null; index = this.#image.takeReady()) {
      if (!(await this.#isRefused(index))) found.push(index);
      if (found.length === most) break;
    }
    const isCurrent = await Promise.all(found.map((index) => this.#isCurrent(index)));
    for (const [at, index] of found.entries()) (isCurrent[at] === true ? this.#current : this.#aside).push(index);
    return found.length > 0;
  }

  async #isRefused(index: number): Promise<boolean> {
    if (!this.#order.isGated) return false;
    const reason = await this.#context.gate.admit(this.#image.number, this.#image.nameOf(index));
    if (reason === null) return false;
    this.#image.doom(index, reason);
    return true;
  }

  /** Takes the first that is still to run. */
  #takeFrom(indexes: number[]): number | null {
    for (;;) {
      const index = indexes.shift();
      if (index === undefined) return null;
      if (this.#image.stateOf(index) === 'new') return index;
    }
  }

  #hasFree(pass: Pass): boolean {
    const { pacing } = this.#context;
    if (pacing.hasFree(pass)) return true;
    pacing.wait(this.#image, this.#wake);
    return false;
  }

  #pass(index: number, pass: Pass): Start {
    this.#context.pacing.take(pass);
    return { index, pass };
  }

  #countCurrent(): number {
    let count = 0;
    for (const { pass } of this.#image.running.values()) if (pass === null) count += 1;
    return count;
  }

  #isCurrent(index: number): Promise<boolean> {
    // Without an answer, the run counts as one that needs a compile.
    return this.#context.currency.isCurrent(this.#image.nameOf(index), this.#order.environment).catch(() => false);
  }
}
