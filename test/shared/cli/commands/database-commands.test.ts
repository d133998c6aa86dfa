import { Command } from 'commander';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { addDatabaseCommands } from '../../../../shared/cli/commands/database-commands.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

async function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  let [output, code] = ['', 0];
  const program = new Command().exitOverride();
  const print = async (text: string) => {
    output += text;
  };
  const exit = (given: number) => {
    code = given;
  };
  addDatabaseCommands(program, { print, exit }, variables);
  await program.parseAsync(['database', ...args], { from: 'user' });
  return { output, code };
}

/** What is found, by the check. */
async function check(url: string, ...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { output } = await run(['check', url, '--format', 'json', ...args]);
  const findings: readonly Readonly<Record<string, string>>[] = JSON.parse(output);
  return Object.fromEntries(findings.map(({ check, verdict, text }) => [check, `${verdict}: ${text}`]));
}

async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

describe.skipIf(!canSharePostgres())('database check', () => {
  let url: string;
  let name: string;
  beforeAll(async () => {
    url = await createTestDatabase();
    name = new URL(url).pathname.slice(1);
  });

  it('says in a line each what servers need, and changes nothing', async () => {
    const { output, code } = await run(['check'], { UNDERSTUDY_DATABASE: url });
    const lines = output.split('\n').map((line) => line.replaceAll(/ +/g, ' '));
    // The PostgreSQL of tests does not sync.
    const crash = 'a crash of its machine damages the database';
    expect(lines).toEqual([
      `ok connection ${url} takes writes`,
      expect.stringMatching(/^ok version PostgreSQL \d+/),
      'ok encoding UTF8',
      'ok tables those of this release',
      'ok privileges understudy may read, write and make tables',
      `fails settings fsync is off (${crash}); full_page_writes is off (${crash}); autovacuum is off (tables grow without end)`,
      'warns replication no standby is connected: what its machine loses is lost',
      'ok checksums on',
      expect.stringMatching(/^ok clock this machine is -?\d+ ms off$/),
      'ok connections 2 servers may take 38 of 397',
      expect.stringMatching(/^\w+ latency a round trip takes \d+\.\d ms/),
      expect.stringMatching(/^\w+ commit a commit takes \d+\.\d ms/),
      '',
      expect.stringMatching(/^1 fail, \d warn, \d+ are ok\.$/),
      '',
    ]);
    expect(code).toBe(1);
  });

  it('compares what servers take with the limits of the database and the role', async () => {
    const many = ['--servers', '10', '--database-connections', '34', '--workers', '2'];
    const { connections } = await check(url, ...many);
    expect(connections).toBe(
      'fails: 10 servers may take 400 of 397: raise max_connections, or lower --database-connections',
    );
    await execute(url, `ALTER DATABASE ${name} CONNECTION LIMIT 20`);
    expect(await check(url, '--servers', '1')).toMatchObject({ connections: 'ok: 1 server may take 19 of 20' });
    await execute(url, `ALTER DATABASE ${name} CONNECTION LIMIT -1`);
  });

  it('names settings under which answers are lost, or servers disturb each other', async () => {
    const set = (setting: string) => `ALTER DATABASE ${name} SET ${setting}`;
    await execute(url, set('synchronous_commit = off'), set("default_transaction_isolation = 'serializable'"));
    expect((await check(url)).settings).toContain(
      'synchronous_commit is off (a crash loses what was answered); autovacuum is off (tables grow without end); default_transaction_isolation is serializable (servers end the transactions of each other)',
    );
    await execute(url, `ALTER DATABASE ${name} RESET ALL`);
  });

  it('asks for the privileges that a role lacks', async () => {
    const role = `${name}_role`;
    const other = url.replace('understudy@', `${role}@`);
    await execute(url, `CREATE ROLE ${role} LOGIN`, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
    expect((await check(other)).privileges).toMatch(
      RegExp(`^fails: ${role} may not read and write \\w+, \\w+, \\w+ and \\d+ more: it should own the tables$`),
    );
    await execute(url, `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    expect((await check(other)).privileges).toBe(
      `warns: ${role} may make no tables: 'understudy database prepare' of a newer release needs another role`,
    );
    await execute(url, `DROP OWNED BY ${role}`, `DROP ROLE ${role}`);
  });

  it('asks for the tables, and for those that are older or newer than this release', async () => {
    const empty = await createTestDatabase();
    const [version, newer] = ['UPDATE schema_version SET version =', 'tables of a newer release'];
    await execute(empty, `${version} 99`);
    expect((await check(empty)).tables).toBe('ok: those of a newer release, which this one may use');
    await execute(empty, `${version} 99, oldest = 99`);
    expect((await check(empty)).tables).toContain(newer);
    await execute(empty, 'DROP TABLE schema_version');
    expect((await check(empty)).tables).toBe(
      "fails: the database has no tables of Understudy: run 'understudy database prepare'",
    );
    await run(['prepare', empty]);
    expect((await check(empty)).tables).toBe('ok: those of this release');
  });

  it('says why it cannot connect', async () => {
    const away = url.replace(/:\d+\//, ':1/');
    expect(await check(away)).toEqual({ connection: expect.stringMatching(/^fails: database .*ECONNREFUSED/) });
    expect(await check(`${url}_nowhere`)).toEqual({ connection: expect.stringContaining('does not exist') });
    expect((await run(['check', away])).code).toBe(1);
    await expect(run(['check', 'mysql://db/fleet'])).rejects.toThrow('no URL like postgresql://');
    await expect(run(['check'])).rejects.toThrow('Name the database, here or in UNDERSTUDY_DATABASE.');
  });
});
