import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  findAxeViolations,
  hasBrowser,
  keepScreenshot,
  type Look,
  makePicture,
  measureLayoutShift,
  measureOverflow,
  NARROW,
  openWindow,
  WIDE,
  waitForAddress,
} from '../helpers/console/browser.ts';
import { AXE_PATH } from '../helpers/console/fake-console.ts';
import { FLEET } from '../helpers/console/fleet-fixtures.ts';
import { FakedServer } from '../helpers/console/opened-console.ts';
import { SCRIPT } from '../helpers/console/overview-fixtures.ts';

/** Each page: its name, its address, its h1, and a text that is there when all is read. */
const PAGES: readonly (readonly [string, string, string, string])[] = [
  ['overview', '/', 'Overview', 'Deploy of staging'],
  ['overview-queue', '/?measure=queue', 'Overview', 'oldest job'],
  ['nodes', '/nodes', 'Nodes', 'web01.example.com'],
  ['nodes-failing', '/nodes?state=failing&sort=-lastSeen', 'Nodes', '2 resources failed'],
  ['failures', '/failures', 'Failures', 'expects an Integer value'],
  ['failures-closed', '/failures?state=closed', 'Failures', 'config.yaml'],
  ['failure', '/failures/1111111111111111', 'File[/srv/app/config.yaml]', 'and 12 more'],
  ['failure-staged', '/failures/2222222222222222', 'Failure', 'db14.example.com'],
  ['failure-odd', '/failures/3333333333333333', 'Exec', 'It did not begin with a deploy'],
  ['nodes-query', '/nodes?query=nodes%20%7B%20%7D', 'Nodes', 'Run on what the query finds'],
  ['nodes-rows', '/nodes?query=nodes%5Bcertname%5D%20%7B%20%7D&show=rows', 'Nodes', 'catalog_environment'],
  ['facts', '/facts?find=os', 'Facts', 'There are more'],
  ['facts-values', '/facts?path=os.name', 'Facts', '2,904'],
  [
    'facts-compared',
    '/facts/compare?a=web01.example.com&b=web02.example.com&show=all',
    'Compare facts',
    'values differ',
  ],
  ['query', '/query', 'Query', 'Nodes by operating system'],
  ['query-rows', '/query?query=inventory%7B%7D&by=facts.os.name', 'Query', '4 values'],
  ['query-table', '/query?query=inventory%7B%7D&sort=-certname', 'Query', '140 rows'],
  ['query-many', '/query?query=inventory%7Bevery%3D1%7D&by=facts.os.name', 'Query', '900'],
  ['query-refused', '/query?query=nodes%20%7B%20certname%20%3D%20%7D', 'Query', 'The query is refused.'],
  ['node-inputs', '/nodes/web01.example.com', 'web01.example.com', 'value of the parameter servers of Class[Ntp]'],
  ['node-failed', '/nodes/db03.example.com', 'db03.example.com', 'Its report says why'],
  ['node-facts', '/nodes/web01.example.com/facts', 'web01.example.com', 'puppetversion'],
  [
    'node-facts-found',
    '/nodes/web01.example.com/facts?find=10.20',
    'web01.example.com',
    'networking.interfaces.eth0.ip',
  ],
  [
    'node-catalog',
    '/nodes/web01.example.com/catalog?find=ntp&resource=File%5B%2Fetc%2Fntp.conf%5D',
    'web01.example.com',
    'is notified by it',
  ],
  ['node-difference', '/nodes/web01.example.com/difference', 'web01.example.com', 'server 0.debian.pool.ntp.org'],
  ['node-comparison', '/nodes/web01.example.com/comparison', 'web01.example.com', '12 more changes have no room'],
  ['node-groups', '/nodes/web01.example.com/groups', 'web01.example.com', 'keepalive'],
  ['node-reports', '/nodes/web01.example.com/reports', 'web01.example.com', 'unchanged'],
  ['node-history', '/nodes/web01.example.com/compiles', 'web01.example.com', 'Hiera key ntp::servers'],
  ['reports', '/reports', 'Reports', 'db01.example.com'],
  ['reports-found', '/reports?message=space', 'Reports', 'as the inventory knows them'],
  ['report', '/reports/web01.example.com/0f5f6c1e-8c75', 'Report', 'Could not find command'],
  ['jobs', '/jobs', 'Jobs', 'Before the release'],
  ['jobs-scheduled', '/jobs/scheduled', 'Jobs', 'Nightly run of the web servers'],
  ['plan-jobs', '/jobs/plans', 'Jobs', 'deploy::app: Evening release'],
  ['plan-job', '/jobs/plans/61', 'Plan job 61', 'Drained web01.example.com'],
  ['plan-new', '/jobs/new?command=plan&plan=deploy::app', 'Run a plan', 'one node after the other'],
  ['job', '/jobs/58', 'Job 58', 'nginx.service failed'],
  ['job-order', '/jobs/58/order', 'Job 58', 'Level 2'],
  ['job-events', '/jobs/58/events', 'Job 58', 'Finished on web01.example.com'],
  ['job-new', '/jobs/new?nodes=web01.example.com', 'Run Puppet', 'Nodes at a time'],
  ['task-new', '/jobs/new?command=task&task=service', 'Run a task', 'Kill processes that do not end'],
  ['code', '/code', 'Code', 'staging'],
  ['code-sources', '/code/sources', 'Code', "branch 'broken' was not deployed"],
  ['code-values', '/code/values', 'Code', 'postgres::password'],
  ['key-readers', '/code/keys/production?key=app::password', 'app::password', 'web50.example.com'],
  ['code-file', '/code/file/production?path=modules/app/manifests/init.pp&line=12', 'init.pp', 'Lines after'],
  ['code-deploy', '/code/deploy/production', 'Deploy production', 'No dry run was made.'],
  ['code-dry-run', '/code/deploy/production?run=now', 'Deploy production', 'Package[chrony]'],
  ['code-promote', `/code/deploy/staging?code=3f7a9c2e5b8d1${'0'.repeat(51)}`, 'staging', 'Files and nodes'],
  ['groups', '/groups', 'Groups', 'Web servers'],
  ['group', '/groups/fc500c43-5065-469b-91fc-37ed0e500e81', 'Groups', 'Matching nodes: 97'],
  ['group-new', '/groups/new', 'Groups', 'Matching nodes: 3'],
  ['certificates', '/certificates', 'Certificates', 'old07.example.com'],
  ['queue', '/queue', 'Queue', 'build09.example.com'],
  ['comparison', '/comparison', 'Comparison', 'PuppetDB has no catalog of the node'],
  ['backup', '/backup', 'Backup', 'The last backup is older than a week'],
  ['access', '/access', 'Access', 'carol'],
  ['access-roles', '/access/roles', 'Access', 'Run jobs and change groups'],
  ['access-tokens', '/access/tokens', 'Access', 'deploy-pipeline'],
  ['why', '/why', 'Why', 'Deploy of staging'],
  ['why-change', '/why/production/3f7a9c2e5b8d1?from=4f7a9c2e5b8d1', 'Deploy of production', 'db01.example.com'],
  ['why-groups', '/why?kind=groups', 'Why', 'Web servers'],
  ['why-group-change', '/why/change/g-17/nodes', 'Change', 'and 95 more'],
  ['not-found', '/nowhere', 'Not found', 'There is no such page.'],
  ['no-such-tab', '/nodes/web01.example.com/history', 'Not found', 'There is no such page.'],
];
/** How far a page may shift while it loads. */
const MOST_SHIFT = 0.1;
/** With each, another width that the page has to fit into. */
const LOOKS: readonly (readonly [string, Look, number])[] = [
  ['wide', WIDE, 900],
  ['narrow', NARROW, 390],
];

