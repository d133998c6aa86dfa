import type { Group } from './versioned-repo.ts';

/** The facts that catalogs show. */
export interface ChaosFacts {
  readonly chaos_a: string;
  readonly chaos_b: string;
}

/**
 * A value that a server was sent. Between a request and its acknowledgement, the server may or may
 * not have accepted it.
 */
export class SentValue<T> {
  #accepted: T;
  #maybe: T[] = [];
  readonly #ever = new Set<T>();

  constructor(accepted: T) {
    this.#accepted = accepted;
    this.#ever.add(accepted);
  }

  /** The value that was accepted last for certain. */
  get accepted(): T {
    return this.#accepted;
  }

  /** Whether a later value may have been accepted, too. */
  get isUncertain(): boolean {
    return this.#maybe.length > 0;
  }

  /** All values that the server may have now. */
  get possible(): readonly T[] {
    return [this.#accepted, ...this.#maybe];
  }

  /** All values that it may ever have had. */
  get ever(): ReadonlySet<T> {
    return this.#ever;
  }

  /** Call it before the request. */
  send(value: T): void {
    this.#maybe.push(value);
    this.#ever.add(value);
  }

  /** Call it when the server answered with success. */
  acknowledge(value: T): void {
    this.#accepted = value;
    this.#maybe = [];
  }
}

/** What a node is, as far as the server was told. One request of a node runs at a time. */
export class NodeModel {
  readonly certname: string;
  readonly facts: SentValue<ChaosFacts>;
  readonly group: SentValue<Group>;
  isBusy = false;
  #count = 0;

  constructor(certname: string, group: Group) {
    this.certname = certname;
    this.group = new SentValue(group);
    this.facts = new SentValue(this.makeFacts(true, true));
  }

  /** New facts, of which those that do not change are as accepted last. */
  makeFacts(changesA: boolean, changesB: boolean): ChaosFacts {
    this.#count += 1;
    const value = `v${this.#count}`;
    const { chaos_a = value, chaos_b = value } = this.#count === 1 ? {} : this.facts.accepted;
    return { chaos_a: changesA ? value : chaos_a, chaos_b: changesB ? value : chaos_b };
  }
}
