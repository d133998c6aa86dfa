import { createHash, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../../util/json-object.ts';

/** The headers of a call, in small letters. */
type WebhookHeader = (name: string) => string | undefined;

/**
 * Whether a call of a webhook knows the secret. GitHub and Gitea sign the body
 * (`X-Hub-Signature-256`), Bitbucket too (`X-Hub-Signature`); GitLab sends the secret
 * (`X-Gitlab-Token`). `hmac` is that of the body with the secret, by SHA-256 in hexadecimal digits.
 * Compares in constant time.
 */
export function isSignedCall(header: WebhookHeader, hmac: string, secret: string): boolean {
  if (secret === '') return false;
  const signature = header('x-hub-signature-256') ?? header('x-hub-signature');
  if (signature !== undefined) {
    return isEqual(signature, `sha256=${hmac}`);
  }
  const token = header('x-gitlab-token');
  return token !== undefined && isEqual(token, secret);
}

/** Digests have one length, so that not even the length of a secret shows. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/**
 * The branches that a push is about, deleted ones included; null when the call does not say: then
 * all may have changed. GitHub, GitLab: `ref`; Bitbucket Cloud: `push.changes`; Bitbucket Server:
 * `changes`.
 */
export function readPushedBranches(body: unknown): readonly string[] | null {
  if (!isJsonObject(body)) return null;
  if (typeof body.ref === 'string') return branchOf(body.ref);
  const changes = isJsonObject(body.push) ? body.push.changes : body.changes;
  if (!Array.isArray(changes)) return null;
  const names = changes.map((change: unknown) => {
    if (!isJsonObject(change)) return null;
    if (typeof change.refId === 'string') return branchOf(change.refId)?.[0] ?? null;
    const ref = isJsonObject(change.new) ? change.new : change.old;
    return isJsonObject(ref) && typeof ref.name === 'string' ? ref.name : null;
  });
  return names.some((name) => name === null) ? null : names.flatMap((name) => name ?? []);
}

function branchOf(ref: string): readonly string[] | null {
  return ref.startsWith('refs/heads/') ? [ref.slice('refs/heads/'.length)] : null;
}
