import { readFileSync } from 'node:fs';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import type { ServerMetrics } from '../http/server-metrics.ts';
import { AlertForwarder } from '../inventory/forward/alert-forwarder.ts';
import { type LetterTarget, returnDueLetters } from '../inventory/forward/dead-letters.ts';
import { HttpCommandSender, type PuppetdbAddress } from '../inventory/forward/http-command-sender.ts';
import { PuppetdbForwarder } from '../inventory/forward/puppetdb-forwarder.ts';
import { ReportForwarder } from '../inventory/forward/report-forwarder.ts';
import { HttpReportSender } from '../inventory/forward/report-sender.ts';
import { languageOf, userAgentOf } from '../puppet/levels/language.ts';
import { keepFollowing } from '../store/follow-changes.ts';
import type { NodeChangeLog } from '../store/ports/node-changes.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';

export interface ForwarderParts {
  readonly stores: ServerStores;
  readonly changes: NodeChangeLog;
  readonly log: LocalLog;
  readonly credentials: ServerCredentials;
  readonly door: { readonly trusted: string; readonly metrics: Pick<ServerMetrics, 'countForwardedReport'> };
  /** The certname of the server. */
  readonly server: string;
}

/** Sends changes of nodes to another program. */
interface LocalForwarder {
  close(): Promise<void>;
}

/**
 * Sends changes of nodes to the PuppetDB of the options; without one, dead letters for it stay
 * where they are.
 */
export function startLocalForwarder(options: LocalOptions, parts: ForwarderParts): LocalForwarder {
  const { puppetdb: url } = options;
  if (url === undefined) return keepReturningLetters('puppetdb', parts);
  const { stores, changes, log, server } = parts;
  const sender = new HttpCommandSender({ url, ...describeTls(url, options, parts, undefined) });
  const onTrouble = (message: string) => log.logEntry(`puppetdb: ${message}`);
  const forwarder = new PuppetdbForwarder({ stores, sender, url, producer: server, onTrouble });
  const fail = (error: unknown) => log.logError('Changes were not sent to PuppetDB', error);
  return keepForwarding('puppetdb', forwarder, sender, { changes, stores, fail });
}

/** Interval between looks at the events of failures. */
const ALERTS_MS = 10_000;
/** Interval between searches for dead letters that an operator wants to send again. */
const LETTERS_MS = 30_000;

/** Sends each report to the address of the options; without one, dead letters stay as they are. */
export function startLocalReports(options: LocalOptions, parts: ForwarderParts): LocalForwarder {
  const { reportUrl: url, reportUrlCa, language } = options;
  if (url === undefined) return keepReturningLetters('report-url', parts);
  const { stores, changes, log, door } = parts;
  const sender = new HttpReportSender({
    url,
    userAgent: userAgentOf(languageOf(language)),
    ...describeTls(url, options, parts, reportUrlCa),
  });
  const forwarder = new ReportForwarder({
    stores,
    sender,
    url: withoutLogin(url),
    onTrouble: (message) => log.logEntry(`report-url: ${message}`),
    count: (outcome) => door.metrics.countForwardedReport(outcome),
  });
  const fail = (error: unknown) =>
    log.logEntry(`report-url: ${error instanceof Error ? error.message : String(error)}`);
  return keepForwarding('report-url', forwarder, sender, { changes, stores, fail });
}

/**
 * Posts failures that began or ended to the address of the options; without one, dead letters stay
 * as they are.
 */
export function startLocalAlerts(options: LocalOptions, parts: ForwarderParts): LocalForwarder {
  const { alertUrl: url, alertUrlCa, language } = options;
  if (url === undefined) return keepReturningLetters('alert-url', parts);
  const { stores, log } = parts;
  const sender = new HttpReportSender({
    url,
    userAgent: userAgentOf(languageOf(language)),
    contentType: 'application/json',
    ...(alertUrlCa === undefined ? {} : { tls: { ca: readFileSync(alertUrlCa, 'utf8') } }),
  });
  const onTrouble = (message: string) => log.logEntry(`alert-url: ${message}`);
  const forwarder = new AlertForwarder({ stores, sender, url, onTrouble });
  const stopping = new AbortController();
  const fail = (error: unknown) => onTrouble(error instanceof Error ? error.message : String(error));
  const running = stores.lead('alert-url', stopping.signal, (leading) =>
    Promise.all([
      repeat(() => forwarder.sendEvents(), stores.clock, leading, fail, ALERTS_MS),
      repeat(() => forwarder.sendDueLetters(), stores.clock, leading, fail),
    ]),
  );
  return {
    close: async () => {
      stopping.abort();
      sender.close();
      await running;
    },
  };
}

interface Forwarding {
  readonly changes: NodeChangeLog;
  readonly stores: ServerStores;
  readonly fail: (error: unknown) => void;
}

/** Runs a forwarder until it is closed: it follows changes, and sends due dead letters again. */
function keepForwarding(
  target: LetterTarget,
  forwarder: ReportForwarder | PuppetdbForwarder,
  sender: { close(): void },
  { changes, stores, fail }: Forwarding,
): LocalForwarder {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { clock } = stores;
  const running = stores.lead(target, signal, (leading) =>
    Promise.all([
      keepFollowing(changes, forwarder, clock, leading, fail),
      repeat(() => forwarder.sendDueLetters(), clock, leading, fail),
    ]),
  );
  return {
    close: async () => {
      stopping.abort();
      sender.close();
      await running;
    },
  };
}

/**
 * Makes due dead letters undue, since this server has no receiver for them: they would stay due for
 * ever. Looks every 30 seconds.
 */
function keepReturningLetters(target: LetterTarget, { stores, log }: ForwarderParts): LocalForwarder {
  const stopping = new AbortController();
  // Another server may have a receiver.
  if (stores.shared !== null) return { close: async () => {} };
  const { clock, documents } = stores;
  const reason = `this server has no --${target}`;
  const fail = (error: unknown) => log.logError(`Dead letters of --${target} were not looked through`, error);
  const running = repeat(() => returnDueLetters(target, reason, documents), clock, stopping.signal, fail);
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function repeat(
  work: () => Promise<void>,
  clock: Stores['clock'],
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
  pauseMs = LETTERS_MS,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onFailure);
    if (!signal.aborted) await clock.sleep(pauseMs, signal);
  }
}

/** Removes user and password: the URL names the receiver in the store and in the log. */
function withoutLogin(url: string): string {
  const shown = new URL(url);
  [shown.username, shown.password] = ['', ''];
  return shown.toString();
}

/** Returns the TLS settings for an https URL: the server's own certificate, or files of options. */
function describeTls(
  url: string,
  { tlsCertificate, tlsKey, tlsCa }: LocalOptions,
  { credentials, door }: ForwarderParts,
  ca: string | undefined,
): Pick<PuppetdbAddress, 'tls'> {
  if (url.startsWith('http:')) return {};
  const read = (file: string | undefined, own: string) => (file === undefined ? own : readFileSync(file, 'utf8'));
  const [certificate, key] = [read(tlsCertificate, credentials.certificate), read(tlsKey, credentials.key)];
  return { tls: { certificate, key, ca: read(ca ?? tlsCa, door.trusted) } };
}
