import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ClientError, describeCause, ServiceUnreachable } from '../../cli/client/client-error.ts';
import { readParsedCatalog } from '../../fleet/comparisons/node-comparison.ts';
import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import { printJson } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { HttpClient } from '../../util/http-client.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { type CatalogSource, type KnownNode, NodeUnreadable, type OwnCatalog } from './existing-fleet.ts';
import { addExportedResources, dropExportedEdges } from './exported-resources.ts';
import { demandParsedCatalog } from './folder-source.ts';

/** A Puppet Server, and the certificate that its rules allow to ask for catalogs of any node. */
interface PuppetServerAddress {
  /** `https://HOST:8140` */
  readonly url: string;
  /** PEM files. */
  readonly caFile: string;
  readonly certificateFile: string;
  readonly keyFile: string;
  /**
   * `v4` stores nothing there. `v3`, for servers without v4, is what agents ask: the server may
   * store facts and catalog in its PuppetDB.
   */
  readonly api: 'v3' | 'v4';
  /** Timeout of an answer; two minutes by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 120_000;
const LONGEST_MESSAGE = 1000;

/** Asks a Puppet Server to compile. Throws ClientError for an address or files that are none. */
export class PuppetServerSource implements CatalogSource {
  readonly #address: PuppetServerAddress;
  readonly #client: HttpClient;
  readonly #identity: Readonly<Record<string, string>>;

  constructor(address: PuppetServerAddress) {
    if (!/^https:\/\/[^/]+\/?$/.test(address.url) || !URL.canParse(address.url)) {
      throw new ClientError(`'${address.url}' is not an address of a Puppet Server, such as https://HOST:8140`);
    }
    this.#address = address;
    const { url, caFile, certificateFile, keyFile, timeoutMs = TIMEOUT_MS } = address;
    const [ca, cert, key] = [caFile, certificateFile, keyFile].map(readPem);
    this.#client = new HttpClient(url, { timeoutMs, keepAlive: true, ca, cert, key });
    this.#identity = identify(cert ?? '', certificateFile);
  }

  async readCatalog(node: KnownNode): Promise<ParsedCatalog> {
    const answer = await this.#ask(node);
    const body = await text(answer).catch((error: unknown) => {
      throw new ServiceUnreachable(this.#address.url, error);
    });
    const { statusCode = 0 } = answer;
    if ([502, 503, 504].includes(statusCode)) {
      throw new ServiceUnreachable(this.#address.url, new Error(`it answered with status ${statusCode}`));
    }
    if (statusCode === 403) throw new ClientError(`${this.#address.url} forbids our certificate: ${shorten(body)}`);
    if (statusCode !== 200) throw new NodeUnreadable(`the server answered with status ${statusCode}: ${shorten(body)}`);
    const catalog = readParsedCatalog(unwrap(parse(body)));
    if (catalog === null) throw new NodeUnreadable('the server answered with no catalog');
    return dropExportedEdges(catalog);
  }

  /** Agents get no exported resources; v4 returns them. */
  toComparable({ catalog, exported }: OwnCatalog): ParsedCatalog {
    const own = demandParsedCatalog(catalog);
    return dropExportedEdges(this.#address.api === 'v4' ? addExportedResources(own, exported) : own);
  }

  close(): void {
    this.#client.close();
  }

  async #ask(node: KnownNode): Promise<IncomingMessage> {
    const { url, api } = this.#address;
    const { path, type, body } = api === 'v4' ? askV4(node) : askV3(node);
    const headers = {
      ...this.#identity,
      Accept: 'application/vnd.puppet.rich+json, application/json',
      'Content-Type': type,
    };
    try {
      return await this.#client.send('POST', new URL(path, url), headers, body);
    } catch (error) {
      throw new ServiceUnreachable(url, error);
    }
  }
}

/**
 * Who we are, for a server that takes identities from headers alone (`allow-header-cert-info`);
 * others ignore them.
 */
function identify(pem: string, file: string): Readonly<Record<string, string>> {
  try {
    const certificate = new X509Certificate(pem);
    return {
      'X-Client-Verify': 'SUCCESS',
      'X-Client-DN': certificate.subject.replaceAll('\n', ','),
      'X-Client-Cert': encodeURIComponent(certificate.toString()),
    };
  } catch (error) {
    throw new ClientError(`the file '${file}' has no certificate: ${describeCause(error)}`, error);
  }
}

interface CatalogQuestion {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Puppet Server: documentation/puppet-api/v4/catalog.markdown */
function askV4({ certname, environment, facts, trusted }: KnownNode): CatalogQuestion {
  const body = PuppetHash.of([
    ['certname', certname],
    [
      'persistence',
      PuppetHash.of([
        ['facts', false],
        ['catalog', false],
      ]),
    ],
    ['environment', environment],
    ['facts', PuppetHash.of([['values', facts]])],
    ['trusted_facts', PuppetHash.of([['values', trusted]])],
    ['options', PuppetHash.of([['prefer_requested_environment', true]])],
  ]);
  return { path: '/puppet/v4/catalog', type: 'application/json', body: printJson(body) };
}

function askV3({ certname, environment, facts }: KnownNode): CatalogQuestion {
  const values = printJson(
    PuppetHash.of([
      ['name', certname],
      ['values', facts],
    ]),
  );
  const form = new URLSearchParams({
    environment,
    facts_format: 'application/json',
    facts: encodeURIComponent(values),
  });
  const path = `/puppet/v3/catalog/${certname}?${new URLSearchParams({ environment })}`;
  return { path, type: 'application/x-www-form-urlencoded', body: form.toString() };
}

/** v4 wraps the catalog. */
function unwrap(body: unknown): unknown {
  return isJsonObject(body) && isJsonObject(body.catalog) ? body.catalog : body;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function shorten(body: string): string {
  const message = parse(body);
  const found = isJsonObject(message) ? (message.message ?? message.msg) : undefined;
  return (typeof found === 'string' ? found : body.trim()).slice(0, LONGEST_MESSAGE);
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`the file '${file}' cannot be read: ${describeCause(error)}`, error);
  }
}
