import { readFileSync } from 'node:fs';
import type { ServerCredentials } from '../access/ca/server-credentials.ts';
import { HttpCommandSender, type PuppetdbAddress } from '../inventory/forward/http-command-sender.ts';
import { PuppetdbForwarder } from '../inventory/forward/puppetdb-forwarder.ts';
import { keepFollowing } from '../store/follow-changes.ts';
import type { NodeChangeLog } from '../store/ports/node-changes.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';
import type { Stores } from '../store/ports/stores.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';

interface ForwarderParts {
  readonly stores: Stores;
  readonly changes: NodeChangeLog;
  readonly log: LocalLog;
  readonly credentials: ServerCredentials;
  readonly door: { readonly trusted: string };
  /** The certname of the server. */
  readonly server: string;
}

/** What sends changes of nodes to a PuppetDB. */
export interface LocalForwarder {
  close(): Promise<void>;
}

/**
 * Sends changes of nodes to the PuppetDB of the options; null without one. Throws StoreRefused for
 * an address that is none.
 */
export function startLocalForwarder(options: LocalOptions, parts: ForwarderParts): LocalForwarder | null {
  const { puppetdb: url } = options;
  if (url === undefined) return null;
  const { stores, changes, log, server } = parts;
  const sender = new HttpCommandSender(describeAddress(url, options, parts));
  const stopping = new AbortController();
  const onTrouble = (message: string) => log.logEntry(`puppetdb: ${message}`);
  const forwarder = new PuppetdbForwarder({ stores, sender, url, producer: server, onTrouble });
  const following = keepFollowing(changes, forwarder, stores.clock, stopping.signal, (error) =>
    log.logError('PuppetDB was not told', error),
  );
  return {
    close: async () => {
      stopping.abort();
      sender.close();
      await following;
    },
  };
}

/** With TLS we are the server that agents know, unless files name another certificate. */
function describeAddress(
  url: string,
  { tlsCertificate, tlsKey, tlsCa }: LocalOptions,
  { credentials, door }: ForwarderParts,
): PuppetdbAddress {
  if (!/^https?:\/\/[^/]+\/?$/.test(url) || !URL.canParse(url)) {
    throw new StoreRefused(`--puppetdb: '${url}' is no address such as https://HOST:8081`);
  }
  if (url.startsWith('http:')) return { url };
  const read = (file: string | undefined, own: string) => (file === undefined ? own : readFileSync(file, 'utf8'));
  const [certificate, key] = [read(tlsCertificate, credentials.certificate), read(tlsKey, credentials.key)];
  return { url, tls: { certificate, key, ca: read(tlsCa, door.trusted) } };
}
