import { Signer } from '@aws-sdk/rds-signer';
import { INVENTORY_VARIABLES } from '../shared/config/inventory.ts';
import { PostgresDatabase } from '../shared/inventory/database/postgres-database.ts';
import { prepareRole } from '../shared/inventory/database/prepare-role.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';

const secrets = new SecretVariables(process.env, [INVENTORY_VARIABLES.ownerPassword]);

/**
 * The inventory's database. The function's own credentials give a password that is valid for 15
 * minutes; a URL without TLS is that of a test.
 */
export function openByIam(): PostgresDatabase {
  const url = process.env[INVENTORY_VARIABLES.url] ?? '';
  if (!url.includes('sslmode=')) return new PostgresDatabase(url, 2);
  const { hostname, port, username } = new URL(url);
  const signer = new Signer({ hostname, port: Number(port), username });
  return new PostgresDatabase(url, 2, () => signer.getAuthToken());
}

/**
 * Makes the role of IAM in a new database. False for a function that does not have the owner's
 * password, and for another kind of error.
 */
export async function prepareRoleAsOwner(error: unknown): Promise<boolean> {
  const url = process.env[INVENTORY_VARIABLES.owner] ?? '';
  if (url === '' || !/authentication failed|does not exist/.test(String(error))) return false;
  const { [INVENTORY_VARIABLES.ownerPassword]: password = '' } = await secrets.read();
  const owner = new PostgresDatabase(url, 1, async () => password);
  try {
    await prepareRole(owner);
    return true;
  } finally {
    await owner.close();
  }
}
