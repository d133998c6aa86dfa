import * as http from 'node:http';
import * as https from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { hideLogins } from '../../util/hide-logins.ts';

/** Error for an unusable setting of a source, or line of a Puppetfile; the message says why. */
export class InvalidSource extends Error {
  constructor(message: string) {
    super(hideLogins(message));
    this.name = 'InvalidSource';
  }
}

const LONGEST_URL = 2000;
const LONGEST_REF = 250;
/** Schemes that git may use; `ext::` and the like run programs. */
const URL_FORM = /^(https?|ssh|git|file):\/\/[^\s\\]+$/;
/** `user@host:path`, as ssh has it. */
const SCP_FORM = /^[\w][\w.-]*@[\w][\w.-]*:[\w~/.][^\s\\]*$/;
const CONTROL = /\p{Cc}/u;

/**
 * Returns `url` if it is the URL of a git repository. Throws InvalidSource for other text, also for
 * a URL that git could take for an option or a program.
 */
export function readGitUrl(url: string): string {
  const isUrl = url.length <= LONGEST_URL && !CONTROL.test(url) && (URL_FORM.test(url) || SCP_FORM.test(url));
  if (isUrl && !/^(ssh|git|https?):\/\/-/.test(url) && !url.includes('@-')) return url;
  throw new InvalidSource(
    `'${hideLogins(url).slice(0, 200)}' is no URL of a git repository: https://, http://, ssh://, git://, file:// or user@host:path`,
  );
}

/** Returns the name of a branch, tag or commit (git: check-ref-format), or throws InvalidSource. */
export function readGitRef(ref: string): string {
  const isRef =
    ref.length <= LONGEST_REF &&
    /^[^\s~^:?*[\\\p{Cc}-][^\s~^:?*[\\\p{Cc}]*$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\/$|\.$|\.lock$|(^|\/)\./.test(ref);
  if (isRef) return ref;
  throw new InvalidSource(`'${ref.slice(0, 200)}' is no name of a branch, a tag or a commit`);
}

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
