import { listReports, type ReportSummary, readReportSummary } from '../../fleet/reports/node-reports.ts';
import type { ChangeConsumer } from '../../store/follow-changes.ts';
import type { NodeChange } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { InventoryCommand } from '../commands/apply-command.ts';
import { makeCatalogCommand, makeFactsCommand, makeReportCommand } from '../feed/feed-commands.ts';
import { loadCatalogDocument, loadFactsDocument, loadReportDocument, nameCatalog } from '../feed/load-documents.ts';
import { type ForwardLetter, keepDeadLetter, type LetterReport } from './dead-letters.ts';
import { type CommandSender, DeliveryRejected, MOST_DELIVERY_FAILURES, ReceiverAway } from './delivery-errors.ts';
import { findLetterReport, sendDueLetters } from './send-due-letters.ts';

/** Nodes whose commands are on their way at the same time; those of a node follow each other. */
const NODES_AT_ONCE = 4;
/** Nodes in a part of a pass. */
const PAGE = 50;

interface ForwarderOptions {
  readonly stores: Pick<Stores, 'nodes' | 'blobs' | 'documents' | 'exports' | 'clock'>;
  readonly sender: CommandSender;
  /** Address of PuppetDB; names the forwarder's place among the changes. */
  readonly url: string;
  /** This server's name, as the producer. */
  readonly producer: string;
  /** Receives messages about commands that PuppetDB does not take. */
  onTrouble(message: string): void;
}

/** Makes one command; null when what it is about is gone. */
type Maker = () => Promise<InventoryCommand | null>;

/**
 * Sends facts, catalogs and reports to a PuppetDB as they change. While PuppetDB is away, changes
 * wait in the log of node changes, which is bounded; a forwarder that missed some passes over all
 * nodes. PuppetDB takes what it has already for no change.
 */
export class PuppetdbForwarder implements ChangeConsumer {
  readonly name: string;
  readonly #options: ForwarderOptions;
  /** Commands sent in the current turn, which is repeated as a whole. */
  readonly #sent = new Set<string>();
  /** PuppetDB's failures for each command of the turn. */
  readonly #failures = new Map<string, number>();

  constructor(options: ForwarderOptions) {
    this.name = `puppetdb ${options.url}`;
    this.#options = options;
  }

  /** Throws ReceiverAway; a command that PuppetDB rejects becomes a dead letter. */
  async handleChanges(changes: readonly NodeChange[]): Promise<void> {
    const byNode = Map.groupBy(changes.filter(isNews), ({ certname }) => certname);
    await this.#sendAll([...byNode], ([certname, own]) => this.#handleNode(certname, own));
    this.#endTurn();
  }

