import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreRefused, StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { PostgresConnection } from '../../../../shared/store/postgres/connection.ts';
import { translatePostgresError } from '../../../../shared/store/postgres/errors.ts';
import { readDatabasePlace } from '../../../../shared/store/postgres/place.ts';
import { canSharePostgres, createTestDatabase } from '../../../helpers/shared-postgres.ts';

describe.skipIf(!canSharePostgres())('a connection to PostgreSQL', () => {
  let url: string;
  let database: PostgresConnection;
  beforeAll(async () => {
    url = await createTestDatabase();
    database = open(url);
  });
  afterAll(() => database.close());

  it('gives numbers, conditions as 0 and 1, texts and bytes', async () => {
    const sql =
      "SELECT 9007199254740991::bigint AS big, 1 < 2 AS yes, NULL AS nothing, '007' AS text, ?::bytea AS bytes";
    expect(await database.get(sql, Uint8Array.of(0, 255))).toEqual({
      ...{ big: 9007199254740991, yes: 1, nothing: null, text: '007' },
      bytes: Buffer.of(0, 255),
    });
  });

  it('undoes a transaction whose work throws, and leaves the connection usable', async () => {
    const undone = database.runInTransaction(async (on) => {
      await on.run("INSERT INTO counters (name, last) VALUES ('undone', 1)");
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow(new Error('no'));
    expect(await database.get("SELECT last FROM counters WHERE name = 'undone'")).toBeNull();
    expect(database.use).toMatchObject({ open: 1, idle: 1, waiting: 0 });
  });

  it('repeats a transaction that PostgreSQL ends because of a deadlock', async () => {
    await database.run("INSERT INTO counters (name, last) VALUES ('a', 0), ('b', 0)");
    const raise = (first: string, second: string) =>
      database.runInTransaction(async (on) => {
        for (const name of [first, second]) {
          await on.run('UPDATE counters SET last = last + 1 WHERE name = ?', name);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      });
    await Promise.all([raise('a', 'b'), raise('b', 'a')]);
    expect(await database.selectAll("SELECT last FROM counters WHERE name IN ('a', 'b')")).toEqual([
      { last: 2 },
      { last: 2 },
    ]);
  });

  it.each([
    ['SELECT * FROM nowhere', StoreRefused, 'relation "nowhere" does not exist: see \'understudy database prepare\''],
    ["SELECT set_config('statement_timeout', '10', false), pg_sleep(5)", StoreUnavailable, 'statement timeout'],
  ])('says of %s what went wrong, and where', async (sql, kind, message) => {
    const own = open(url);
    if (sql.includes('timeout')) await own.run("SET statement_timeout = '10ms'");
    const failure = await own.get(sql).catch((error: unknown) => error);
    await own.close();
    expect(failure).toBeInstanceOf(kind);
    expect(String(failure)).toContain(message);
    expect(String(failure)).toContain(own.shown);
  });

  it('does not repeat a transaction that was cut off at its commit: it may have been made', async () => {
    const proxy = await startProxy(url);
    const cut = open(proxy.url);
    let runs = 0;
    const outcome = await cut
      .runInTransaction(async (on) => {
        runs += 1;
        await on.run("INSERT INTO counters (name, last) VALUES ('cut', 1) ON CONFLICT DO NOTHING");
        proxy.cutAnswers();
      })
      .catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(StoreUnavailable);
    expect(runs).toBe(1);
    await expect.poll(() => database.get("SELECT last FROM counters WHERE name = 'cut'")).toEqual({ last: 1 });
    await cut.close();
    proxy.close();
  });

  it('gives up a server that is silent, and its connection', async () => {
    const proxy = await startProxy(url);
    const silent = open(proxy.url, { queryMs: 300 });
    expect(await silent.get('SELECT 1 AS one')).toEqual({ one: 1 });
    proxy.holdAnswers();
    const began = performance.now();
    await expect(silent.run('UPDATE counters SET last = last')).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(silent.use.open).toBe(0);
    await silent.close();
    proxy.close();
  });

  it('does not wait for ever for a connection when all are in use', async () => {
    const small = open(url, { connections: 1, connectMs: 200 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const holding = small.runInTransaction(() => promise);
    await expect(small.get('SELECT 1')).rejects.toThrow(StoreUnavailable);
    resolve();
    await holding;
    expect(await small.get('SELECT 1 AS one')).toEqual({ one: 1 });
    await small.close();
  });

  it('works again after its connections were ended by the server', async () => {
    const own = open(url, { name: 'ended' });
    await own.get('SELECT 1');
    const sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'";
    await database.selectAll(sql);
    await expect.poll(() => own.use.open).toBe(0);
    expect(await own.get('SELECT 1 AS one')).toEqual({ one: 1 });
    await own.close();
  });

  it('refuses a standby', async () => {
    const own = await hideFunction('pg_is_in_recovery', '() RETURNS boolean', 'SELECT true');
    const refused = open(own);
    await expect(refused.get('SELECT 1')).rejects.toThrow(StoreUnavailable);
    await expect(refused.get('SELECT 1')).rejects.toThrow('the server is a standby, which takes no writes');
    await refused.close();
  });

  it('refuses a former primary, which is on an older timeline than one before it', async () => {
    const body = "SELECT greatest(1, 3 - nextval(''looks''))::integer";
    const own = await hideFunction('pg_control_checkpoint', '(OUT timeline_id integer)', body);
    const refused = open(own);
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holding = refused.runInTransaction(() => {
      begun.resolve();
      return promise;
    });
    await begun.promise;
    const reason = 'the server is on timeline 1, and the primary is on 2';
    await expect(refused.get('SELECT 1')).rejects.toThrow(reason);
    resolve();
    await holding;
    await refused.close();
  });

  it('takes the next host when one does not listen', async () => {
    const { port } = new URL(url);
    const other = open(url.replace(`127.0.0.1:${port}`, `127.0.0.1:1,127.0.0.1:${port}`));
    expect(await other.get('SELECT 1 AS one')).toEqual({ one: 1 });
    await other.close();
  });

  it('names the place when no host listens', async () => {
    const gone = open('postgresql://127.0.0.1:1,127.0.0.1:2/x');
    await expect(gone.get('SELECT 1')).rejects.toThrow(StoreUnavailable);
    await expect(gone.get('SELECT 1')).rejects.toThrow('database postgresql://127.0.0.1:1,127.0.0.1:2/x: ');
    await gone.close();
  });
});

it('says which disk is full, and that data is damaged', () => {
  const of = (code: string) => Object.assign(new Error('no'), { code, severity: 'ERROR' });
  expect(translatePostgresError('db', of('53100'))).toEqual(new StoreRefused('database db: no: its disk is full'));
  expect(translatePostgresError('db', of('XX001'))).toEqual(new StoreRefused('database db: no: its data is damaged'));
  expect(translatePostgresError('db', of('53300'))).toEqual(new StoreUnavailable('database db: no'));
});

/** A database in which a function of this name hides PostgreSQL's own. */
async function hideFunction(name: string, signature: string, body: string): Promise<string> {
  const url = await createTestDatabase();
  const admin = open(url);
  await admin.run('CREATE SEQUENCE looks');
  await admin.run(`CREATE FUNCTION public.${name}${signature} LANGUAGE sql AS '${body}'`);
  await admin.run(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`);
  await admin.close();
  return url;
}

function open(url: string, limits: Partial<ConstructorParameters<typeof PostgresConnection>[1]> = {}) {
  return new PostgresConnection(readDatabasePlace(url), { connections: 3, name: 'test', ...limits });
}

/** A way to a database that can lose the answers, and then the connections. */
async function startProxy(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let [isCut, isHeld] = [false, false];
  const server: Server = createServer((client) => {
    const upstream = connectTcp(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      if (isCut) client.destroy();
      else if (!isHeld) client.write(bytes);
    });
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: url.replace(`:${target.port}/`, `:${port}/`),
    cutAnswers: () => {
      isCut = true;
    },
    holdAnswers: () => {
      isHeld = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
