/**
 * Error responses in Puppet Server's format; see the issues of lib/puppet/network/http/error.rb.
 */

import type { BodyRefused } from '../body/body-kinds.ts';

export const JSON_TYPE = 'application/json;charset=utf-8';
export const TEXT_TYPE = 'text/plain;charset=utf-8';

type IssueKind = 'RUNTIME_ERROR' | 'RESOURCE_NOT_FOUND' | 'UNSUPPORTED_FORMAT' | 'UNSUPPORTED_MEDIA_TYPE';

/** Thrown by a handler to end the request with this response. */
export class Refusal extends Error {
  readonly response: () => Response;

  constructor(message: string, response: () => Response) {
    super(message);
    this.name = 'Refusal';
    this.response = response;
  }
}

/** A body with Puppet's `message` and `issue_kind`; the message begins with `reason`. */
function puppetError(status: number, reason: string, message: string, kind: IssueKind): Refusal {
  const body = JSON.stringify({ message: `${reason}: ${message}`, issue_kind: kind });
  return new Refusal(message, () => new Response(body, { status, headers: { 'Content-Type': JSON_TYPE } }));
}

/** Status 400: the request is malformed, or its values cannot be used. */
export function badRequestError(message: string): Refusal {
  return puppetError(400, 'Bad Request', message, 'RUNTIME_ERROR');
}

/** Status 404, with `kind` as Puppet's `issue_kind`. */
export function notFoundError(message: string, kind: IssueKind = 'RUNTIME_ERROR'): Refusal {
  return puppetError(404, 'Not Found', message, kind);
}

/** Status 404: an indirection, such as `file_content`, has nothing by this key. */
export function resourceNotFoundError(indirection: string, key: string): Refusal {
  return notFoundError(`Could not find ${indirection} ${key}`, 'RESOURCE_NOT_FOUND');
}

/** Status 406: no format that the server offers is in the Accept header. */
export function notAcceptableError(accept: string): Refusal {
  const message = `No supported formats are acceptable (Accept: ${accept})`;
  return puppetError(406, 'Not Acceptable', message, 'UNSUPPORTED_FORMAT');
}

/** Status 415: the server does not read bodies of this Content-Type. */
export function createUnsupportedMediaTypeError(contentType: string): Refusal {
  const message = `Client sent a mime-type (${contentType}) that doesn't correspond to a format we support`;
  return puppetError(415, 'Unsupported Media Type', message, 'UNSUPPORTED_MEDIA_TYPE');
}

const BODY_REASONS: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  503: 'Service Unavailable',
};

/** The refusal of a body, in Puppet Server's form. */
export function bodyError({ status, message }: BodyRefused): Refusal {
  const kind = status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'RUNTIME_ERROR';
  return puppetError(status, BODY_REASONS[status] ?? 'Bad Request', message, kind);
}

/** Status 413: `what` the client sent has more than `most` values. */
export function tooManyValuesError(what: string, most: number): Refusal {
  return puppetError(413, 'Payload Too Large', `${what} have more than ${most} values`, 'RUNTIME_ERROR');
}

/** Status 500, which Puppet Server also gives for many parameters that it cannot use. */
export function internalServerError(message: string): Refusal {
  return puppetError(500, 'Server Error', message, 'RUNTIME_ERROR');
}

/** A transient failure (503); the agent may retry after `retryAfterSeconds`. */
export function unavailableError(message: string, retryAfterSeconds: number): Refusal {
  const body = JSON.stringify({ message: `Service Unavailable: ${message}`, issue_kind: 'RUNTIME_ERROR' });
  const headers = { 'Content-Type': JSON_TYPE, 'Retry-After': String(retryAfterSeconds) };
  return new Refusal(message, () => new Response(body, { status: 503, headers }));
}

/** A refusal in plain text, as from Puppet Server's own (not Ruby's) checks. */
export function plainRefusal(status: number, message: string, contentType: string = TEXT_TYPE): Refusal {
  return new Refusal(message, () => new Response(message, { status, headers: { 'Content-Type': contentType } }));
}

/**
 * A refusal in the format of Puppet Enterprise's services: `kind` is the type of error, `msg` the
 * message.
 */
export function jsonRefusal(status: number, kind: string, message: string): Refusal {
  const body = JSON.stringify({ kind, msg: message });
  return new Refusal(message, () => new Response(body, { status, headers: { 'Content-Type': JSON_TYPE } }));
}

/** No rule allows the request: trapperkeeper-authorization's text, without a content type. */
export function sendForbidden(method: string, path: string): Response {
  const text = `Forbidden request: ${path} (method :${method.toLowerCase()}). Please see the server logs for details.`;
  return new Response(new TextEncoder().encode(text), { status: 403 });
}

/** No handler for this path: Jetty's answer, JSON for clients that accept it, else a page. */
export function noHandler(method: string, path: string, accept: string | undefined): Response {
  // Jetty sends a page for these methods only.
  if (!['GET', 'HEAD', 'POST'].includes(method)) {
    return new Response(null, { status: 404, headers: { 'Content-Length': '0' } });
  }
  const isJson = accept?.includes('application/json') === true;
  const body = isJson ? notFoundJson(path) : notFoundPage(path);
  return new Response(body, {
    status: 404,
    headers: {
      'Cache-Control': 'must-revalidate,no-cache,no-store',
      'Content-Type': isJson ? 'application/json' : 'text/html;charset=iso-8859-1',
      'Content-Length': String(Buffer.byteLength(body)),
    },
  });
}

function notFoundJson(path: string): string {
  return `{\n"message":"Not Found",\n"url":${JSON.stringify(path)},\n"status":"404"\n}`;
}

function notFoundPage(path: string): string {
  const rows = [
    ['URI', escapeHtml(path)],
    ['STATUS', '404'],
    ['MESSAGE', 'Not Found'],
    ['SERVLET', '-'],
  ];
  return `<html>
<head>
<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>
<title>Error 404 Not Found</title>
</head>
<body><h2>HTTP ERROR 404 Not Found</h2>
<table>
${rows.map(([name, value]) => `<tr><th>${name}:</th><td>${value}</td></tr>`).join('\n')}
</table>

</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
