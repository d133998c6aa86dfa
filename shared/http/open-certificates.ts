import { type AuthorityOptions, CertificateAuthority } from '../access/ca/authority.ts';
import { readEdgeCredentials } from '../access/ca/server-credentials.ts';
import { createSigningHook } from '../fleet/nodes/signing-hook.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import type { Stores } from '../store/ports/stores.ts';
import { DEFAULT_SETTINGS, type HttpServices, type HttpSettings, type RequestLog } from './services.ts';
import { UpstreamAuthority } from './upstream/upstream-authority.ts';
import { UpstreamRevocations } from './upstream/upstream-revocations.ts';
import type { UpstreamSettings } from './upstream/upstream-server.ts';

/**
 * Another front door of this deployment, which has the CA's key: `https://HOST:8141`, the name in
 * the certificate that it issued to us, and what opens that certificate's key. Without `url`
 * nothing is forwarded to it: certificate requests are stored and wait.
 */
export type KeyHolderSettings =
  | { readonly url: string; readonly name: string; readonly vault: KeyVault }
  | { readonly url: null };

/** The CA of a front door, and its signing policy. */
export interface CertificateOptions {
  /** Name of a new certificate authority. */
  readonly authorityName: string;
  readonly autosign: AuthorityOptions['autosign'];
  /** Further options of the certificate authority. */
  readonly authority?: Omit<AuthorityOptions, 'name' | 'autosign'>;
  /** The upstream CA; absent: the embedded one. */
  readonly upstream?: UpstreamSettings;
  /** The front door with the CA's key; absent: this one has it. */
  readonly keyHolder?: KeyHolderSettings;
  readonly log: RequestLog;
  readonly settings?: Partial<HttpSettings>;
}

/** Sources of certificates for a front door. */
interface Certificates {
  readonly authority: () => CertificateAuthority;
  readonly upstream?: NonNullable<HttpServices['upstream']>;
  readonly keyHolder?: UpstreamAuthority;
  /** Throws when the CA does not answer. */
  readonly check: () => Promise<unknown>;
  /** PEM: the CA whose clients are accepted; and the server's certificate for these names. */
  readonly shown: {
    readonly trusted: string;
    /** The revocation lists of all CAs, PEM; null when there are none yet. */
    readonly readRevocations: () => Promise<string | null>;
    readonly serverCredentials: CertificateAuthority['serverCredentials'];
  };
}

/**
 * Opens the embedded CA with its key (created when missing) or without it, or an upstream CA, of
 * which only the revocation lists are stored.
 */
export async function openCertificates(stores: Stores, options: CertificateOptions): Promise<Certificates> {
  if (options.upstream !== undefined) return openUpstream(options.upstream, stores, options.log);
  if (options.keyHolder !== undefined) return openWithoutKey(options.keyHolder, stores, options);
  const { documents, clock } = stores;
  const { authorityName: name, autosign, log } = options;
  const names = options.settings?.trustedNames ?? DEFAULT_SETTINGS.trustedNames;
  const onSigned = createSigningHook(stores, names, (message, cause) => log.logError(message, cause));
  const own = { ...options.authority, name, autosign, onSigned };
  const authority = await CertificateAuthority.open(documents, clock, own);
  return {
    authority: () => authority,
    check: () => authority.revocations.isRevoked('0'),
    shown: {
      trusted: authority.certificatePem,
      readRevocations: async () => (await authority.revocationLists()).pem,
      serverCredentials: authority.serverCredentials.bind(authority),
    },
  };
}

/** Certificates and the revocation list are read from the store; the key is another process's. */
async function openWithoutKey(
  keyHolder: KeyHolderSettings,
  { documents, clock }: Stores,
  options: CertificateOptions,
): Promise<Certificates> {
  const authority = await CertificateAuthority.openWithoutKey(documents, clock, options.authority);
  const common = { authority: () => authority, check: () => authority.revocations.isRevoked('0') };
  const { certificatePem: trusted } = authority;
  const readRevocations = async () => (await authority.revocationLists()).pem;
  if (keyHolder.url === null) {
    const serverCredentials = () => Promise.reject(new Error('invariant: this front door has no certificate'));
    return { ...common, shown: { trusted, readRevocations, serverCredentials } };
  }
  const { url, name, vault } = keyHolder;
  const credentials = await readEdgeCredentials(documents, vault, name);
  return {
    ...common,
    shown: { trusted, readRevocations, serverCredentials: async () => credentials },
    keyHolder: new UpstreamAuthority({ url, trusted, ...credentials }),
  };
}

function openUpstream(settings: UpstreamSettings, { documents, clock }: Stores, log: RequestLog): Certificates {
  const authority = new UpstreamAuthority(settings);
  const revocations = new UpstreamRevocations(authority, documents, clock, log);
  const { certificate, key, trusted } = settings;
  return {
    upstream: { authority, revocations },
    authority: (): never => {
      throw new Error('invariant: certificates are the business of the upstream CA');
    },
    check: () => revocations.check(),
    shown: {
      trusted,
      readRevocations: () => revocations.readStored(),
      serverCredentials: async () => ({ certificate, key }),
    },
  };
}
