import { IAM_ROLE } from '../../config/inventory.ts';
import type { InventoryDatabase } from './inventory-database.ts';

/**
 * Makes the role as which functions log in by IAM, and lets it keep the inventory in the database.
 * `owner` is the database as its owner is connected. What is there already is left alone.
 */
export async function prepareRole(owner: InventoryDatabase): Promise<void> {
  await owner.transaction(async (connection) => {
    const run = (text: string) => connection.run({ text, values: [] });
    await run(
      `do $$ begin
        if not exists (select from pg_roles where rolname = '${IAM_ROLE}') then create role ${IAM_ROLE} login; end if;
        execute format('grant connect, create, temporary on database %I to ${IAM_ROLE}', current_database());
      end $$`,
    );
    await run(`grant rds_iam to ${IAM_ROLE}`);
    await run(`grant usage, create on schema public to ${IAM_ROLE}`);
  });
}
