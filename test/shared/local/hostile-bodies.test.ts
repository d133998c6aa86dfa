import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileBody, makeHostileBodies } from '../../helpers/hostile-bodies.ts';
import { ADMINISTRATOR, LocalSite, PORTS, type PortName, type SiteAnswer } from '../../helpers/local-site.ts';
import { listServedRoutes, type ServedRoute } from '../../helpers/served-routes.ts';

const NODE = 'web01.example.com';
let site: LocalSite;
let before: readonly SiteAnswer[];
beforeAll(async () => {
  site = await LocalSite.open([NODE]);
  before = await readState();
});
afterAll(() => site.stop());

/** Routes without a body: what is sent with them is not read. */
const BODILESS =
  /certificate_renewal$|file-sync\/v1\/(?:publish|force-sync)$|update-classes$|sign\/all$|saml\/v1\/slo$/;

/** What is not refused with 4xx, and why. */
const ANSWERED: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^POST \/classifier-api\/v\d\/classified\/nodes\//, /^200 /, 'takes any object, and stores nothing'],
  [/^POST \/pdb\/cmd\/v1\?/, /^200 \{"uuid"/, 'JSON of another form is discarded when it is applied, as by PuppetDB'],
  [/^POST \/pdb\/query\/v4/, /^500 .* is not a map of parameters$/, "PuppetDB's words"],
  [/^POST \/puppet\/v3\/catalog/, /^500 .*(?:Could not intern from json|wrong node)/, "Puppet Server's words"],
  [/^PUT \/puppet\/v3\/facts/, /^500 .*wrong node/, "Puppet Server's words"],
];

const LISTS: readonly (readonly [PortName, string])[] = [
  ['access', '/rbac-api/v1/users'],
  ['access', '/rbac-api/v1/roles'],
  ['access', '/classifier-api/v1/groups'],
  ['orchestrator', '/orchestrator/v1/jobs'],
  ['orchestrator', '/orchestrator/v1/scheduled_jobs'],
  ['inventory', '/pdb/query/v4/nodes'],
  ['console', '/understudy/v1/policies'],
  ['console', '/understudy/v1/code-sources'],
];

/** All that hostile bodies could have stored. */
function readState(): Promise<readonly SiteAnswer[]> {
  return Promise.all(
    LISTS.map(([port, path]) =>
      site.ask({ port, path, headers: [['X-Authentication', site.token]], who: ADMINISTRATOR }),
    ),
  );
}

/** The facts of a catalog request are a parameter of a form. */
function wrap({ port, pattern }: ServedRoute, { bytes, ...others }: HostileBody): HostileBody {
  const isForm = port === 'frontDoor' && pattern.startsWith('/puppet/v3/catalog') && others.encoding === undefined;
  if (!isForm) return { bytes, ...others };
  const text = Buffer.from(bytes).toString('latin1');
  const facts = encodeURIComponent(encodeURIComponent(text));
  return { bytes: Buffer.from(`facts_format=application%2Fjson&facts=${facts}`), ...others };
}

function send(route: ServedRoute, body: HostileBody, isChunked = false): Promise<SiteAnswer> {
  const { bytes, encoding } = wrap(route, body);
  const isOctets = /file_bucket_file/.test(route.path);
  const type = isOctets ? 'application/octet-stream' : 'application/json';
  const form = 'application/x-www-form-urlencoded';
  return site.ask({
    ...route,
    headers: [
      ['Content-Type', route.pattern.startsWith('/puppet/v3/catalog') ? form : type],
      ['X-Authentication', route.port === 'frontDoor' ? site.deployToken : site.token],
      ['X-Understudy-Console', '1'],
      ...(encoding === undefined ? [] : [['Content-Encoding', encoding] as const]),
    ],
    body: bytes,
    ...(isChunked ? { isChunked } : {}),
    who: /:certname|catalog/.test(route.pattern) && route.path.startsWith('/puppet/') ? NODE : ADMINISTRATOR,
  });
}

/** All bodies to all routes cost a minute: each body goes to a third of them, in turn. */
const STEP = process.env.UNDERSTUDY_ALL === '1' ? 1 : 3;

const routes = listServedRoutes(NODE).filter(({ pattern }) => !BODILESS.test(pattern));
const PORTS_WITH_BODIES = PORTS.map((port) => routes.filter((route) => route.port === port));

const bodies = makeHostileBodies(70_000).map((body, turn) => ({ ...body, turn }));

