import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { KeyVault, SecretSource } from '../../store/ports/secrets.ts';
import { DirectoryRefused } from '../directory/ldap-settings.ts';
import type { SamlSession } from './saml-assertion.ts';
import type { SamlKey } from './saml-key.ts';
import { readSamlSettings, type SamlSettings } from './saml-settings.ts';

interface SamlPorts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly secrets: SecretSource;
  /** Seals the key of our requests; null: they are not signed. */
  readonly vault: KeyVault | null;
}

/** Addresses at the console that the provider knows. */
interface SamlAddresses {
  /** Our metadata; our entity id, too. */
  readonly meta: string;
  /** Receives answers. */
  readonly acs: string;
  /** Receives users who logged out at the provider. */
  readonly slo: string;
}

/** The provider with all that its messages need. */
export interface SamlConnection {
  readonly settings: SamlSettings;
  readonly addresses: SamlAddresses;
  /** Signs our requests; null: they are not signed. */
  readonly key: SamlKey | null;
}

/** A user as the provider describes him. */
export interface SamlUser {
  readonly login: string;
  readonly displayName: string;
  readonly email: string;
  /** The names of his groups. */
  readonly groups: readonly string[];
  /** His session at the provider; null: it has no name. */
  readonly session: SamlSession | null;
  /** When it ends there, in milliseconds since 1970; null: the provider does not say. */
  readonly sessionEndsAt: number | null;
}

/** The connection: `{settings, key: sealed or null, certificate}`. */
const CONNECTION = ['access-saml', 'provider'] as const;

/** The identity provider whose users can log in, by SAML 2.0. */
export class SamlProvider {
  readonly ports: SamlPorts;

  constructor(ports: SamlPorts) {
    this.ports = ports;
  }

  /** The settings; null without a provider. */
  async read(): Promise<SamlSettings | null> {
    return (await this.#readStored())?.settings ?? null;
  }

  /** Sets the provider. Rejects with DirectoryRefused. */
  async put(given: Readonly<Record<string, unknown>>): Promise<SamlSettings> {
    const settings = readSamlSettings(given);
    const { documents, vault } = this.ports;
    const before = await documents.get(...CONNECTION);
    const kept = typeof before?.key === 'string' ? { key: before.key, certificate: before.certificate } : null;
    const sealed = kept ?? (vault === null ? { key: null, certificate: null } : await this.#makeKey(vault, settings));
    if (settings.sign_metadata && sealed.key === null) {
      throw new DirectoryRefused('schema-violation', "Here, nothing can seal a key: 'sign_metadata' must be false");
    }
    await documents.put(...CONNECTION, { settings, ...sealed });
    return settings;
  }

  /** Forgets the provider and our key. Rejects with DirectoryRefused `not-found`. */
  async delete(): Promise<void> {
    if ((await this.ports.documents.get(...CONNECTION)) === null) throw noProvider();
    await this.ports.documents.delete(...CONNECTION);
  }

  /**
   * The addresses that the provider must know, and our certificate. Rejects with DirectoryRefused
   * `not-found`.
   */
  async describe(): Promise<SamlAddresses & { readonly cert: string | null }> {
    const { settings, certificate } = await this.#demandStored();
    return { ...addressesOf(settings), cert: certificate };
  }

  async #makeKey(vault: KeyVault, { console_url }: SamlSettings) {
    const { makeSamlKey } = await import('./saml-key.ts');
    const { clock, secrets } = this.ports;
    const made = await makeSamlKey(new URL(console_url).hostname, secrets.bytes(15), clock.now());
    return { key: await vault.seal(made.key), certificate: made.certificate };
  }

  /** The settings, with our addresses and our key. Rejects with DirectoryRefused `not-found`. */
  async open(): Promise<SamlConnection> {
    const { settings, key, certificate } = await this.#demandStored();
    const { vault } = this.ports;
    const opened: SamlKey | null =
      key === null || certificate === null || vault === null ? null : { key: await vault.open(key), certificate };
    return { settings, addresses: addressesOf(settings), key: opened };
  }

  async #demandStored() {
    const stored = await this.#readStored();
    if (stored === null) throw noProvider();
    return stored;
  }

  async #readStored() {
    const stored = await this.ports.documents.get(...CONNECTION);
    if (stored === null) return null;
    const { settings, key, certificate } = stored;
    const isWhole = typeof key === 'string' && typeof certificate === 'string';
    return {
      settings: settings as SamlSettings,
      ...(isWhole ? { key, certificate } : { key: null, certificate: null }),
    };
  }
}

function noProvider(): DirectoryRefused {
  return new DirectoryRefused('not-found', 'There is no identity provider: SAML is not configured');
}

function addressesOf({ console_url }: SamlSettings): SamlAddresses {
  const [meta, acs, slo] = ['meta', 'acs', 'slo'].map((name) => `${console_url}/saml/v1/${name}`);
  if (meta === undefined || acs === undefined || slo === undefined) throw new Error('invariant: there are three');
  return { meta, acs, slo };
}
