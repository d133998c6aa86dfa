import type { EnvironmentRecord, TakenBack } from '../../store/ports/environment-store.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { shortenId } from '../../util/short-id.ts';
import type { DeployGate } from './deploy.ts';

type EnvironmentPorts = Pick<Stores, 'environments'>;

/** Code that comes again by itself was rolled back: it is held until there is other code. */
export class CodeIsHeld extends Error {
  constructor(environment: string, held: TakenBack) {
    super(`${environment} is held: ${describeHeld(held)}`);
    this.name = 'CodeIsHeld';
  }
}

/** Says what of an environment is not deployed again, and until when. */
export function describeHeld({ codeId, by }: TakenBack): string {
  return `code ${shortenId(codeId)} was rolled back by ${by}; the next change goes on`;
}

/** Throws CodeIsHeld for code that was rolled back. */
export function demandNotHeld(record: EnvironmentRecord | null, codeId: string): void {
  const held = record?.takenBack;
  if (record && held?.codeId === codeId) throw new CodeIsHeld(record.name, held);
}

/**
 * A gate for code that comes by itself, from a git source or a folder: it keeps back what is held.
 */
export function holdCode({ environments }: EnvironmentPorts, gate?: DeployGate): DeployGate {
  return async (environment, codeId) => {
    demandNotHeld(await environments.get(environment), codeId);
    await gate?.(environment, codeId);
  };
}

/** The record without what was taken back. */
export function forgetTakenBack({ takenBack: _, ...record }: EnvironmentRecord): EnvironmentRecord {
  return record;
}

/**
 * Lets what was rolled back come again: its source has other code, which is in force. While nodes
 * are invalidated by a deploy, the record stays; the next synchronisation comes.
 */
export async function releaseHeld(name: string, codeId: string, { environments }: EnvironmentPorts): Promise<void> {
  const record = await environments.get(name);
  if (!record || record.codeId !== codeId || record.takenBack === undefined) return;
  if (record.stage || record.settled < record.revision) return;
  const revision = record.revision + 1;
  await environments.replace({ ...forgetTakenBack(record), revision, settled: revision }, record.revision);
}
