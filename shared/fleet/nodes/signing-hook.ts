import type { TrustedNames } from '../../access/ca/trusted-oid-mapping.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { nextEnvironment, prepareSignedNode, trustedFactsOf } from './signed-node.ts';

/** One warm-up serves all nodes of an environment that are signed within this time. */
const WARM_MS = 60_000;

/**
 * Creates the `onSigned` of a certificate authority: it prepares the node's first catalog, or has a
 * worker open the environment when no facts are known. A fault is reported to `onFault`, because
 * the certificate is signed all the same and the node's first run needs none of this.
 */
export function createSigningHook(
  ports: Pick<Stores, 'nodes' | 'blobs' | 'queue' | 'groups' | 'clock'>,
  names: TrustedNames,
  onFault: (message: string, cause: unknown) => void,
): (certname: string, pem: string) => Promise<void> {
  const warmed = new Map<string, number>();
  const warm = async (certname: string) => {
    const environment = await nextEnvironment(certname, ports);
    const at = ports.clock.now();
    if (at - (warmed.get(environment) ?? -WARM_MS) < WARM_MS) return;
    warmed.set(environment, at);
    // A name of its own: the queue joins the jobs of one name.
    const job = { certname: `environment:${environment}`, generation: 0, reason: 'certificate signed', at };
    await ports.queue.send('express', [{ ...job, warm: environment }]);
  };
  return async (certname, pem) => {
    try {
      const next = await prepareSignedNode(certname, trustedFactsOf(certname, pem, names), ports);
      if (next === 'waits for its facts') await warm(certname);
    } catch (error) {
      onFault(`The first catalog of ${certname} is not prepared`, error);
    }
  };
}
