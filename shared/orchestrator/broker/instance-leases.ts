import type { Stores } from '../../store/ports/stores.ts';

/** A running broker, as the others see it. */
export interface Instance {
  readonly name: string;
  /** Differs at each start, so that what an earlier process of the name left behind is void. */
  readonly incarnation: string;
  /** When the lease ends unless it is renewed. */
  readonly until: number;
  readonly hasSubscribers: boolean;
  /** Number of its clients; null when it takes none. */
  readonly connections: number | null;
  /** It listens to nobody, and serves an orchestrator of its process. */
  readonly isService: boolean;
}

/** State that an instance publishes with its lease. */
type InstanceNews = Pick<Instance, 'hasSubscribers' | 'connections'>;

const COLLECTION = 'pcp-instances';
/** A broker that did not renew its lease for this time is gone. */
const LEASE_MS = 10_000;
export const RENEW_MS = 3000;
const MOST_INSTANCES = 1000;

/** Another process runs under the name of this instance. */
export class InstanceReplaced extends Error {
  constructor(name: string) {
    super(`another broker was started as instance '${name}'`);
    this.name = 'InstanceReplaced';
  }
}

/** Leases of the brokers that share a store: one document each. No client has a heartbeat. */
export class InstanceLeases {
  readonly #stores: Pick<Stores, 'documents' | 'clock'>;
  #own: Instance;
  #heldSince: number;
  /** The last write: each compares with the one before it. */
  #write: Promise<void> = Promise.resolve();

  private constructor(stores: Pick<Stores, 'documents' | 'clock'>, own: Instance) {
    this.#stores = stores;
    this.#own = own;
    this.#heldSince = stores.clock.now();
  }

  /** Takes the lease of a name, also from a process that holds it: that one died or has to stop. */
  static async take(
    stores: Pick<Stores, 'documents' | 'clock'>,
    name: string,
    isService: boolean,
  ): Promise<InstanceLeases> {
    const { clock, documents } = stores;
    const now = clock.now();
    const incarnation = `${now}-${Math.floor(clock.random() * 2 ** 32).toString(16)}`;
    const state = { hasSubscribers: false, connections: null, isService };
    const own = { name, incarnation, until: now + LEASE_MS, ...state };
    await documents.put(COLLECTION, name, own);
    return new InstanceLeases(stores, own);
  }

  get own(): Instance {
    return this.#own;
  }

  /** Since when the own lease was renewed in time. A store that did not answer begins it anew. */
  get heldSince(): number {
    return this.#heldSince;
  }

  /** Renews the own lease. Rejects with InstanceReplaced. */
  renew(news: Partial<InstanceNews> = {}): Promise<void> {
    return this.#replace((own) => ({ ...own, ...news, until: this.#stores.clock.now() + LEASE_MS }));
  }

  /** Ends the own lease. It stays known until another broker has cleaned up after this one. */
  end(): Promise<void> {
    return this.#replace((own) => ({ ...own, until: 0, hasSubscribers: false, connections: null }));
  }

  #replace(change: (own: Instance) => Instance): Promise<void> {
    const write = async () => {
      if (this.#own.until < this.#stores.clock.now()) this.#heldSince = this.#stores.clock.now();
      const next = change(this.#own);
      const isWritten = await this.#stores.documents.replace(COLLECTION, next.name, { ...this.#own }, { ...next });
      if (!isWritten) throw new InstanceReplaced(next.name);
      this.#own = next;
    };
    const written = this.#write.catch(() => {}).then(write);
    this.#write = written;
    return written;
  }

  /** All leases, also those that ended. */
  async list(): Promise<readonly Instance[]> {
    const found = await this.#stores.documents.list(COLLECTION, '', MOST_INSTANCES);
    return found.map(({ key: name, document }) => ({
      name,
      incarnation: String(document.incarnation),
      until: Number(document.until),
      hasSubscribers: document.hasSubscribers === true,
      connections: typeof document.connections === 'number' ? document.connections : null,
      isService: document.isService === true,
    }));
  }

  /** Forgets an instance whose lease ended, unless it was renewed meanwhile. */
  async forget(instance: Instance): Promise<void> {
    await this.#stores.documents.remove(COLLECTION, instance.name, { ...instance });
  }
}
