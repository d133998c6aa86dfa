import { gunzipSync } from 'node:zlib';
import { type ReportSummary, readReportSummary } from '../../fleet/reports/node-reports.ts';
import { parseJsonInSteps } from '../../puppet/serialization/json.ts';
import { printTaggedYamlInSteps } from '../../puppet/serialization/yaml-emitter.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { ChangeConsumer } from '../../store/follow-changes.ts';
import type { NodeChange } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { runInSteps } from '../../util/in-steps.ts';
import { loadReportDocument } from '../feed/load-documents.ts';
import { keepDeadLetter } from './dead-letters.ts';
import { DeliveryRejected, MOST_DELIVERY_FAILURES, ReceiverAway } from './delivery-errors.ts';
import type { ReportSender } from './report-sender.ts';
import { findLetterReport, sendDueLetters } from './send-due-letters.ts';

interface ReportForwarderOptions {
  readonly stores: Pick<Stores, 'blobs' | 'documents' | 'clock'>;
  readonly sender: ReportSender;
  /** Address of the receiver; names the forwarder's place among the changes. */
  readonly url: string;
  /** Receives messages about reports that are not sent. */
  onTrouble(message: string): void;
  /** Called for each report. */
  count(outcome: 'sent' | 'rejected'): void;
}

/**
 * Sends each report to an HTTP endpoint, in the order in which they came. While the endpoint is
 * away, reports wait in the log of node changes, which is bounded. One that the endpoint rejects,
 * or fails over ten times, is a dead letter.
 */
export class ReportForwarder implements ChangeConsumer {
  readonly name: string;
  readonly #options: ReportForwarderOptions;
  /** Reports sent in the current turn, which is repeated as a whole. */
  readonly #sent = new Set<string>();
  readonly #failures = new Map<string, number>();

  constructor(options: ReportForwarderOptions) {
    this.name = `reports ${options.url}`;
    this.#options = options;
  }

  /** Throws ReceiverAway: the turn is repeated. */
  async handleChanges(changes: readonly NodeChange[]): Promise<void> {
    for (const change of changes) {
      if (change.kind === 'report') await this.#sendOnce(readReportSummary(change.document));
    }
    this.#sent.clear();
    this.#failures.clear();
  }

  /** A new forwarder begins with the next report, and what was given up is not sent late. */
  async continuePass(): Promise<null> {
    this.#options.onTrouble('reports are sent from now on; earlier ones are not');
    return null;
  }

  /** Sends the dead letters again that an operator wants sent. Throws ReceiverAway. */
  async sendDueLetters(): Promise<void> {
    const { stores, onTrouble } = this.#options;
    await sendDueLetters('report-url', stores.documents, async (letter) => {
      const summary = await findLetterReport(letter, stores);
      if (summary === null) onTrouble(`a report of ${letter.certname} is deleted by now`);
      return summary === null || this.#send(summary, MOST_DELIVERY_FAILURES, letter.id);
    });
  }

  async #sendOnce(summary: ReportSummary): Promise<void> {
    const { certname, receivedAt, transactionUuid } = summary;
    const key = `${certname} ${receivedAt} ${transactionUuid}`;
    if (this.#sent.has(key)) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    await this.#send(summary, failures);
    this.#sent.add(key);
  }

  /**
   * False when it is a dead letter now, in place of `letter`. `attempt`: from 1. Throws
   * ReceiverAway, also when the receiver failed and may be asked again.
   */
  async #send(summary: ReportSummary, attempt: number, letter?: string): Promise<boolean> {
    const { sender, stores, count, onTrouble } = this.#options;
    const [document] = await loadReportDocument(summary, stores);
    if (document === undefined) return true;
    try {
      const body = await printReportBody(summary, document.bytes);
      if (body === null) throw new DeliveryRejected('the stored report cannot be read', true);
      await sender.send(body);
      count('sent');
      return true;
    } catch (error) {
      if (!(error instanceof DeliveryRejected)) throw error;
      if (!error.isFinal && attempt < MOST_DELIVERY_FAILURES) throw new ReceiverAway(error.message);
      await this.#giveUp(summary, error.message, letter);
      count('rejected');
      onTrouble(`the report of ${summary.certname} was not taken: ${error.message}`);
      return false;
    }
  }

  async #giveUp(summary: ReportSummary, reason: string, letter: string | undefined): Promise<void> {
    const { certname, receivedAt, transactionUuid } = summary;
    const { documents, clock } = this.#options.stores;
    const report = { receivedAt, transactionUuid };
    const place = letter === undefined ? {} : { id: letter };
    const common = { target: 'report-url', certname, command: 'store report', report } as const;
    await keepDeadLetter({ ...common, reason, at: clock.now(), ...place }, documents);
  }
}

const TAG = '!ruby/object:Puppet::Transaction::Report';

/**
 * A report as Puppet's report processor `http` sends it: YAML of a Puppet::Transaction::Report.
 * `bytes`: the stored report; null for a run that changed nothing, of which metrics alone are kept.
 * A large report leaves the event loop free. Null when the stored report cannot be read.
 */
// Puppet: lib/puppet/reports/http.rb, and `to_data_hash` of Puppet::Transaction::Report.
async function printReportBody(summary: ReportSummary, bytes: Uint8Array | null): Promise<string | null> {
  const text = bytes === null ? JSON.stringify(describeQuiet(summary)) : gunzipSync(bytes).toString('utf8');
  const report = await runInSteps(parseJsonInSteps(text));
  return report instanceof PuppetHash ? runInSteps(printTaggedYamlInSteps(TAG, report)) : null;
}

/** Builds the report of a run that changed nothing, without its logs and resources. */
function describeQuiet(summary: ReportSummary): Readonly<Record<string, unknown>> {
  const { quiet } = summary;
  const optional = {
    catalog_uuid: summary.catalogUuid,
    code_id: quiet?.codeId ?? undefined,
    job_id: quiet?.jobId ?? undefined,
    cached_catalog_status: quiet?.cachedCatalogStatus ?? undefined,
  };
  return {
    host: summary.certname,
    time: summary.time ?? new Date(summary.receivedAt).toISOString(),
    configuration_version: quiet?.configurationVersion ?? null,
    transaction_uuid: summary.transactionUuid,
    report_format: quiet?.reportFormat ?? 12,
    puppet_version: summary.puppetVersion,
    status: summary.status,
    transaction_completed: true,
    noop: summary.noop,
    noop_pending: false,
    environment: summary.environment,
    logs: [],
    metrics: Object.fromEntries(
      Object.entries(quiet?.metrics ?? {}).map(([name, values]) => [name, describeMetric(name, values)]),
    ),
    resource_statuses: {},
    corrective_change: false,
    ...optional,
  };
}

function describeMetric(name: string, values: Readonly<Record<string, number>>) {
  const rows = Object.entries(values).map(([one, value]) => [one, labelOf(one), value]);
  return { name, label: labelOf(name), values: rows };
}

/** Puppet: Puppet::Util::Metric.labelize */
function labelOf(name: string): string {
  const text = name.replaceAll('_', ' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1).toLowerCase()}`;
}
