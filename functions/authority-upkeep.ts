/** Work that an authority service does every few hours. */
import { pruneRevocations } from '../shared/access/ca/revocation-store.ts';
import { AUTHORITY } from '../shared/config/front-doors.ts';
import type { FrontDoor } from '../shared/http/front-door.ts';
import type { Clock } from '../shared/store/ports/clock.ts';
import type { DocumentStore } from '../shared/store/ports/document-store.ts';
import type { KeyVault } from '../shared/store/ports/secrets.ts';
import { containerLog } from './container-log.ts';
import { startWhenAvailable } from './start-when-available.ts';

/** Issues the certificate that edges serve with, and replaces it before it expires. */
export async function keepEdgeCertificate(
  { serverCredentials }: FrontDoor,
  [name, ...others]: readonly [string, ...string[]],
  edgeVault: KeyVault,
  clock: Clock,
): Promise<void> {
  const issue = () => serverCredentials(name, others, edgeVault);
  await startWhenAvailable(issue, clock);
  repeat("The edge's certificate could not be renewed", issue);
}

/** Does the work every few hours. Logs `failure` with the error when it fails. */
function repeat(failure: string, work: () => Promise<unknown>): void {
  const failed = (error: unknown) => containerLog.logError(failure, error);
  setInterval(() => void work().catch(failed), AUTHORITY.renewalCheckHours * 3600_000).unref();
}

/**
 * Deletes parts of revocation lists that are not in force, every few hours. No other role may
 * change the CA's documents.
 */
export function keepRevocationsPruned(documents: DocumentStore): void {
  repeat('Parts of revocation lists could not be deleted', () => pruneRevocations(documents));
}
