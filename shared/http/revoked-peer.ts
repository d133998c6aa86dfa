import type { Peer } from './endpoint.ts';
import type { HttpServices } from './services.ts';

/**
 * Whether a certificate is revoked. Only the signing CA's list is checked: the CAs above it sign no
 * nodes.
 */
export async function isRevokedPeer(
  { issuer, serial }: Peer,
  services: Pick<HttpServices, 'authority' | 'upstream' | 'settings'>,
): Promise<boolean> {
  if (services.upstream !== undefined) return services.upstream.revocations.isRevoked(issuer, serial);
  const { authority, settings } = services;
  return issuer !== authority.issuerName || (await authority.revocations.isRevoked(serial, settings.recordsMs));
}
