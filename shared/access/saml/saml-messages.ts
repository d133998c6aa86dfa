import { type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import type { SamlSession } from './saml-assertion.ts';
import type { SamlConnection } from './saml-provider.ts';
import { SamlRefused } from './saml-refused.ts';

/**
 * The address at the provider where a browser logs in, with a request of this id. `relayState`
 * comes back with the answer.
 */
export function createLogInUrl(connection: SamlConnection, id: string, relayState: string): Promise<string> {
  return open(connection, id).getAuthorizeUrlAsync(relayState, undefined, {});
}

/** The address at the provider where a browser ends this session. */
export function createLogOutUrl(connection: SamlConnection, id: string, session: SamlSession): Promise<string> {
  const { nameId, format, index } = session;
  const profile: Profile = {
    issuer: connection.addresses.meta,
    nameID: nameId,
    nameIDFormat: format ?? 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
    ...(index === null ? {} : { sessionIndex: index }),
  };
  return open(connection, id).getLogoutUrlAsync(profile, '', {});
}

/** Our metadata for the provider, XML. */
export function createMetadata(connection: SamlConnection, id: string): string {
  return open(connection, id).generateServiceProviderMetadata(null, connection.key?.certificate ?? null);
}

/**
 * Verifies the signatures of an answer whose form was checked. Returns the XML of its assertion as
 * it was signed. Rejects with SamlRefused.
 */
export async function verifyResponse(connection: SamlConnection, xml: string): Promise<string> {
  const SAMLResponse = Buffer.from(xml).toString('base64');
  try {
    const { profile } = await open(connection, '_').validatePostResponseAsync({ SAMLResponse });
    const verified = profile?.getAssertionXml?.();
    if (verified !== undefined) return verified;
  } catch (error) {
    throw new SamlRefused('refused', `It does not count: ${error instanceof Error ? error.message : error}`);
  }
  throw new SamlRefused('refused', 'It has no assertion');
}

function open({ settings, addresses, key }: SamlConnection, id: string): SAML {
  const algorithm = settings.signature_algorithm === 'rsa-sha512' ? 'sha512' : 'sha256';
  const context = settings.requested_auth_context;
  return new SAML({
    callbackUrl: addresses.acs,
    issuer: addresses.meta,
    audience: addresses.meta,
    logoutCallbackUrl: addresses.slo,
    entryPoint: settings.idp_sso_url,
    ...(settings.idp_slo_url === null ? {} : { logoutUrl: settings.idp_slo_url }),
    idpCert: [...settings.idp_certificate],
    idpIssuer: settings.idp_entity_id,
    wantAuthnResponseSigned: settings.want_messages_signed,
    wantAssertionsSigned: settings.want_assertions_signed,
    // Periods and requests are checked with the clock of the server, in readAssertion.
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    identifierFormat: null,
    generateUniqueId: () => id,
    signatureAlgorithm: algorithm,
    digestAlgorithm: algorithm,
    signMetadata: settings.sign_metadata && key !== null,
    ...(key === null ? {} : { privateKey: key.key, publicCert: key.certificate }),
    ...(context === null
      ? { disableRequestedAuthnContext: true }
      : { authnContext: [context], racComparison: settings.requested_authn_context_comparison }),
  });
}