describe.each(bodies)('$name', ({ turn, ...body }) => {
  it.each(PORTS_WITH_BODIES.map((there) => [there[0]?.port, there] as const))(
    'is refused by routes of the port %s',
    async (_, all) => {
      const there = all.filter((_, index) => (index + turn) % STEP === 0);
      const answers = await Promise.all(
        there.map(async (route) => {
          const { status, body: text } = await send(route, body);
          return { route: `${route.method} ${route.pattern}`, answer: `${status} ${text}` };
        }),
      );
      const isExpected = ({ route, answer }: { readonly route: string; readonly answer: string }) =>
        /^4\d\d /.test(answer) || ANSWERED.some(([one, text]) => one.test(route) && text.test(answer));
      expect(answers.filter((one) => !isExpected(one))).toEqual([]);
      if (STEP === 1 && body.encoding !== undefined && body.encoding !== 'gzip' && there[0]?.port !== 'broker') {
        expect(answers.some(({ answer }) => answer.startsWith('415 '))).toBe(true);
      }
    },
  );
});

describe('a body whose length is wrong', () => {
  /** Writes a request, ends the connection, and returns the status lines that came. */
  async function write(port: PortName, path: string, rest: string): Promise<readonly string[]> {
    const socket = await site.dial(port, ADMINISTRATOR);
    const token = port === 'frontDoor' ? site.deployToken : site.token;
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Authentication: ${token}\r\nX-Understudy-Console: 1`;
    socket.on('error', () => {});
    socket.end(`${head}\r\nContent-Type: application/json\r\n${rest}`);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    return answer.split('\r\n').filter((line) => line.startsWith('HTTP/1.1 '));
  }

  const REFUSED = expect.stringMatching(/^HTTP\/1\.1 4\d\d /);

  it.each(PORTS_WITH_BODIES.map((there) => there.find(({ method }) => method === 'POST')))(
    'is refused, or ends the connection: $port $pattern',
    async (route) => {
      if (route === undefined) return expect.fail('no route');
      const { port, path } = route;
      const rests = [
        'Content-Length: 1000\r\n\r\n{"hostile":',
        'Content-Length: 3\r\n\r\n<a>GET / HTTP/0.5\r\n\r\n',
        'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\nb\r\n{"hostile":\r\n',
        'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}',
        'Transfer-Encoding: chunked\r\n\r\n3\r\n<a>\r\n0\r\n\r\n',
      ];
      for (const rest of rests) {
        const lines = await write(port, path, rest);
        expect([rest, lines]).toEqual([rest, lines.map(() => REFUSED)]);
      }
      expect(await write(port, path, rests.at(-1) ?? '')).toEqual([REFUSED]);
    },
  );
});

describe('a large body', () => {
  /** Processor time that this thread takes to parse so much JSON. */
  function parseMs(bytes: number): number {
    const text = `[${'{"a":1},'.repeat(bytes / 8)}1]`;
    const start = process.threadCpuUsage().user;
    JSON.parse(text);
    return (process.threadCpuUsage().user - start) / 1000;
  }

  it.each([
    ['frontDoor', 'PUT /puppet/v3/facts/'],
    ['frontDoor', 'PUT /puppet/v3/report/'],
    ['frontDoor', 'PUT /puppet/v3/file_bucket_file/'],
    ['frontDoor', 'POST /puppet/v3/catalog/'],
    ['frontDoor', 'PUT /puppet-ca/v1/clean'],
    ['frontDoor', 'POST /understudy/v1/code-sources/:name/webhook'],
    ['access', 'POST /classifier-api/v1/import-hierarchy'],
    ['orchestrator', 'POST /orchestrator/v1/command/task'],
    ['inventory', 'POST /pdb/query/v4'],
    ['inventoryTls', 'POST /pdb/cmd/v1?command=replace_facts'],
  ])('at the port %s to %s keeps the event loop for less than it takes to parse 6 MB', async (port, start) => {
    const route = routes.find((one) => one.port === port && `${one.method} ${one.pattern}`.startsWith(start));
    if (route === undefined) return expect.fail(`no route ${start}`);
    const reference = parseMs(6_000_000);
    const longest: Record<string, number> = {};
    for (const body of makeHostileBodies(2_500_000).filter(({ bytes }) => bytes.length > 1_000_000)) {
      await site.takeLongestTurnMs();
      const { status } = await send(route, body);
      const isDiscarded = start.includes('/pdb/cmd') && status === 200;
      expect([body.name, isDiscarded || status >= 400]).toEqual([body.name, true]);
      longest[body.name] = (await site.takeLongestTurnMs()) / reference;
    }
    expect(Math.max(...Object.values(longest)), JSON.stringify(longest)).toBeLessThan(1);
  });
});

it('leaves nothing behind', async () => {
  expect(await readState()).toEqual(before);
  expect(site.lines.filter((line) => /failed|Error/.test(line))).toEqual([]);
});
