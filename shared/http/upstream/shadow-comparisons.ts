import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  answerCheckIn,
  type CatalogAnswer,
  type CatalogService,
  type CheckIn,
} from '../../fleet/catalogs/catalog-service.ts';
import { ComparisonStore, type FleetSum } from '../../fleet/comparisons/comparison-store.ts';
import type { FleetComparison } from '../../fleet/comparisons/fleet-comparison.ts';
import { type ComparisonOutcome, compareWithOurs, readParsedCatalog } from '../../fleet/comparisons/node-comparison.ts';
import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { countUnits } from '../../util/count-units.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { endsWithin } from '../../util/wait-at-most.ts';
import { withoutRichData } from '../exchange/plain-catalog.ts';
import type { RequestLog } from '../services.ts';

/** The answer of the upstream to a node. */
interface UpstreamAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
  /** Whether values may be rich data. */
  readonly isRich: boolean;
}

interface ShadowPorts {
  readonly catalogs: CatalogService;
  readonly documents: DocumentStore;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly log: Pick<RequestLog, 'logError' | 'logEntry'>;
}

const AT_ONCE = 8;
/** Each keeps the facts and the catalog of a node in memory. */
const MOST_WAITING = 100;
const MOST_WAITING_BYTES = 256 * 1024 * 1024;
/** Nodes that were left out are logged together. */
const LOGGED_EACH_MS = 60_000;
/** A sum reads the comparison of each node, so it is kept. */
const SUMMARY_MS = 30_000;
const SUMMARY_WAIT_MS = 50;
const LONGEST_MESSAGE = 1000;
const decompress = promisify(gunzip);

/**
 * Compiles nodes here that got the catalog of another server, and keeps what differs. Nodes do not
 * wait for it; while too many are compiled, further ones are left out until their next run, and
 * logged once a minute.
 */
export class ShadowComparisons {
  readonly #ports: ShadowPorts;
  readonly #store: ComparisonStore;
  readonly #places = new Semaphore(AT_ONCE);
  readonly #running = new Set<Promise<void>>();
  #sum: { readonly made: FleetSum; until: number } | null = null;
  #waitingBytes = 0;
  #leftOut = 0;
  #nextLog = 0;

  constructor(ports: ShadowPorts) {
    this.#ports = ports;
    this.#store = new ComparisonStore(ports.documents);
  }

  /**
   * The last comparisons of all nodes, summed up: a sum that was complete at most 30 seconds ago,
   * or what the next one has after 50 ms.
   */
  async summarize(): Promise<FleetComparison & { readonly isComplete: boolean }> {
    const { clock } = this.#ports;
    if (this.#sum === null || clock.now() >= this.#sum.until) this.#sum = this.#beginSum();
    const { made } = this.#sum;
    const isComplete = await endsWithin(made.done, SUMMARY_WAIT_MS, clock);
    return { ...made.read(), isComplete };
  }

  #beginSum(): { readonly made: FleetSum; until: number } {
    const made = this.#store.beginSum();
    // However long it takes, it is not begun again meanwhile.
    const sum = { made, until: Number.POSITIVE_INFINITY };
    made.done.then(
      () => {
        sum.until = this.#ports.clock.now() + SUMMARY_MS;
      },
      (error: unknown) => {
        if (this.#sum === sum) this.#sum = null;
        this.#ports.log.logError('The comparisons of nodes could not be summed up', error);
      },
    );
    return sum;
  }

  /** False when there was no room. */
  add(checkIn: CheckIn, theirs: UpstreamAnswer): boolean {
    const { byteLength } = theirs.bytes;
    if (this.#running.size >= MOST_WAITING || this.#waitingBytes + byteLength > MOST_WAITING_BYTES) {
      this.#leaveOut(checkIn.certname);
      return false;
    }
    const running = this.#compare(checkIn, theirs).catch((error: unknown) =>
      this.#ports.log.logError(`The catalogs of ${checkIn.certname} could not be compared`, error),
    );
    this.#running.add(running);
    this.#waitingBytes += byteLength;
    running.finally(() => {
      this.#running.delete(running);
      this.#waitingBytes -= byteLength;
    });
    return true;
  }

  #leaveOut(certname: string): void {
    this.#leftOut += 1;
    const now = this.#ports.clock.now();
    if (now < this.#nextLog) return;
    const { size } = this.#running;
    const waiting = `${countUnits(size, 'node')} ${size === 1 ? 'waits for its' : 'wait for their'} comparison`;
    const message = `${waiting}, so others were left out until their next run: ${this.#leftOut}, the last ${certname}`;
    this.#ports.log.logEntry?.(message);
    this.#leftOut = 0;
    this.#nextLog = now + LOGGED_EACH_MS;
  }

  /** Resolves when all that were added are compared. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #compare(checkIn: CheckIn, theirs: UpstreamAnswer): Promise<void> {
    const leave = await this.#places.acquire();
    try {
      const outcome = await this.#findOutcome(checkIn, theirs);
      const { certname, environment } = checkIn;
      await this.#store.put({ certname, environment, at: this.#ports.clock.now(), ...outcome });
    } finally {
      leave();
    }
  }

  async #findOutcome(checkIn: CheckIn, { status, bytes, isRich }: UpstreamAnswer): Promise<ComparisonOutcome> {
    // Static catalogs of two servers name their own code.
    const ours = await answerCheckIn(this.#ports.catalogs, { ...checkIn, checksumType: null, checkEnvironment: false });
    if (ours.status === 'failed') return { outcome: 'failing', message: ours.message };
    if (ours.status === 'unknown-environment') {
      return { outcome: 'failing', message: `the environment '${ours.environment}' is not deployed here` };
    }
    if (ours.status !== 'current') return { outcome: 'unknown', message: 'no catalog could be compiled in time' };
    const text = Buffer.from(bytes).toString('utf8');
    const other = status === 200 ? readCatalogText(text) : null;
    if (other === null) {
      return { outcome: 'unknown', message: `the upstream answered ${status}: ${text.slice(0, LONGEST_MESSAGE)}` };
    }
    return compareWithOurs(other, await readOurs(ours, isRich));
  }
}

function readCatalogText(text: string): ParsedCatalog | null {
  try {
    return readParsedCatalog(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Agents that take no rich data get texts in its place, from both servers. */
async function readOurs(
  { catalog }: CatalogAnswer & { readonly status: 'current' | 'stale' },
  isRich: boolean,
): Promise<ParsedCatalog> {
  const bytes = await decompress(isRich ? catalog : await withoutRichData(catalog));
  const found = readCatalogText(bytes.toString('utf8'));
  if (found === null) throw new Error('invariant: a stored catalog is a catalog');
  return found;
}
