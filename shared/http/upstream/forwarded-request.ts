import type { Audience } from '../audience.ts';
import type { Bindings, HttpContext, Peer } from '../endpoint.ts';
import { plainRefusal, type Refusal } from '../exchange/answers.ts';
import { verifyPeer } from '../listener/peer.ts';
import type { HttpServices } from '../services.ts';

/** Services that a front door needs to accept forwarded requests. */
type Receiver = Pick<HttpServices, 'forwarders' | 'authority' | 'clock'>;

/**
 * The bindings of a request, with the identity that a forwarding front door asserts in
 * `X-Client-Cert`: null, or a certificate of our CA that is valid now. The certificate is public,
 * so this is no proof that its owner sent the request. A forwarder's identity comes from mutual
 * TLS, like that of every client; the headers of all others are ignored. Refuses (400) a header
 * that is not a certificate.
 */
export async function readForwarded(
  context: HttpContext,
  receiver: Receiver,
  isRevoked: (peer: Peer) => Promise<boolean>,
): Promise<Bindings> {
  const { peer } = context.env;
  if (peer === null || !receiver.forwarders.has(peer.certname) || (await isRevoked(peer))) return context.env;
  const text = context.req.header('X-Client-Cert') ?? '';
  const asserted = text === '' ? null : readAsserted(text, receiver);
  return { ...context.env, peer: asserted, isForwarded: true };
}

function readAsserted(text: string, { authority, clock }: Receiver): Peer | null {
  try {
    return verifyPeer(decodeURIComponent(text), authority.certificatePem, clock.now());
  } catch {
    throw plainRefusal(400, 'X-Client-Cert is not a certificate');
  }
}

/** Status 421: another front door of this deployment serves the path. */
export function createMisdirectedRefusal(audience: Audience): Refusal {
  const here = audience === 'nodes' ? 'nodes' : 'operators and pipelines';
  const there = audience === 'nodes' ? 'operators and pipelines' : 'nodes';
  return plainRefusal(421, `This port serves ${here}; the request belongs to the port for ${there}`);
}
