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

/** A branch that a push is about. */
interface PushedBranch {
  readonly name: string;
  readonly isDeleted: boolean;
}

/**
 * The branches that a push is about, deleted ones included; null when the call does not say: then
 * all may have changed. GitHub, GitLab: `ref`; Bitbucket Cloud: `push.changes`; Bitbucket Server:
 * `changes`; Azure DevOps: `resource.refUpdates`.
 */
export function readPushedBranches(body: unknown): readonly string[] | null {
  return readPush(body)?.map(({ name }) => name) ?? null;
}

/** As `readPushedBranches`, with whether each is deleted. */
export function readPush(body: unknown): readonly PushedBranch[] | null {
  if (!isJsonObject(body)) return null;
  const { ref, after, deleted, push, changes, resource } = body;
  const isGone = deleted === true || isNoCommit(after);
  const found =
    typeof ref === 'string'
      ? [branchOf(ref, isGone)]
      : (listOf(isJsonObject(push) ? push.changes : changes)?.map(readChange) ??
        listOf(isJsonObject(resource) ? resource.refUpdates : null)?.map(readUpdate) ??
        null);
  return found === null || found.some((one) => one === null) ? null : found.flatMap((one) => one ?? []);
}

/** A change of Bitbucket Server, or of Bitbucket Cloud. */
function readChange(change: unknown): PushedBranch | null {
  if (!isJsonObject(change)) return null;
  if (typeof change.refId === 'string') return branchOf(change.refId, change.type === 'DELETE');
  const isDeleted = !isJsonObject(change.new);
  const ref = isDeleted ? change.old : change.new;
  return isJsonObject(ref) && typeof ref.name === 'string' ? { name: ref.name, isDeleted } : null;
}

function readUpdate(update: unknown): PushedBranch | null {
  if (!isJsonObject(update) || typeof update.name !== 'string') return null;
  return branchOf(update.name, isNoCommit(update.newObjectId));
}

function branchOf(ref: string, isDeleted: boolean): PushedBranch | null {
  return ref.startsWith('refs/heads/') ? { name: ref.slice('refs/heads/'.length), isDeleted } : null;
}

const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);

/** Git servers name the commit of a branch that is gone by zeros. */
const isNoCommit = (value: unknown): boolean => typeof value === 'string' && /^0{40,}$/.test(value);
