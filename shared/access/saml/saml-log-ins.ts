import { digestSha256 } from '../../util/digest.ts';
import { type Assertion, readAssertion, type SamlSession } from './saml-assertion.ts';
import type { SamlProvider, SamlUser } from './saml-provider.ts';
import { SamlRefused } from './saml-refused.ts';
import { demand, type ExpectedRequest, inspectResponse } from './saml-response.ts';
import type { SamlSettings } from './saml-settings.ts';
import { findSigners } from './signed-info.ts';
import { useAssertion } from './used-assertions.ts';

/** Lifetime of a request: users may need to find a second factor. */
export const REQUEST_MS = 600_000;
const SECRET_BYTES = 33;
const SECRET = /^(\d{13})\.[\w-]{44}$/;
const MOST_GROUPS = 1000;
const LONGEST_GROUP = 1000;
const LONGEST_NAME = 255;
/** Bytes of an answer, decoded: those of real providers have 5 to 50 KB. */
const MOST_BYTES = 192 * 1024;

/** The log-ins and log-outs of browsers at the identity provider. Only the console needs them. */
export class SamlLogIns {
  readonly #provider: SamlProvider;

  constructor(provider: SamlProvider) {
    this.#provider = provider;
  }

  /** Our metadata, XML. Rejects with DirectoryRefused `not-found`. */
  async createMetadata(): Promise<string> {
    const { createMetadata } = await loadMessages();
    return createMetadata(await this.#provider.open(), this.#makeId());
  }

  /**
   * The address where a browser logs in, and a secret that the browser must bring with the answer
   * within ten minutes. The id of the request is the digest of the secret: so no server remembers
   * requests, and nobody can have another browser log in with his own answer. Rejects with
   * DirectoryRefused `not-found`.
   */
  async beginLogIn(relayState: string): Promise<{ readonly url: string; readonly secret: string }> {
    const { clock, secrets } = this.#provider.ports;
    const connection = await this.#provider.open();
    const secret = `${clock.now() + REQUEST_MS}.${Buffer.from(secrets.bytes(SECRET_BYTES)).toString('base64url')}`;
    const { createLogInUrl } = await loadMessages();
    return { url: await createLogInUrl(connection, idOfRequest(secret), relayState), secret };
  }

  /** The address where a browser ends a session at the provider; null when it has no such. */
  async beginLogOut(session: SamlSession): Promise<string | null> {
    const settings = await this.#provider.read();
    if (settings === null || settings.idp_slo_url === null) return null;
    const { createLogOutUrl } = await loadMessages();
    return createLogOutUrl(await this.#provider.open(), this.#makeId(), session);
  }

  /**
   * The user of an answer in Base64, from a browser with the secret of its last request (null: it
   * has none). An answer counts once. Rejects with SamlRefused, and with DirectoryRefused
   * `not-found`.
   */
  async accept(answer: string, secret: string | null): Promise<SamlUser> {
    const connection = await this.#provider.open();
    const { settings, addresses } = connection;
    const issuer = settings.idp_entity_id;
    const request: ExpectedRequest = { id: this.#requestOf(secret), mayLack: settings.allow_idp_initiated };
    const xml = decodeAnswer(answer);
    const { id, signatures } = inspectResponse(xml, {
      ...{ acs: addresses.acs, issuer, request },
      wantsSignedMessage: settings.want_messages_signed,
      wantsSignedAssertion: settings.want_assertions_signed,
    });
    const idp_certificate = findSigners(signatures, settings.idp_certificate);
    demand(idp_certificate.length > 0, 'Its signature does not count');
    const { verifyResponse } = await loadMessages();
    const assertion = readAssertion(
      await verifyResponse({ ...connection, settings: { ...settings, idp_certificate } }, xml),
      {
        ...{ id, acs: addresses.acs, audience: addresses.meta, issuer, request, now: this.#provider.ports.clock.now() },
        allowsDuplicates: settings.allow_duplicated_attribute_name,
        // Others are compared by an order that only the provider knows.
        context: settings.requested_authn_context_comparison === 'exact' ? settings.requested_auth_context : null,
      },
    );
    const user = describeUser(assertion, settings);
    if (await useAssertion(this.#provider.ports.documents, { issuer, id, expiresAt: assertion.expiresAt })) return user;
    throw new SamlRefused('expired', 'The assertion was used already');
  }

  #requestOf(secret: string | null): string | null {
    const until = secret === null ? null : SECRET.exec(secret)?.[1];
    return secret !== null && Number(until) > this.#provider.ports.clock.now() ? idOfRequest(secret) : null;
  }

  #makeId(): string {
    return `_${Buffer.from(this.#provider.ports.secrets.bytes(20)).toString('hex')}`;
  }
}

/** An id of XML begins with no digit. */
function idOfRequest(secret: string): string {
  return `_${digestSha256(secret)}`;
}

/** The library is large, and loaded where somebody logs in by it. */
function loadMessages() {
  return import('./saml-messages.ts');
}

function decodeAnswer(answer: string): string {
  demand(/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(answer), 'It is no Base64');
  const bytes = Buffer.from(answer, 'base64');
  demand(bytes.length > 0 && bytes.length <= MOST_BYTES, `It has no bytes, or more than ${MOST_BYTES}`);
  try {
    // A reader of XML sees no other end of a line.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replaceAll(/\r\n?/g, '\n');
  } catch {
    throw new SamlRefused('refused', 'It is no UTF-8');
  }
}

function describeUser({ attributes, session, sessionEndsAt }: Assertion, settings: SamlSettings): SamlUser {
  const logins = new Set(attributes.get(settings.user_lookup_attr) ?? []);
  const [login = ''] = logins;
  demand(logins.size === 1, `The attribute '${settings.user_lookup_attr}' has no value, or several`);
  demand(login !== '' && login === login.trim(), `The attribute '${settings.user_lookup_attr}' is no login`);
  const nameOf = (attribute: string) => attributes.get(attribute)?.[0]?.trim().slice(0, LONGEST_NAME) ?? '';
  const displayName = nameOf(settings.user_display_name_attr);
  const groups = (attributes.get(settings.group_lookup_attr) ?? [])
    .filter((name) => name !== '' && name.length <= LONGEST_GROUP)
    .slice(0, MOST_GROUPS);
  return {
    login,
    displayName: displayName === '' ? login : displayName,
    email: nameOf(settings.user_email_attr),
    groups,
    session,
    sessionEndsAt,
  };
}
