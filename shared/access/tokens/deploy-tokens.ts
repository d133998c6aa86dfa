import type { Stores } from '../../store/ports/stores.ts';
import { digestSha256 } from '../../util/digest.ts';

/**
 * Collection of tokens. The key is the secret's digest; the secret itself is shown once and never
 * stored.
 */
const TOKENS = 'deploy-tokens';
const MOST_LISTED = 1000;
const DIGITS = 12;
/** Digits of an id that a command takes, when no other id begins so. */
const LEAST_DIGITS = 4;

/** A token that allows deploys over HTTP. */
export interface DeployToken {
  /** Id for listing and revoking: the beginning of the secret's digest. */
  readonly id: string;
  /** The token's owner, recorded with each deploy. */
  readonly by: string;
  readonly createdAt: number;
  /** Milliseconds since the epoch; null when it never expires. */
  readonly expiresAt: number | null;
}

type TokenPorts = Pick<Stores, 'documents' | 'clock'>;

/** The parts of a token's record by which it counts. */
export interface TokenReader extends Pick<Stores, 'documents'> {
  readonly clock: Pick<Stores['clock'], 'now'>;
}

/** Creates a token for `secret` (at least 256 random bits); its deploys are recorded as `by`. */
export async function createToken(
  { documents, clock }: TokenPorts,
  secret: string,
  by: string,
  lifetimeMs: number | null,
): Promise<DeployToken> {
  const createdAt = clock.now();
  const expiresAt = lifetimeMs === null ? null : createdAt + lifetimeMs;
  const digest = digestSha256(secret);
  await documents.put(TOKENS, digest, { by, createdAt, expiresAt });
  return { id: digest.slice(0, DIGITS), by, createdAt, expiresAt };
}

/** Finds the token of a secret; null when it is unknown or has expired. */
export async function findToken({ documents, clock }: TokenPorts, secret: string): Promise<DeployToken | null> {
  const digest = digestSha256(secret);
  const document = await documents.get(TOKENS, digest);
  if (!document) return null;
  const token = readToken(digest, document);
  return token.expiresAt !== null && token.expiresAt <= clock.now() ? null : token;
}

/** Whether a token with this id counts: it is neither revoked nor expired. */
export async function hasToken({ documents, clock }: TokenReader, id: string): Promise<boolean> {
  const found = (await documents.list(TOKENS, id, MOST_LISTED)).map(({ key, document }) => readToken(key, document));
  return found.some(({ expiresAt }) => expiresAt === null || expiresAt > clock.now());
}

/** All tokens, including expired ones. */
export async function listTokens({ documents }: Pick<TokenPorts, 'documents'>): Promise<readonly DeployToken[]> {
  const found = await documents.list(TOKENS, '', MOST_LISTED);
  return found.map(({ key, document }) => readToken(key, document));
}

/** Deletes the only token whose id begins so; false when there is none, or several. */
export async function revokeToken({ documents }: Pick<TokenPorts, 'documents'>, id: string): Promise<boolean> {
  if (id.length < LEAST_DIGITS) return false;
  const [found, ...others] = await documents.list(TOKENS, id, 2);
  if (!found || others.length > 0) return false;
  await documents.delete(TOKENS, found.key);
  return true;
}

function readToken(digest: string, { by, createdAt, expiresAt }: Readonly<Record<string, unknown>>): DeployToken {
  return {
    id: digest.slice(0, DIGITS),
    by: String(by),
    createdAt: Number(createdAt),
    expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
  };
}
