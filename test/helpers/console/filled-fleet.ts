import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { compile } from '../../../shared/puppet/compiler/compile.ts';
import { registerDigests } from '../../../shared/store/embedded/row-digests.ts';
import { DIGESTED_TABLES } from '../../../shared/store/embedded/schema.ts';
import { CompileWorld, checkIn } from '../compile-world.ts';

const ROOT = 'environments/production';
const LONG_NAME = 'billing-reconciliation-worker-%06d.kubernetes-frankfurt-2.internal.subsidiary.example.com';

/**
 * Fills a data directory with nodes of an environment: a compiled one, then its rows again for all
 * others. With `isLong`, every other node has a name of 92 characters.
 */
export async function fillFleet(folder: string, count: number, isLong = false): Promise<void> {
  const world = new CompileWorld(undefined, compile, folder);
  const classes = Array.from(
    { length: 40 },
    (_, n) => `class c${n} { file { "/etc/c${n}": content => $facts['os'] } }`,
  );
  world.write(
    Object.fromEntries([
      [`${ROOT}/manifests/site.pp`, `node default { include ${classes.map((_, n) => `c${n}`).join(', ')} }`],
      ...classes.map((text, n) => [`${ROOT}/modules/c${n}/manifests/init.pp`, text]),
    ]),
  );
  await world.deploy();
  await world.run(checkIn('n0', { os: 'Debian' }));
  world.write({ [`${ROOT}/modules/c1/manifests/init.pp`]: 'class c1 { notify { "changed": } }' });
  await world.deploy();
  await world.runJobs();
  const database = new DatabaseSync(join(folder, 'understudy.db'));
  registerDigests(database, folder, DIGESTED_TABLES);
  const copy = (table: string, changed: Readonly<Record<string, string>>) => {
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map(({ name }) => String(name));
    const values = columns.map((column) => changed[column] ?? `t.${column}`);
    const all = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
    database.exec(
      `${all} INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM n, ${table} t WHERE t.certname = 'n0'`,
    );
  };
  const certname = isLong
    ? `CASE WHEN n.i % 2 = 0 THEN printf('n%06d.example.com', n.i) ELSE printf('${LONG_NAME}', n.i) END`
    : "printf('n%06d.example.com', n.i)";
  copy('nodes', { certname, built: 'CASE WHEN n.i % 50 = 0 THEN t.wanted - 1 ELSE t.wanted END', touched_at: 'n.i' });
  copy('dependency_memberships', { certname, shard: 'n.i % 16' });
  database.exec(
    'UPDATE nodes SET inputs = json_set(inputs, \'$.keptValues\', json(\'{"app/password":"v1"}\')) WHERE rowid % 2 = 0',
  );
  const change = { kind: 'changed', resource: 'File[/etc/x]', parameter: 'content', from: 'old', to: 'new' };
  const comparison = {
    environment: 'production',
    at: Date.now(),
    outcome: 'different',
    omitted: 0,
    changes: Array(5).fill(change),
  };
  database.exec(
    `INSERT INTO documents (collection, key, document)
     SELECT 'comparisons', certname, json_set('${JSON.stringify(comparison)}', '$.certname', certname) FROM nodes`,
  );
  database.close();
}