  async continuePass(after: string): Promise<string | null> {
    const { stores } = this.#options;
    const page = await stores.nodes.list(after === '' ? null : after, PAGE);
    await this.#sendAll(page, async ({ certname }) => {
      const reports = await listReports(stores, { certname, since: 0, limit: Number.POSITIVE_INFINITY });
      await this.#sendRecord(certname, true, true);
      await this.#sendReports(certname, reports.toReversed());
    });
    this.#endTurn();
    return page.length < PAGE ? null : (page.at(-1)?.certname ?? null);
  }

  async #handleNode(certname: string, changes: readonly NodeChange[]): Promise<void> {
    const has = (kind: NodeChange['kind']) => changes.some((change) => change.kind === kind);
    const removed = changes.findLast(({ kind }) => kind === 'removed');
    const isGone = removed !== undefined && (await this.#options.stores.nodes.get(certname)) === null;
    if (!isGone) await this.#sendRecord(certname, has('facts'), has('catalog'));
    const reports = changes.flatMap((one) => (one.kind === 'report' ? [readReportSummary(one.document)] : []));
    await this.#sendReports(certname, reports);
    if (!isGone) return;
    await this.#send(`removed ${certname}`, async () => deactivate(certname, removed.at));
  }

  async #sendRecord(certname: string, hasFacts: boolean, hasCatalog: boolean): Promise<void> {
    const { stores, producer } = this.#options;
    const record = hasFacts || hasCatalog ? await stores.nodes.get(certname) : null;
    if (record === null) return;
    if (hasFacts && record.facts !== null) {
      await this.#send(`facts ${certname} ${record.facts.digest} ${record.facts.at}`, async () => {
        const document = await loadFactsDocument(record, stores);
        return document && makeFactsCommand(certname, document, producer);
      });
    }
    if (!hasCatalog || record.catalog === null) return;
    await this.#send(`catalog ${certname} ${nameCatalog(record.catalog)}`, async () => {
      const document = await loadCatalogDocument(record, stores);
      return document && makeCatalogCommand(certname, document, producer);
    });
  }

  async #sendReports(certname: string, reports: readonly ReportSummary[]): Promise<void> {
    const { stores, producer } = this.#options;
    for (const summary of reports) {
      await this.#send(
        `report ${certname} ${summary.receivedAt} ${summary.time} ${summary.transactionUuid}`,
        async () => {
          const [report] = await loadReportDocument(summary, stores);
          return report === undefined ? null : makeReportCommand(report, producer);
        },
        { receivedAt: summary.receivedAt, transactionUuid: summary.transactionUuid },
      );
    }
  }

  /** Sends a command unless this turn did; `key` names what it brings. */
  async #send(key: string, make: Maker, report: LetterReport | null = null): Promise<void> {
    if (this.#sent.has(key)) return;
    const command = await make();
    if (command !== null) await this.#deliver(key, command, report);
    this.#sent.add(key);
  }

  async #deliver(key: string, command: InventoryCommand, report: LetterReport | null): Promise<void> {
    const { sender, url } = this.#options;
    try {
      await sender.send(command);
    } catch (error) {
      if (!(error instanceof DeliveryRejected)) throw error;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (!error.isFinal && failures < MOST_DELIVERY_FAILURES)
        throw new ReceiverAway(`${url} failed with ${error.message}`);
      await this.#giveUp(command, { report, reason: error.message });
    }
  }

  async #giveUp(
    { certname, command }: InventoryCommand,
    letter: Pick<ForwardLetter, 'report' | 'reason'> & { readonly id?: string },
  ): Promise<void> {
    const { stores, onTrouble } = this.#options;
    const at = stores.clock.now();
    await keepDeadLetter({ target: 'puppetdb', certname, command, at, ...letter }, stores.documents);
    onTrouble(`'${command}' of ${certname} was not taken: ${letter.reason}`);
  }

  /** Sends the dead letters again that an operator wants sent. Throws ReceiverAway. */
  async sendDueLetters(): Promise<void> {
    await sendDueLetters('puppetdb', this.#options.stores.documents, (letter) => this.#sendLetter(letter));
  }

  async #sendLetter(letter: ForwardLetter): Promise<boolean> {
    const command = await this.#makeAgain(letter);
    if (command === null) return true;
    try {
      await this.#options.sender.send(command);
      return true;
    } catch (error) {
      if (!(error instanceof DeliveryRejected)) throw error;
      await this.#giveUp(command, { report: letter.report, reason: error.message, id: letter.id });
      return false;
    }
  }

  /** Makes the letter's command from present data; null when that is gone. */
  async #makeAgain(letter: ForwardLetter): Promise<InventoryCommand | null> {
    const { stores, producer } = this.#options;
    const { certname, command } = letter;
    const record = await stores.nodes.get(certname);
    if (command === 'replace facts') {
      const document = record && (await loadFactsDocument(record, stores));
      return document && makeFactsCommand(certname, document, producer);
    }
    if (command === 'replace catalog') {
      const document = record && (await loadCatalogDocument(record, stores));
      return document && makeCatalogCommand(certname, document, producer);
    }
    if (command === 'deactivate node') return record === null ? deactivate(certname, letter.at) : null;
    const summary = await findLetterReport(letter, stores);
    const [report] = summary === null ? [] : await loadReportDocument(summary, stores);
    return report === undefined ? null : makeReportCommand(report, producer);
  }

  /** Works on nodes at once; all end before the first error is thrown. */
  async #sendAll<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const errors: unknown[] = [];
    await inParallel(NODES_AT_ONCE, items, async (item) => {
      // PuppetDB is away for the others, too.
      if (errors.length >= NODES_AT_ONCE) return;
      await work(item).catch((error: unknown) => errors.push(error));
    });
    if (errors.length > 0) throw errors[0];
  }

  #endTurn(): void {
    this.#sent.clear();
    this.#failures.clear();
  }
}

function deactivate(certname: string, at: number): InventoryCommand {
  const payload = JSON.stringify({ certname, producer_timestamp: new Date(at).toISOString() });
  return { command: 'deactivate node', version: 3, certname, payload };
}

/** Facts that did not change, and catalogs that were compiled again, are none. */
function isNews(change: NodeChange): boolean {
  if (change.kind === 'facts') return change.before?.digest !== change.after.digest;
  if (change.kind === 'catalog') return nameCatalog(change.before) !== nameCatalog(change.after);
  return change.kind === 'report' || change.kind === 'removed';
}
