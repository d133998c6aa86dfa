import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { HttpClient } from '../../util/http-client.ts';
import { ClientError, describeCause, ServiceUnreachable } from './client-error.ts';

/** A service, and who asks it. */
export interface ServiceAddress {
  /** Such as `https://HOST:4433/rbac-api`. */
  readonly url: string;
  /** The certificates of the CA that signed the service's, a PEM file. */
  readonly caFile: string;
  readonly token?: string;
}

interface ServiceAnswer {
  readonly status: number;
  /** Parsed JSON; null without a body. */
  readonly body: unknown;
}

const TIMEOUT_MS = 30_000;

/**
 * Asks a service. `path` begins with a slash and is added to its address. Rejects with
 * ServiceUnreachable, and with ClientError when the answer is not JSON.
 */
async function askService(
  service: ServiceAddress,
  method: string,
  path: string,
  body?: unknown,
): Promise<ServiceAnswer> {
  const { url, token } = service;
  const address = `${url.replace(/\/+$/, '')}${path}`;
  if (!URL.canParse(address) || !address.startsWith('https://')) {
    throw new ClientError(`'${url}' is not an address of a service: it begins with https://`);
  }
  const client = new HttpClient(address, { timeoutMs: TIMEOUT_MS, ca: readCertificates(service.caFile) });
  const headers = {
    Accept: 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { 'X-Authentication': token }),
  };
  const sent = body === undefined ? null : JSON.stringify(body);
  const incoming = await client.send(method, new URL(address), headers, sent).catch((error: unknown) => {
    throw new ServiceUnreachable(url, error);
  });
  return { status: incoming.statusCode ?? 0, body: parseAnswer(url, await text(incoming)) };
}

/**
 * Like `askService`; rejects with ClientError when the service refuses. Its message is that of the
 * service.
 */
export async function demandService(
  service: ServiceAddress,
  method: string,
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  return demandSuccess(service, await askService(service, method, path, body));
}

/** Like `demandService` with GET; null when the user may not read that. */
export async function readPermitted(
  service: ServiceAddress,
  path: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  const answer = await askService(service, 'GET', path);
  return answer.status === 403 ? null : demandSuccess(service, answer);
}

function demandSuccess(service: ServiceAddress, answer: ServiceAnswer): Readonly<Record<string, unknown>> {
  const found = typeof answer.body === 'object' && answer.body !== null ? { ...answer.body } : {};
  if (answer.status >= 200 && answer.status < 300) return found;
  const message = 'msg' in found ? String(found.msg) : `${service.url} answered with status ${answer.status}`;
  throw new ClientError(message);
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`the certificates of the CA cannot be read: ${describeCause(error)}`, error);
  }
}

function parseAnswer(url: string, body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new ClientError(`the answer of ${url} is not JSON`, error);
  }
}
