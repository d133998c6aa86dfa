import { allNodes } from '../../store/all-nodes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { keepChange } from '../nodes/noted-changes.ts';
import { tellNodes } from '../nodes/tell-nodes.ts';
import { removeKeptValue } from './kept-value-list.ts';
import { KeptValueRecords } from './kept-value-records.ts';

/** What became of a rotated value. */
export interface RotatedValue {
  /** The nodes whose catalogs were made with it; each is compiled before nodes that merely wait. */
  readonly certnames: readonly string[];
}

/**
 * Replaces a value that code of modules keeps, or removes it (`text` is null), so that the next
 * compile creates another. Its nodes compile with priority. Null when there is no such value, or it
 * was changed meanwhile.
 */
export async function rotateValue(
  environment: string,
  name: string,
  text: string | null,
  by: string,
  stores: Pick<Stores, 'nodes' | 'queue' | 'documents' | 'seal' | 'clock'>,
): Promise<RotatedValue | null> {
  const isRotated = await new KeptValueRecords(stores).rotate(environment, name, text, by);
  return isRotated ? tellUsers(environment, name, by, stores) : null;
}

/** The same without a text, for a process that cannot open values. */
export async function renewValue(
  environment: string,
  name: string,
  by: string,
  stores: Pick<Stores, 'nodes' | 'queue' | 'documents' | 'clock'>,
): Promise<RotatedValue | null> {
  const isRemoved = await removeKeptValue(stores.documents, environment, name);
  return isRemoved ? tellUsers(environment, name, by, stores) : null;
}

async function tellUsers(
  environment: string,
  name: string,
  user: string,
  stores: Pick<Stores, 'nodes' | 'queue' | 'documents' | 'clock'>,
): Promise<RotatedValue> {
  const certnames = await findUsers(environment, name, stores);
  const why = `the kept value ${name} was rotated`;
  await tellNodes(certnames, why, stores);
  const touched = certnames.map((certname) => ({ certname, why }));
  await keepChange(stores, { kind: 'value', environment, summary: why, user, touched });
  return { certnames };
}

/** The nodes whose last compile in that environment named the value. */
export async function findUsers(
  environment: string,
  name: string,
  { nodes }: Pick<Stores, 'nodes'>,
): Promise<readonly string[]> {
  const users: string[] = [];
  for await (const page of allNodes(nodes)) {
    for (const { certname, inputs } of page) {
      if (inputs?.environment === environment && name in (inputs.keptValues ?? {})) users.push(certname);
    }
  }
  return users;
}
