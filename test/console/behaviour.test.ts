import { describe, expect, it } from 'vitest';
import type { ApiSchema } from '../../shared/api/described-answers.ts';
import { findAxeViolations, hasBrowser, waitForAddress, waitForFocus } from '../helpers/console/browser.ts';
import { AXE_PATH, type FakeAnswer, type FakeRequest } from '../helpers/console/fake-console.ts';
import { FLEET } from '../helpers/console/fleet-fixtures.ts';
import { FakedConsole } from '../helpers/console/opened-console.ts';
import { COMPARISON, GROUPS } from '../helpers/console/operation-fixtures.ts';
import { ACTIVITY, OVERVIEW, SCRIPT, SESSION } from '../helpers/console/overview-fixtures.ts';

/** The node of the fixtures with other members. */
function changeNode(members: object): (request: FakeRequest, ...parts: readonly string[]) => FakeAnswer {
  return (request, ...parts) => {
    const answer = FLEET['GET /understudy/v1/nodes/*']?.(request, ...parts);
    return answer === undefined || answer === 'never' ? 'never' : { body: { ...(answer.body as object), ...members } };
  };
}

const REFUSAL = { status: 401, body: { kind: 'user-unauthenticated', msg: 'There is no session: log in' } };

describe.skipIf(!hasBrowser())('the console', () => {
  const faked = FakedConsole.forBlock();
  const open = (address: string, title: string | RegExp) => faked.open(address, title);

  it('shows the servers that share a database, and none where one has a directory', async () => {
    const page = await open('/', 'Overview');
    const panel = page.getByRole('region', { name: 'Servers' });
    const rows = panel.getByRole('group', { name: 'List of servers' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(4);
    expect(await rows.nth(1).innerText()).toMatch(/one-1a2b3c4d \(this one\)\s+0\.1\.0\s.*alive\s+feed, prune/s);
    expect(await rows.nth(3).innerText()).toMatch(/three-9c0d1e2f\s.*4 hr\. ago\s.*dead/s);
    await panel.getByText("No server has led the work 'inventory' for 45 s.").waitFor();
    await panel.getByText('asynchronous, 4,096 bytes behind').waitFor();
    faked.server.override({ 'GET /understudy/v1/overview': () => ({ body: { ...OVERVIEW, sharing: null } }) });
    await page.reload();
    await page.getByRole('region', { name: 'What changed last' }).waitFor();
    expect(await panel.count()).toBe(0);
  });

  it('shows what is known, how old it is, and recovers when an API answers 503', async () => {
    const page = await open('/queue', 'Queue');
    await page.getByText('An input changed').waitFor();
    faked.server.override({
      'GET /understudy/v1/queue': () => ({
        status: 503,
        headers: { 'Retry-After': '1' },
        body: { message: 'Service Unavailable: no store' },
      }),
    });
    const alert = page.getByRole('alert');
    await alert.getByText('Service Unavailable: no store').waitFor();
    await alert.getByText(/What you see is from/).waitFor();
    await alert.getByText(/The next try is/).waitFor();
    await page.getByText('An input changed').waitFor();
    faked.server.reset();
    await alert.waitFor({ state: 'detached' });
  });

  it('searches from every page by the keyboard alone', async () => {
    const page = await open('/queue', 'Queue');
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await dialog.getByRole('searchbox').waitFor();
    await page.keyboard.type('web/');
    await dialog.getByRole('link', { name: 'web::vhost' }).waitFor();
    await dialog.getByText('There are more: type more of the name.').waitFor();
    await page.addScriptTag({ url: AXE_PATH });
    expect(await findAxeViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await waitForFocus(page, 'web::vhostproduction');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('web');
    await dialog.getByRole('link', { name: 'web01.example.com' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'web01.example.com' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  it('says when nothing has a name, and what could not be searched', async () => {
    const page = await open('/nodes', 'Nodes');
    await page.getByLabel('Name contains').press('/');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('dialog').getByRole('searchbox').fill('zzz');
    await page.getByText('Nothing has this name.').waitFor();
    await page.getByText('Not searched, because it failed: Facts').waitFor();
  });

  it('has dead letters of all queues tried again', async () => {
    const page = await open('/queue', 'Queue');
    for (const spoken of ['catalog of build09', 'report of web01', 'run of app03']) {
      await page.getByRole('button', { name: `Redrive the ${spoken}.example.com` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.getByText('is due').waitFor();
    await page.getByRole('button', { name: 'Redrive all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive all' }).click();
    await page.getByText('They are tried again from now on.').waitFor();
    expect(faked.server.changes.map(({ path, body }) => [path, body])).toEqual([
      ['/understudy/v1/dead-letters/compile/redrive', { id: 'build09-7' }],
      ['/understudy/v1/dead-letters/report-url/redrive', { id: 'letter-2' }],
      ['/understudy/v1/dead-letters/notify/redrive', { id: 'app03.example.com' }],
      ...['compile', 'fan-out', 'notify', 'report-url', 'puppetdb'].map((queue) => [
        `/understudy/v1/dead-letters/${queue}/redrive`,
        {},
      ]),
    ]);
  });

  it('shows the progress of a deploy', async () => {
    const page = await open('/code', 'Code');
    await page.getByText('1,400 invalidated, 7 of 16 parts done').waitFor();
  });

  it('shows on every page what needs somebody, and what is under way', async () => {
    const stage = {
      codeId: 'b'.repeat(64),
      canaries: 2,
      good: 1,
      worse: 0,
      since: Date.now(),
      until: Date.now() + 600_000,
    };
    const lane = { environment: 'staging', job: '61', since: Date.now(), reason: 'db01: 2 resources failed' };
    const work: ApiSchema<'Activity'> = {
      ...{ at: Date.now(), hasCode: true, fanOuts: [], codeWork: ['backup'] },
      stages: [
        { ...stage, environment: 'e0', state: 'trial', reason: null },
        { ...stage, environment: 'e1', state: 'held', reason: 'web1 is worse' },
      ],
      notified: [{ ...lane, state: 'paused' }],
      jobs: { count: 1, newest: [{ kind: 'job', name: '58', work: 'deploy', nodes: 96 }] },
      oldQueues: [{ queue: 'express', visible: 4031, oldestAgeMs: 1_500_000 }],
      expires: { name: 'CN=Puppet CA', at: Date.now() + 12.5 * 86_400_000 },
    };
    faked.server.override({ 'GET /understudy/v1/activity': () => ({ body: work }) });
    for (const [address, title] of [
      ['/', 'Overview'],
      ['/certificates', 'Certificates'],
      ['/nowhere', 'Not found'],
    ] as const) {
      const page = await open(address, title);
      const banner = page.getByRole('complementary', { name: 'State of the fleet' });
      await banner.getByText('A deploy of e1 is held and waits for somebody: web1 is worse').waitFor();
      await banner.getByText('Runs of changed catalogs in staging are paused: db01: 2 resources failed.').waitFor();
      await banner
        .getByText("The CA's certificate CN=Puppet CA, on which all others depend, ends in 12 days")
        .waitFor();
      expect(await banner.getByRole('listitem').count()).toBe(3);
      // It covers nothing: the page begins below it.
      const [above, below] = [await banner.boundingBox(), await page.getByRole('main').boundingBox()];
      expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? Number.NaN) + (above?.height ?? 0));
      await banner.getByRole('button', { name: '4 more' }).click();
      await banner.getByText('The oldest of 4,031 jobs in the queue express waits for 25 minutes.').waitFor();
      await banner.getByText('e0 is on trial for 2 canaries: 1 good, 0 worse.').waitFor();
      await banner.getByText('A backup is being written.').waitFor();
      await banner.getByRole('link', { name: 'Job 58' }).click();
      await page.getByRole('heading', { level: 1, name: 'Job 58' }).waitFor();
    }
  });

  it('hides a dismissed notice until it comes again, and none that needs somebody', async () => {
    let work: ApiSchema<'Activity'> = {
      ...ACTIVITY,
      hasCode: false,
      stages: [],
      fanOuts: [],
      jobs: null,
      notified: [],
    };
    faked.server.override({ 'GET /understudy/v1/activity': () => ({ body: work }) });
    const page = await open('/nodes', 'Nodes');
    const banner = page.getByRole('complementary', { name: 'State of the fleet' });
    await banner.getByText('No code is deployed, so agents get an error and change nothing.').waitFor();
    await banner.getByRole('button', { name: 'Dismiss: Code that nothing needs' }).click();
    const pruning = banner.getByText('is being deleted');
    await pruning.waitFor({ state: 'detached' });
    await page.reload();
    await banner.getByText('No code is deployed').waitFor();
    expect(await pruning.count()).toBe(0);
    expect(await banner.getByRole('button').count()).toBe(0);
    work = { ...work, codeWork: ['backup'] };
    faked.server.send('deploy', {});
    await banner.getByText('A backup is being written.').waitFor();
    work = { ...work, codeWork: ['pruning'] };
    faked.server.send('deploy', {});
    await pruning.waitFor();
  });

  it('shows a page whose banner does not come', async () => {
    faked.server.override({ 'GET /understudy/v1/activity': () => 'never' });
    const page = await open('/certificates', 'Certificates');
    await page.getByText('old07.example.com').first().waitFor();
    expect(await page.getByRole('complementary', { name: 'State of the fleet' }).count()).toBe(0);
  });

  it('counts no requests for certificates before it knows them', async () => {
    faked.server.override({ 'GET /understudy/v1/certificates': () => 'never' });
    const page = await open('/certificates', 'Certificates');
    await page.getByText('Reading the requests').waitFor({ state: 'attached' });
    expect(await page.locator('.panel-head').first().innerText()).toBe('Waiting requests');
  });

  it('says that a server cannot be reached, and recovers by itself', async () => {
    faked.server.override({ 'GET /understudy/v1/environments': () => 'never' });
    const page = await open('/code', 'Code');
    await page.getByText('Reading the environments').waitFor({ state: 'attached' });
    await page.route('**/understudy/v1/environments', (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.unroute('**/understudy/v1/environments');
    faked.server.reset();
    await page.getByText('all know of it').waitFor();
  });

  it('asks again on request, where an answer says nothing of another try', async () => {
    faked.server.override({
      'GET /understudy/v1/environments': () => ({ status: 500, body: { message: 'Disk failure' } }),
    });
    const page = await open('/code', 'Code');
    await page.getByRole('alert').getByText('Disk failure').waitFor();
    faked.server.reset();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('all know of it').waitFor();
  });

  it('leads from an ended session to the log-in, and back to the same page', async () => {
    const page = await open('/nodes?state=failing', 'Nodes');
    await page.getByText('expects an Integer value').first().waitFor();
    faked.server.override({
      'GET /understudy/v1/nodes': () => REFUSAL,
      'GET /console/session': () => REFUSAL,
    });
    await page.getByLabel('Name contains').fill('db');
    await page.getByRole('heading', { name: 'Understudy' }).waitFor();
    await page.getByText('Log in to continue where you were.').waitFor();
    faked.server.reset();
    await page.getByLabel('Login').fill('alice');
    await page.getByLabel('Password').fill('secret');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    await waitForAddress(page, '/nodes?state=failing&search=db');
  });

  it('stays logged in when an answer of the session before comes late', async () => {
    const page = await open('/queue', 'Queue');
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    await page.route('**/dead-letters/compile/redrive', async (route) => {
      asked.resolve();
      await late.promise;
      await route.fulfill({ status: 401, json: REFUSAL.body });
    });
    await page.getByRole('button', { name: 'Redrive the catalog of build09.example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
    await asked.promise;
    faked.server.override({ 'GET /understudy/v1/queue': () => REFUSAL });
    await page.getByText('Log in to continue where you were.').waitFor();
    faked.server.reset();
    await page.getByLabel('Login').fill('alice');
    await page.getByLabel('Password').fill('secret');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('An input changed').waitFor();
    const refused = page.waitForResponse((answer) => answer.url().endsWith('/redrive'));
    late.resolve();
    await (await refused).finished();
    // The page takes the answer in a task of its own.
    await page.evaluate('new Promise((done) => setTimeout(done, 50))');
    await page.getByRole('navigation', { name: 'Pages of the console' }).getByRole('link', { name: 'Nodes' }).click();
    await page.getByText('expects an Integer value').first().waitFor();
  });

  it('goes nowhere else after the log-in', async () => {
    faked.server.override({ 'GET /console/session': () => REFUSAL });
    await faked.page.goto(`${faked.server.origin}/console/login?next=${encodeURIComponent('//example.com/')}`);
    await faked.page.getByLabel('Login').fill('alice');
    await faked.page.getByLabel('Password').fill('secret');
    await faked.page.getByRole('button', { name: 'Log in' }).click();
    await faked.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await waitForAddress(faked.page, '/');
  });

  it('offers only what the user may do', async () => {
    const permissions = [{ object_type: 'console_page', action: 'view', instance: '*' }];
    faked.server.override({ 'GET /console/session': () => ({ body: { ...SESSION, permissions } }) });
    const page = await open('/nodes/web01.example.com', 'web01.example.com');
    const menu = page.getByRole('navigation', { name: 'Pages of the console' });
    const tabs = page.getByRole('navigation', { name: 'About the node' });
    const pages = ['Overview', 'Nodes', 'Reports', 'Why', 'Code', 'Queue', 'Access'];
    await expect.poll(() => menu.getByRole('link').allTextContents()).toEqual(pages);
    await expect.poll(() => tabs.getByRole('link').allTextContents()).toEqual(['Reports', 'Compiles']);
    expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
  });

  it('keeps what one typed when another one saved the group first', async () => {
    const web = GROUPS[1];
    const page = await open(`/groups/${web?.id}`, 'Groups');
    await page.getByText('Matching nodes: 97').waitFor();
    await page.getByLabel('Description').fill('Mine');
    faked.server.override({
      'POST /classifier-api/v1/groups/*': ({ body }) =>
        (body as { readonly serial_number: number }).serial_number === 7
          ? { status: 409, body: { kind: 'serial-number-conflict', msg: 'The group has changed' } }
          : { body: { ...web, ...(body as object), serial_number: 10 } },
      'GET /classifier-api/v1/groups/*': () => ({
        body: { ...web, serial_number: 9, description: 'Theirs', environment: 'staging' },
      }),
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Somebody else changed this group: description, environment.').waitFor();
    expect(await page.getByLabel('Description').inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Keep mine and save over it' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The group Web servers is saved.').waitFor();
    const saved = faked.server.changes.filter(({ path }) => path.startsWith('/classifier-api/v1/groups/')).at(-1);
    expect(saved?.body).toMatchObject({ serial_number: 9, description: 'Mine' });
  });

  it('looks for matching nodes as one types a rule', async () => {
    const page = await open('/groups/new', 'Groups');
    await page.getByText('Matching nodes: 3').waitFor();
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Fact', { exact: true }).fill('trusted.extensions.pp_role');
    await page.getByLabel('Value').fill('web');
    await page.getByText('Matching nodes: 97').waitFor();
    const asked = faked.server.changes.filter(({ path }) => path === '/understudy/v1/groups/preview').at(-1);
    expect(asked?.body).toMatchObject({ rule: ['and', ['=', ['trusted', 'extensions', 'pp_role'], 'web']] });
  });

  it('shows what a group matches at once, and then the rest', async () => {
    const body = { matching: 40, gained: 40, lost: 0, changed: 40, catalogs: 0, nodes: [], changes: [] };
    const rest = Promise.withResolvers<void>();
    faked.server.override({
      'POST /understudy/v1/groups/preview': ({ query }) => {
        if (query.get('wait') === null) return { body: { ...body, isComplete: false } };
        rest.resolve();
        return { body: { ...body, matching: 900, isComplete: true } };
      },
    });
    const page = await open('/groups/new', 'Groups');
    await rest.promise;
    await page.getByText('Matching nodes: 900').waitFor();
    expect(await page.getByText('The time was over before all nodes were read').count()).toBe(0);
  });

  it('reads a comparison again until all nodes are added up', async () => {
    let reads = 0;
    faked.server.override({
      'GET /understudy/v1/comparisons': () => {
        reads += 1;
        return { body: { ...COMPARISON, isComplete: reads > 2 } };
      },
    });
    const page = await open('/comparison', 'Comparison');
    await page.getByText('Other nodes are being added up.').waitFor();
    await page.getByText('Other nodes are being added up.').waitFor({ state: 'detached' });
    expect(reads).toBe(3);
  });

  it('says that a preview of a group has not read all nodes', async () => {
    faked.server.override({
      'POST /understudy/v1/groups/preview': () => ({
        body: {
          ...{ matching: 900, gained: 60, lost: 10, changed: 70, catalogs: 65 },
          ...{ nodes: ['a.example.com'], changes: [], isComplete: false },
        },
      }),
    });
    const page = await open('/groups/new', 'Groups');
    await page.getByText('Matching nodes: at least 900').waitFor();
    await page.getByText('The time was over before all nodes were read: more may match').waitFor();
    await page.getByText('and 70 more nodes that change').waitFor();
  });

  it('sets parameters of a class by their types, and saves no value that has another type', async () => {
    const page = await open(`/groups/${GROUPS[1]?.id}`, 'Groups');
    const classes = page.getByRole('region', { name: 'Classes' });
    await classes.getByLabel('Parameter of apache').selectOption('port');
    await classes.getByLabel('port', { exact: true }).fill('http');
    await classes.getByText("parameter 'port' expects a Stdlib::Port").waitFor();
    const save = page.getByRole('button', { name: 'Save', exact: true });
    expect(await save.isDisabled()).toBe(true);
    await classes.getByLabel('port', { exact: true }).fill('8080');
    await classes.getByLabel('keepalive', { exact: true }).selectOption('false');
    await classes.getByLabel('Class', { exact: true }).fill('ntp');
    await classes.getByLabel('Class', { exact: true }).press('Enter');
    await classes.getByText('The code of production does not have this class.').waitFor();
    await classes.getByRole('button', { name: 'Remove the class ntp' }).click();
    const variables = page.getByRole('region', { name: 'Variables' });
    await variables.getByLabel('Variable', { exact: true }).fill('zone');
    await variables.getByRole('button', { name: 'Add the variable' }).click();
    await variables.getByLabel('zone', { exact: true }).fill('7');
    await save.click();
    await page.getByText('The group Web servers is saved.').waitFor();
    const saved = faked.server.changes.filter(({ path }) => path.startsWith('/classifier-api/v1/groups/')).at(-1);
    expect(saved?.body).toMatchObject({
      classes: { apache: { keepalive: false, port: 8080 } },
      variables: { tier: 'gold', zone: 7 },
    });
  });

  it('offers facts of the fleet and values that nodes have, while one types a rule', async () => {
    const asked: string[] = [];
    faked.server.override({
      'GET /pdb/query/v4': ({ query }) => {
        const wanted = query.get('query') ?? '';
        asked.push(wanted);
        if (wanted.includes('group_by')) return { body: [{ name: 'os' }, { name: 'kernel' }] };
        if (wanted.includes('fact_paths')) return { body: [{ path: ['os', 'family'] }, { path: ['os', 'a.b'] }] };
        return {
          body: [{ 'facts.os.family': 'Debian' }, { 'facts.os.family': 'RedHat' }, { 'facts.os.family': 'Debian' }],
        };
      },
    });
    const page = await open('/groups/new', 'Groups');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    interface Listed {
      readonly list: { readonly options: Iterable<{ readonly value: string; readonly label: string }> };
    }
    const offered = (label: string) =>
      page.getByLabel(label, { exact: true }).evaluate((input) => {
        const { list } = input as unknown as Listed;
        return [...list.options].map((one) => `${one.value} ${one.label}`.trim());
      });
    await expect.poll(() => offered('Fact')).toContain('fact.kernel');
    await page.getByLabel('Fact', { exact: true }).fill('fact.os.family');
    await expect.poll(() => offered('Value')).toEqual(['Debian 2 of 3 nodes', 'RedHat 1 of 3 nodes']);
    expect(await offered('Fact')).toEqual(expect.arrayContaining(['fact.os.family', 'trusted.extensions.pp_role']));
    // Each query has a limit, whatever the size of the fleet.
    expect(asked.every((query) => query.includes('["limit",'))).toBe(true);
  });

  it('says at what a deploy failed, and links what a roll back would change', async () => {
    faked.server.override({
      'POST /code-manager/v1/deploys': () => ({
        body: [{ environment: 'production', id: 1, status: 'failed', error: { msg: 'web01.example.com would fail' } }],
      }),
    });
    const page = await open('/code', 'Code');
    await page.getByRole('link', { name: 'Deploy production' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deploy production' }).waitFor();
    await page.getByText('is read from its source and put in force for all nodes').waitFor();
    await page.getByText('A node that asks before its new catalog is compiled waits for it.').waitFor();
    await page.getByText('Nodes get their new catalogs at their next run.').waitFor();
    await page.getByText('No dry run was made: how many nodes it touches is not known.').waitFor();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click();
    await page.getByRole('alert').getByText('web01.example.com would fail').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.goBack();
    await page.getByRole('link', { name: /^Roll back production to 5f7a/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Roll production back' }).waitFor();
    await page.getByRole('link', { name: 'Files and nodes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deploy of production' }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe(`?from=3f7a9c2e5b8d1${'0'.repeat(51)}`);
  });

  it('leads from the place of a failure to the code of its deploy, and to more lines', async () => {
    const page = await open('/failures/1111111111111111', 'File[/srv/app/config.yaml]');
    const [place] = await page.locator('.readers a').all();
    const text = (await place?.textContent()) ?? '';
    const [, path = '', line = ''] = /^(.+):(\d+)$/.exec(text) ?? [];
    await place?.click();
    await page.getByRole('heading', { level: 1, name: path.split('/').at(-1) ?? '?' }).waitFor();
    const marked = page.locator('.code-lines [aria-current=true]');
    expect(await marked.textContent()).toContain(Number(line) === 12 ? SCRIPT : `# line ${line} of ${path}`);
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[0-9a-f]{64}$/);
    await page.getByText('not in force').waitFor();
    await page.getByRole('link', { name: 'Lines after' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('middle')).not.toBeNull();
    expect(new URL(page.url()).searchParams.get('line')).toBe(line);
  });

  it('leads from inputs, catalogs and reports to the code, for those who may see it', async () => {
    const page = await open('/nodes/web01.example.com', 'web01.example.com');
    await page.getByRole('link', { name: 'modules/motd/templates/motd.epp:3' }).click();
    await page.getByText('# line 3 of modules/motd/templates/motd.epp').waitFor();
    await page.goto(
      `${faked.server.origin}/console/nodes/web01.example.com/catalog?find=ntp&resource=File%5B%2Fetc%2Fntp.conf%5D`,
    );
    await page.getByRole('link', { name: /modules\/ntp\/manifests\/init\.pp:\d+/ }).click();
    await page.getByRole('heading', { level: 1, name: 'init.pp' }).waitFor();
    expect(new URL(page.url()).searchParams.get('path')).toBe('modules/ntp/manifests/init.pp');
    await open('/reports/web01.example.com/0f5f6c1e-8c75', 'Report');
    await page
      .getByRole('link', { name: /modules\/ntp\/manifests\/init\.pp/ })
      .first()
      .waitFor();
    const permissions = ['console_page:view', 'nodes:view_data'].map((text) => {
      const [object_type, action] = text.split(':');
      return { object_type, action, instance: '*' };
    });
    faked.server.override({ 'GET /console/session': () => ({ body: { ...SESSION, permissions } }) });
    await open('/nodes/web01.example.com', 'web01.example.com');
    await page.getByText('modules/motd/templates/motd.epp:3').waitFor();
    expect(await page.getByRole('link', { name: /motd\.epp:3/ }).count()).toBe(0);
    await open('/code/file/production?path=manifests/site.pp', 'site.pp');
    await page.getByText('You may not see this code.').waitFor();
  });

  it('asks once for a deploy, a stage and a roll back, with what a dry run found', async () => {
    const codeId = `5f7a9c2e5b8d1${'0'.repeat(51)}`;
    const base = '/understudy/v1';
    faked.server.override({
      [`POST ${base}/deploys/stage`]: () => ({ body: {} }),
      [`POST ${base}/environments/*/rollback`]: () => ({ body: {} }),
    });
    const page = await open('/code', 'Code');
    const dialog = page.getByRole('dialog');
    await page.getByRole('row').filter({ hasText: '5f7a9c2e5b8d' }).getByRole('link', { name: 'Dry run' }).click();
    const found = '412 nodes use what changed. By 20 compiled catalogs, 97 change, and 1 fails that compiles now.';
    await page.getByText(found).waitFor();
    await waitForAddress(page, `/code/deploy/production?code=${codeId}`);
    await page.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText(found).waitFor();
    await dialog.getByText('The code 5f7a9c2e5b8d of production is put in force again for all nodes.').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('production is rolled back.').waitFor();
    await waitForAddress(page, '/code');
    await page.getByRole('link', { name: 'Deploy production' }).click();
    await page.getByLabel('Nodes that get it first').selectOption('5%');
    await page.getByText('The newest code of its source is staged for 5 % of the nodes.').waitFor();
    await page.getByRole('button', { name: 'Stage' }).click();
    await dialog.getByRole('button', { name: 'Stage' }).click();
    await page.getByText('The code of production is staged.').waitFor();
    expect(faked.server.changes.map(({ path, body }) => [path, body])).toEqual([
      [`${base}/deploys/preview`, { environment: 'production', codeId }],
      [`${base}/environments/production/rollback`, { codeId }],
      [`${base}/deploys/stage`, { environment: 'production', canaries: { percent: 5 } }],
    ]);
  });

  it('ends a staged deploy, and says why it could not', async () => {
    faked.server.override({
      'POST /understudy/v1/deploys/stage/abort': () => ({ status: 409, body: { message: 'it has ended meanwhile' } }),
    });
    const page = await open('/code', 'Code');
    const panel = page.locator('section, .panel', { hasText: 'Staged deploy of staging' }).last();
    await panel.getByText('for 3 canaries').waitFor();
    await panel.getByText('It waits for somebody: 1 of 3 canaries is worse').waitFor();
    await page.getByRole('button', { name: 'Abort the staged deploy of staging' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
    await page.getByRole('alert').getByText('it has ended meanwhile').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Promote the staged deploy of staging' }).click();
    await page.getByRole('heading', { level: 1, name: 'Promote the staged code of staging' }).waitFor();
    await page.getByText('A node that asks before its new catalog is compiled gets its last good one').waitFor();
    await page.getByText('are run at 2%/min, between 22:00-05:00 Europe/Berlin').waitFor();
    await page.getByRole('button', { name: 'Promote' }).click();
    await page.getByRole('dialog').getByText('3 canaries have, is put in force for all nodes').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await page.getByText('staging has the staged code.').first().waitFor();
    expect(faked.server.changes.at(-1)).toMatchObject({
      path: '/understudy/v1/deploys/stage/promote',
      body: { environment: 'staging' },
    });
  });

  it('shows a node whose run failed, with the way to its report', async () => {
    faked.server.override({
      'GET /understudy/v1/nodes/*': changeNode({ state: 'failing', reportStatus: 'failed' }),
      'GET /understudy/v1/reports': () => ({
        body: [{ certname: 'web01.example.com', status: 'failed', receivedAt: 1, transactionUuid: 'abc', blob: 'b' }],
      }),
    });
    const page = await open('/nodes/web01.example.com', 'web01.example.com');
    await page.locator('.page-lead .badge', { hasText: 'failing' }).waitFor();
    await page.getByRole('link', { name: 'Its report says why' }).click();
    await page.getByRole('heading', { level: 1, name: 'Report' }).waitFor();
    await waitForAddress(page, '/reports/web01.example.com/abc');
  });

  it('says what came of comparing a node with an existing server', async () => {
    const address = 'GET /understudy/v1/nodes/*/comparison';
    const [environment, at] = ['production', 1_760_000_000_000];
    const outcomes: readonly (readonly [FakeAnswer, string])[] = [
      [{ status: 404, body: { message: 'Not Found' } }, 'The node was not compared with another server.'],
      [{ body: { environment, at, outcome: 'equal' } }, 'Both catalogs are the same.'],
      [{ body: { environment, at, outcome: 'failing', message: 'Unknown variable' } }, 'does not compile here'],
      [{ body: { environment, at, outcome: 'unknown', message: 'No facts' } }, 'There was nothing to compare.'],
      [{ status: 500, body: { message: 'Disk failure' } }, 'Could not read the comparison.'],
    ];
    faked.server.override({ [address]: () => outcomes[0]?.[0] ?? 'never' });
    const page = await open('/nodes/web01.example.com/comparison', 'web01.example.com');
    await page.getByText('Live', { exact: true }).waitFor();
    for (const [answer, text] of outcomes) {
      faked.server.override({ [address]: () => answer });
      faked.server.send('node', { certname: 'web01.example.com', state: 'current' });
      await page.getByText(text).waitFor();
    }
    faked.server.reset();
    faked.server.send('node', { certname: 'web01.example.com', state: 'current' });
    await page.getByText('Package[ntp] -> Service[ntp]').waitFor();
    await page.getByLabel('Find a resource').fill('notify');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });

  it('reads again when an event says that something happened', async () => {
    const page = await open('/nodes/web01.example.com/reports', 'web01.example.com');
    await page.getByText('Live', { exact: true }).waitFor();
    faked.server.override({ 'GET /understudy/v1/nodes/*': changeNode({ state: 'stale' }) });
    faked.server.send('node', { certname: 'web02.example.com', state: 'stale' });
    faked.server.send('node', { certname: 'web01.example.com', state: 'stale' });
    await page.locator('.badge', { hasText: 'stale' }).waitFor();
  });

  it('runs a task with typed parameters, and stops the job', async () => {
    const page = await open('/jobs/new?command=task&task=service&nodes=web01.example.com', 'Run a task');
    await page.getByLabel('action (required)').selectOption('restart');
    await page.getByLabel('name (required)').fill('nginx');
    await page.getByLabel('timeout').fill('soon');
    await page.getByText('This is no whole number.').waitFor();
    await page.getByRole('button', { name: 'Run the task', disabled: true }).waitFor();
    await page.getByLabel('timeout').fill('30');
    await page.getByLabel('hooks').fill('["true"]');
    await page.getByRole('button', { name: 'Run the task' }).click();
    await page.getByRole('heading', { level: 1, name: 'Job 58' }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Stop it' }).click();
    await page.getByText('Job 58 is being stopped.').waitFor();
    expect(faked.server.changes.map(({ path, body }) => [path, body])).toEqual([
      [
        '/orchestrator/v1/command/task',
        {
          environment: 'production',
          scope: { nodes: ['web01.example.com'] },
          task: 'service',
          params: { action: 'restart', name: 'nginx', timeout: 30, hooks: ['true'] },
        },
      ],
      ['/orchestrator/v1/command/stop', { job: '58', force: false }],
    ]);
  });

  it('names the command that does the same, with what is filled in', async () => {
    const page = await open('/jobs/new?command=deploy', 'Run Puppet');
    const shown = page.getByText('The same on the command line');
    expect(await shown.count()).toBe(0);
    await page.getByLabel('Certnames').fill('web01.example.com');
    await page.getByLabel('Description').fill("Bob's run");
    await shown.click();
    const command = page.getByRole('group', { name: 'Shell line' });
    const [job, environment] = ['understudy job run --nodes web01.example.com', '--environment production'];
    expect(await command.textContent()).toBe(`${job} ${environment} --description 'Bob'\\''s run'`);
    await page.goto(`${faked.server.origin}/console/code`);
    await page.getByRole('link', { name: 'Promote the staged deploy of staging' }).click();
    await page.getByRole('button', { name: 'Promote' }).click();
    await page.getByRole('dialog').getByText('The same on the command line').click();
    expect(await command.textContent()).toBe('understudy code stage promote staging');
    await page.addScriptTag({ url: AXE_PATH });
    expect(await findAxeViolations(page)).toEqual([]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('dialog').getByRole('button', { name: 'Copy the line for a shell' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('understudy code stage promote staging');
  });

  it('runs a plan with typed parameters, and stops it', async () => {
    const page = await open('/jobs/new?command=plan', 'Run a plan');
    await page.getByLabel('Plan').selectOption('deploy::app');
    await page.getByRole('button', { name: 'Run the plan', disabled: true }).waitFor();
    await page.getByLabel('targets (required)').fill('web01.example.com');
    await page.getByLabel('token (required)').fill('geheim');
    await page.getByRole('button', { name: 'Run the plan' }).click();
    await page.getByRole('heading', { level: 1, name: 'Plan job 63' }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Plan job 63 was stopped.').waitFor();
    expect(faked.server.changes.map(({ path, body }) => [path, body])).toEqual([
      [
        '/orchestrator/v1/command/plan_run',
        {
          plan_name: 'deploy::app',
          params: { targets: 'web01.example.com', token: 'geheim' },
          environment: 'production',
        },
      ],
      ['/orchestrator/v1/command/stop_plan', { plan_job: '63' }],
    ]);
  });

  it('groups the differences of a dry run', async () => {
    const page = await open('/code/deploy/production', 'Deploy production');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('412 nodes use what changed; 20 compiled: 97 change').waitFor();
    await page.getByRole('heading', { name: '96 nodes' }).waitFor();
    await page.getByText('Package[chrony]').waitFor();
    expect(faked.server.changes.at(-1)?.body).toEqual({ environment: 'production' });
  });

  it('adds a source of code, synchronises it, and says what the server refuses', async () => {
    const page = await open('/code/sources', 'Code');
    await page.getByText('https://localhost:8140/understudy/v1/code-sources/control/webhook').waitFor();
    await page.getByRole('button', { name: 'Add a source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('main');
    await dialog.getByLabel('Repository').fill('nowhere');
    faked.server.override({
      'PUT /understudy/v1/code-sources/*': () => ({ status: 400, body: { message: "'nowhere' is no URL" } }),
    });
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').getByText("'nowhere' is no URL").waitFor();
    faked.server.reset();
    await dialog.getByLabel('Repository').fill('https://git.example.com/x.git');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByText('The source main is added.').waitFor();
    await page.getByRole('button', { name: 'Synchronise control' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Synchronise' }).click();
    await page.getByText('control is being fetched.').waitFor();
    expect(faked.server.changes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PUT', '/understudy/v1/code-sources/main', { url: 'https://git.example.com/x.git', prefix: null }],
      ['POST', '/understudy/v1/code-sources/control/sync', {}],
    ]);
  });

  it('turns the pages of reports by their cursors, and begins anew with another filter', async () => {
    const asked: (string | null)[] = [];
    faked.server.override({
      'GET /understudy/v1/reports': ({ query }) => {
        asked.push(query.get('cursor'));
        const rows = Array.from({ length: query.has('cursor') ? 3 : 50 }, (_, index) => ({
          certname: `n${index}.example.com`,
          status: 'changed',
          receivedAt: 1000 - index,
          transactionUuid: `u${index}`,
          blob: 'b',
          cursor: `c${index}`,
        }));
        return { body: rows };
      },
    });
    const page = await open('/reports', 'Reports');
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(4);
    await waitForAddress(page, '/reports?cursor=c49');
    await page.getByLabel('Status').selectOption('failed');
    await waitForAddress(page, '/reports?status=failed');
    await expect.poll(() => page.getByRole('row').count()).toBe(51);
    expect(asked).toEqual([null, 'c49', null]);
  });

  it('rotates a kept value', async () => {
    const page = await open('/code/values?find=postgres', 'Code');
    await page.getByRole('button', { name: /^Rotate / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByText('postgres::password/db01 is rotated.').waitFor();
    const path = '/understudy/v1/environments/production/values/rotate';
    expect(faked.server.changes).toMatchObject([{ path, body: { name: 'postgres::password/db01' } }]);
  });

  it('finds nodes by a query beside the other filters, and says what is wrong with it', async () => {
    const message = 'Bad Request: PQL parse error at line 1, column 8';
    const asked: string[] = [];
    faked.server.override({
      'GET /understudy/v1/nodes': ({ query }) => {
        asked.push(`${query.get('query')} ${query.get('state')}`);
        return query.get('query') === 'nodes {'
          ? { status: 400, body: { message } }
          : { body: { nodes: [], next: null, total: 0 } };
      },
    });
    const page = await open('/nodes?state=stale', 'Nodes');
    await page.getByText('No node matches.').waitFor();
    await page.getByLabel('PQL').fill('nodes {');
    await page.getByRole('alert').getByText(message).waitFor();
    expect(asked).toEqual(['null stale', 'nodes { stale']);
  });

  it('leads from a query of nodes to a job on what it finds', async () => {
    const page = await open('/nodes?query=nodes%20%7B%20%7D', 'Nodes');
    await page.getByRole('link', { name: 'Run on what the query finds' }).click();
    await page.getByRole('heading', { level: 1, name: 'Run Puppet' }).waitFor();
    await expect.poll(() => page.getByLabel('Query (PQL)').inputValue()).toBe('nodes { }');
  });

  it('refuses an answer that is too large for a page', async () => {
    const large = 'x'.repeat(13_000_000);
    faked.server.override({
      'GET /understudy/v1/nodes/*/facts': () => ({ body: { at: 1, facts: { large }, trusted: {} } }),
    });
    const page = await open('/nodes/web01.example.com/facts', 'web01.example.com');
    await page.getByText('The answer is too large for a page. Narrow the filter.').waitFor();
  });

  it('can be used with the keyboard alone', async () => {
    const page = await open('/nodes', 'Nodes');
    await page.getByText('web01.example.com').first().waitFor();
    const idOfFocus = () => page.evaluate('document.activeElement.id');
    await page.keyboard.press('Tab');
    await waitForFocus(page, 'Skip to content');
    await page.keyboard.press('Enter');
    await expect.poll(idOfFocus).toBe('content');
    await page.keyboard.press('Tab');
    await expect.poll(idOfFocus).toBe('choice-state');
    await page.getByRole('link', { name: 'web01.example.com' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'web01.example.com' }).waitFor();
    await page.getByRole('button', { name: 'Run now' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Run Puppet on web01.example.com' }).waitFor();
    await page.keyboard.press('Escape');
    await waitForFocus(page, 'Run now');
  });

  it('chooses columns in a list that closes with Escape, and when the focus goes on', async () => {
    const page = await open('/nodes', 'Nodes');
    const columns = page.getByRole('button', { name: 'Columns' });
    const failure = page.getByRole('columnheader', { name: 'Failure' });
    await failure.waitFor();
    await columns.click();
    await page.locator('.popover').getByText('Failure').click();
    await failure.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await waitForFocus(page, 'Columns');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Failure' }).check();
    await failure.waitFor();
    await page.getByLabel('Name contains').focus();
    await page.getByRole('checkbox', { name: 'Failure' }).waitFor({ state: 'detached' });
  });

  it('has a menu of each row that the keyboard opens, walks and closes', async () => {
    const page = await open('/certificates', 'Certificates');
    const button = page.getByRole('button', { name: 'Actions of web01.example.com' });
    const [revoke, clean] = ['Revoke …', 'Clean …'];
    await button.press('ArrowDown');
    await waitForFocus(page, revoke);
    for (const [key, entry] of [
      ['ArrowDown', clean],
      ['ArrowDown', revoke],
      ['ArrowUp', clean],
      ['Home', revoke],
      ['End', clean],
    ] as const) {
      await page.keyboard.press(key);
      await waitForFocus(page, entry);
    }
    await page.addScriptTag({ url: AXE_PATH });
    expect(await findAxeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await waitForFocus(page, '⋯');
    expect(await page.getByRole('menu').count()).toBe(0);
    await button.press('Enter');
    await page.getByRole('menuitem', { name: clean }).click();
    const dialog = page.getByRole('dialog', { name: 'Clean the certificate of web01.example.com?' });
    await dialog.getByText("The node's catalog, facts and reports stay").waitFor();
    await page.keyboard.press('Escape');
    await waitForFocus(page, '⋯');
    await button.click();
    await page.getByRole('heading', { level: 1 }).click();
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(faked.server.changes).toEqual([]);
  });

  it('signs the requests that match together, and says what came of each', async () => {
    const refusal = "'db12.example.com' has other names: sign it on the server.";
    faked.server.override({
      'PUT /puppet-ca/v1/certificate_status/*': (_, name) =>
        name === 'db12.example.com' ? { status: 409, body: { message: refusal } } : { status: 204, body: null },
    });
    const page = await open('/certificates', 'Certificates');
    await page.getByLabel('Certname contains').fill('example.com');
    await page.getByRole('button', { name: 'Choose all 2' }).click();
    await page.getByRole('button', { name: 'Sign 2 requests' }).click();
    await page.getByRole('dialog').getByText('The same on the command line').click();
    expect(await page.getByRole('group', { name: 'Shell line' }).textContent()).toBe(
      'understudy ca sign web97.example.com db12.example.com --allow-subject-alt-names --allow-authorization-extensions',
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Sign 2' }).click();
    const outcome = page.getByRole('dialog', { name: '1 of 2 requests signed' });
    await outcome.getByText(refusal).waitFor();
    expect(await outcome.getByRole('row').count()).toBe(3);
    expect(faked.server.changes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PUT', '/puppet-ca/v1/certificate_status/web97.example.com', { desired_state: 'signed' }],
      ['PUT', '/puppet-ca/v1/certificate_status/db12.example.com', { desired_state: 'signed' }],
    ]);
  });

  it('keeps the focus in the page when what had it vanishes', async () => {
    const left = ['new1.example.com', 'new2.example.com'];
    faked.server.override({
      'GET /understudy/v1/certificates': ({ query }) => {
        const names = query.get('state') === 'requested' ? left : ['old.example.com'];
        const certificates = names.map((name) => ({ name, state: 'requested', fingerprint: 'AA:BB' }));
        return { body: { isElsewhere: false, certificates, next: null } };
      },
      'DELETE /puppet-ca/v1/certificate_request/*': () => {
        left.shift();
        return { body: null };
      },
    });
    const page = await open('/', 'Overview');
    const focused =
      '(({ tagName, ariaLabel, textContent }) => tagName + " " + (ariaLabel ?? textContent))(document.activeElement)';
    const refuse = async (name: string) => {
      await page.getByRole('button', { name: `Actions of ${name}` }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Refuse' }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
    };
    await page.getByRole('link', { name: 'Certificates', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(focused)).toBe('H1 Certificates');
    await refuse('new1.example.com');
    await expect.poll(() => page.evaluate(focused)).toBe('DIV Certificate requests');
    await refuse('new2.example.com');
    await expect.poll(() => page.evaluate(focused)).toBe('H1 Certificates');
  });
});
