import * as http from 'node:http';
import * as https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';

/**
 * Gets a URL like `fetch`, without following redirects. With `addresses`, it connects to one of
 * them alone: the name of the host may have got others since they were checked.
 */
export type AskUrl = (url: string, init: RequestInit, addresses?: readonly string[]) => Promise<Response>;

const NO_BODY = [101, 204, 205, 304];

export const askUrl: AskUrl = async (url, init, addresses) => {
  if (addresses === undefined) return fetch(url, { ...init, redirect: 'manual' });
  const answer = await get(url, init, addresses);
  const { statusCode: status = 502, rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  if (NO_BODY.includes(status)) answer.resume();
  return new Response(NO_BODY.includes(status) ? null : Readable.toWeb(answer), { status, headers });
};

function get(url: string, init: RequestInit, addresses: readonly string[]): Promise<http.IncomingMessage> {
  const target = new URL(url);
  const { signal } = init;
  const options: https.RequestOptions = {
    headers: Object.fromEntries(new Headers(init.headers)),
    agent: false,
    lookup: lookUpAmong(addresses),
    ...(signal && { signal }),
  };
  return new Promise((resolve, reject) => {
    const request = target.protocol === 'https:' ? https.request : http.request;
    request(target, options, resolve).once('error', reject).end();
  });
}

function lookUpAmong(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (host, options, done) => {
    const [first] = found;
    if (first === undefined) done(new Error(`${host} has no address`), '', 0);
    else if (options.all === true) done(null, found);
    else done(null, first.address, first.family);
  };
}
