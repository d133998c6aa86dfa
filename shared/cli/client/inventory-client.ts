import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpClient } from '../../util/http-client.ts';
import { ClientError, describeCause, ServiceUnreachable } from './client-error.ts';
import {
  type ClientFolders,
  expandHome,
  readClientSettings,
  textSetting,
  USUAL_CA_FILE,
  usualTokenFile,
} from './client-settings.ts';
import { JsonRowSplitter } from './json-rows.ts';
import type { OrchestratorOptions } from './orchestrator-client.ts';
import { readTokenFile } from './token-file.ts';

/** The options that all commands for an inventory have. */
export interface InventoryOptions extends OrchestratorOptions {
  readonly cert?: string;
  readonly key?: string;
}

/** Address of an inventory or a PuppetDB, with the client's credentials. */
interface InventoryAddress {
  /** `http://HOST:PORT` or `https://HOST:PORT`. */
  readonly url: string;
  /** PEM files, for TLS. */
  readonly caFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly token?: string;
  /** Longest pause within an answer; two minutes by default. */
  readonly timeoutMs?: number;
}

const INVENTORY_CONFIGURATION = 'puppetdb.conf';
const USUAL_URL = 'http://127.0.0.1:8080';
const TIMEOUT_MS = 120_000;

/**
 * Reads options, then a person's `puppetdb.conf`, then the machine's, as PuppetDB's own client
 * does: its hash `puppetdb` has `server_urls`, `cacert`, `cert`, `key` and `token-file`. Throws
 * ClientError.
 */
export function readInventoryAddress(options: InventoryOptions, folders: ClientFolders): InventoryAddress {
  const file = readClientSettings(INVENTORY_CONFIGURATION, folders, options.configFile).puppetdb;
  const settings = typeof file === 'object' && file !== null ? { ...file } : {};
  const named = 'server_urls' in settings ? settings.server_urls : undefined;
  const [first] = [named].flat() as unknown[];
  const url = options.serviceUrl ?? (typeof first === 'string' ? first : USUAL_URL);
  checkUrl(url);
  if (url.startsWith('http:')) return { url };
  const path = (given: string | undefined, name: string) => {
    const found = given ?? textSetting(settings, name);
    return found === undefined ? undefined : expandHome(found, folders);
  };
  const [certificateFile, keyFile] = [path(options.cert, 'cert'), path(options.key, 'key')];
  const tokenFile = path(options.tokenFile, 'token-file') ?? usualTokenFile(folders);
  const token = certificateFile === undefined ? readTokenFile(tokenFile) : null;
  return {
    url,
    caFile: path(options.caCert, 'cacert') ?? USUAL_CA_FILE,
    ...(certificateFile === undefined ? {} : { certificateFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(token === null || token === '' ? {} : { token }),
  };
}

/** Throws ClientError for what is no address of a PuppetDB. */
export function checkUrl(url: string): void {
  if (URL.canParse(url) && /^https?:\/\/[^/]+\/?$/.test(url)) return;
  throw new ClientError(`'${url}' is not an address of an inventory, such as https://HOST:8081`);
}

/** Asks the query and command API of an inventory or a PuppetDB. */
export class InventoryClient {
  readonly #address: InventoryAddress;
  readonly #client: HttpClient;

  constructor(address: InventoryAddress) {
    this.#address = address;
    const { url, caFile, certificateFile, keyFile, timeoutMs = TIMEOUT_MS } = address;
    const [ca, cert, key] = [caFile, certificateFile, keyFile].map(readPem);
    this.#client = new HttpClient(url, { timeoutMs, keepAlive: true, ca, cert, key });
  }

  get url(): string {
    return this.#address.url;
  }

  /**
   * The rows of an answer, each JSON text, as they come. `path` is below `/pdb/query/v4`. Throws
   * ClientError with the message of the service, and ServiceUnreachable.
   */
  async *readRows(path: string, parameters: Readonly<Record<string, unknown>>): AsyncGenerator<string> {
    const answer = await this.#ask(`/pdb/query/v4${path}`, JSON.stringify(parameters));
    if (answer.statusCode !== 200) throw await this.#refusalOf(answer);
    const splitter = new JsonRowSplitter();
    try {
      for await (const piece of answer.setEncoding('utf8')) yield* splitter.split(String(piece));
    } catch (error) {
      throw new ServiceUnreachable(this.url, error);
    }
    if (!splitter.isComplete) throw new ClientError('the answer ended early: the server stopped the query');
  }

  /**
   * Sends a command and waits until it is stored. Throws ClientError when it is rejected, and
   * ServiceUnreachable.
   */
  async sendCommand(command: string, version: number, certname: string, payload: string): Promise<void> {
    const wait = { secondsToWaitForCompletion: String(TIMEOUT_MS / 2000) };
    const query = new URLSearchParams({
      command: command.replaceAll(' ', '_'),
      version: String(version),
      certname,
      ...wait,
    });
    const answer = await this.#ask(`/pdb/cmd/v1?${query}`, payload);
    if (answer.statusCode !== 200) throw new ClientError(await describeRefusal(answer));
    answer.resume();
  }

  close(): void {
    this.#client.close();
  }

  /** A fault of the service itself may pass; a query that it refuses stays wrong. */
  async #refusalOf(answer: IncomingMessage): Promise<ClientError> {
    const reason = await describeRefusal(answer);
    const { statusCode = 0 } = answer;
    return statusCode < 500
      ? new ClientError(reason)
      : new ServiceUnreachable(this.url, new Error(`it answered with status ${statusCode}: ${reason}`));
  }

  async #ask(path: string, body: string): Promise<IncomingMessage> {
    const { url, token } = this.#address;
    const json = { Accept: 'application/json', 'Content-Type': 'application/json' };
    const headers = { ...json, ...(token === undefined ? {} : { 'X-Authentication': token }) };
    try {
      return await this.#client.send('POST', new URL(path, url), headers, body);
    } catch (error) {
      throw new ServiceUnreachable(url, error);
    }
  }
}

async function describeRefusal(answer: IncomingMessage): Promise<string> {
  const body = (await text(answer)).trim();
  return body === '' ? `the inventory answered with status ${answer.statusCode}` : readMessage(body);
}

/** Errors of commands are JSON; those of queries are text. */
function readMessage(body: string): string {
  try {
    const data: unknown = JSON.parse(body);
    if (typeof data === 'object' && data !== null && 'error' in data) return String(data.error);
  } catch {
    return body;
  }
  return body;
}

function readPem(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`the file '${file}' cannot be read: ${describeCause(error)}`, error);
  }
}
