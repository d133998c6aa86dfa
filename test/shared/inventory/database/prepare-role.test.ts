import { afterAll, beforeAll, expect, it } from 'vitest';
import { IAM_ROLE } from '../../../../shared/config/inventory.ts';
import { prepareRole } from '../../../../shared/inventory/database/prepare-role.ts';
import { openTestDatabase, type TestDatabase } from '../../../helpers/inventory-database.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.remove());

const run = (text: string) => opened.database.transaction((connection) => connection.run({ text, values: [] }));

it('makes the role that logs in by IAM and may keep the inventory, once', async () => {
  // Aurora has this role. Other databases refuse the grant, and nothing is left of it.
  await expect(prepareRole(opened.database)).rejects.toThrow('role "rds_iam" does not exist');
  expect(await run(`select from pg_roles where rolname = '${IAM_ROLE}'`)).toEqual([]);
  await run('create role rds_iam');
  await prepareRole(opened.database);
  await prepareRole(opened.database);
  const rights = `select pg_has_role('${IAM_ROLE}', 'rds_iam', 'member'),
    has_database_privilege('${IAM_ROLE}', current_database(), 'create'),
    has_schema_privilege('${IAM_ROLE}', 'public', 'create')`;
  expect((await run(rights)).flat().map(String)).toEqual(['t', 't', 't']);
});