describe.skipIf(!hasBrowser())('pages of the console', () => {
  const faked = FakedServer.forBlock();
  afterEach(() => faked.server.reset());

  it.each(LOOKS)('are accessible, fit, and send nothing elsewhere: %s', async (look, settings, other) => {
    const { page, context, faults } = await openWindow(faked.browser, faked.server.origin, settings);
    const found: string[] = [];
    for (const [name, address, title, text] of PAGES) {
      await page.goto(`${faked.server.origin}/console${address}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.getByText(text).first().waitFor();
      const shift = await measureLayoutShift(page);
      if (shift > MOST_SHIFT) found.push(`${name}: its layout shifted by ${shift}`);
      await keepScreenshot(page, `${name}-${look}`);
      await page.addScriptTag({ url: AXE_PATH });
      found.push(...(await findAxeViolations(page)).map((violation) => `${name}: ${violation}`));
      const overflow = await measureOverflow(page);
      const made = await page.evaluate<number>('document.querySelectorAll("img[src=x], body script").length');
      if (made > 0) found.push(`${name}: a text became an element`);
      if (overflow > 0) found.push(`${name}: ${overflow} pixels wider than the window`);
      await page.setViewportSize({ width: other, height: settings.height });
      const atOther = await measureOverflow(page);
      if (atOther > 0) found.push(`${name}: ${atOther} pixels wider than a window of ${other}`);
      await page.setViewportSize({ width: settings.width, height: settings.height });
      if (look === 'wide') found.push(...(await findViolationsInTheDark(page, name)));
    }
    expect([...found, ...faults]).toEqual([]);
    await context.close();
  });

  /** Only colours differ in the dark: the page need not load again for them. */
  async function findViolationsInTheDark(page: Page, name: string): Promise<readonly string[]> {
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepScreenshot(page, `${name}-dark`);
    const violations = await findAxeViolations(page, 'contrast');
    await page.emulateMedia({ colorScheme: 'light' });
    return violations.map((violation) => `${name}: dark: ${violation}`);
  }

  it.runIf(process.env.UPDATE_FIXTURES === '1')('make the pictures of the documentation', async () => {
    const { page, context } = await openWindow(faked.browser, faked.server.origin);
    const quote = (text: string) => JSON.stringify(text).slice(1, -1);
    // Some values are JSON in JSON.
    const [once, twice] = [quote(SCRIPT), quote(quote(SCRIPT))];
    const tame = Object.entries(FLEET).map(([key, route]): readonly [string, typeof route] => [
      key,
      (...request) =>
        JSON.parse(
          JSON.stringify(route(...request))
            .replaceAll(twice, 'ci')
            .replaceAll(once, 'ci'),
        ),
    ]);
    faked.server.override(Object.fromEntries(tame));
    const shown = ['overview', 'node-inputs', 'key-readers', 'query-rows'];
    for (const [name, address, , text] of PAGES.filter(([one]) => shown.includes(one))) {
      await page.goto(`${faked.server.origin}/console${address}`);
      await page.getByText(text).first().waitFor();
      await makePicture(page, name);
    }
    await context.close();
  });

  it('ask who it is, say what is wrong, and lead back to the page', async () => {
    const { page, context, faults } = await openWindow(faked.browser, faked.server.origin);
    const refusal = { status: 401, body: { kind: 'unauthenticated', msg: 'The login or the password is wrong.' } };
    faked.server.override({ 'GET /console/session': () => refusal, 'POST /console/session': () => refusal });
    await page.goto(`${faked.server.origin}/console/?kept=1`);
    await page.getByLabel('Login').fill('alice');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('The login or the password is wrong.').waitFor();
    await keepScreenshot(page, 'log-in-wide');
    const violations = await findAxeViolations(page);
    faked.server.reset();
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await waitForAddress(page, '/?kept=1');
    expect(faked.server.changes.map(({ headers }) => headers['x-understudy-console'])).toEqual(['1']);
    expect([...violations, ...faults]).toEqual([]);
    await context.close();
  });
});
