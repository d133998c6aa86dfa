import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NodeAgent } from '../e2e/node-agent.ts';
import { OrchestratedSite } from '../e2e/orchestrated-site.ts';
import { PuppetAgent } from '../e2e/puppet-agent.ts';
import {
  findAxeViolations,
  hasBrowser,
  keepPicture,
  keepScreenshot,
  type Window,
  waitForAddress,
} from '../helpers/console/browser.ts';
import { logIn, startWithConsole } from '../helpers/console/opened-console.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { PASSWORD, tellRoleStories, USERS } from './role-stories.ts';

const WEB = 'web1.example.com';
const SECOND = 'web2.example.com';
const SITE = `node default {
  $motto = lookup('motto')
  $port = Integer($facts['e2e_port'])
  # A compile that takes some seconds.
  if $motto == 'slow' { Integer[1, 6000000].each |$n| { $x = $n } }
  notify { "motto \${motto}": }
  notify { 'port': message => "port \${port}" }
}
`;
const RESTART = {
  description: 'Restarts a service',
  input_method: 'stdin',
  parameters: { service: { type: "Enum['nginx', 'ntp']" }, times: { type: 'Integer[1, 3]', default: 1 } },
};

/** Writes down each state that the head of the page shows. */
const NOTE_STATES = `(() => {
  const seen = window.seenStates = [];
  const look = () => {
    const state = document.querySelector('.page-lead .badge')?.lastChild?.textContent;
    if (state && seen.at(-1) !== state) seen.push(state);
  };
  look();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

describe.skipIf(!hasBrowser() || !hasPuppet())('the console of a server with real agents', () => {
  let site: OrchestratedSite;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let origin: string;
  let agent: PuppetAgent;
  let driven: NodeAgent;

  beforeAll(async () => {
    site = await OrchestratedSite.create({
      'manifests/site.pp': SITE,
      'data/common.yaml': '---\nmotto: first\n',
      'site/web/tasks/restart.json': JSON.stringify(RESTART),
      'site/web/tasks/restart.sh': '#!/bin/sh\ncat\n',
    });
    const { accounts } = site.access;
    const password = await site.access.hash(PASSWORD);
    const common = { email: '', isGroup: false, password };
    for (const [login, role] of Object.entries(USERS)) {
      await accounts.create({ ...common, login, displayName: login, roleIds: [role] });
    }
    ({ browser, window, page, origin } = await startWithConsole(site));
    agent = new PuppetAgent(WEB);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const { retryCount = 0 } = task.result;
    await keepPicture(page, `failed-${task.name.replaceAll(/\W+/g, '-')}-${retryCount}`);
    await resumeSession();
  });

  /** Logs in again where a test that failed left no session: the next try and tests need one. */
  async function resumeSession(): Promise<void> {
    await page.goto(`${origin}/console/`);
    const login = page.getByLabel('Login');
    const overview = page.getByRole('heading', { level: 1, name: 'Overview' });
    await login.or(overview).first().waitFor();
    if (await login.isVisible()) await logIn(page, 'alice', PASSWORD);
    await overview.waitFor();
  }

  async function open(address: string, title: string | RegExp): Promise<void> {
    await page.goto(`${origin}/console${address}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

  it('asks for the log-in and leads to the page that was wanted', async () => {
    await page.goto(`${origin}/console/certificates`);
    await logIn(page, 'alice', PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'Certificates' }).waitFor();
    await page.getByText('No request waits.').waitFor();
  });

  it('shows the request of a new agent as it arrives, and signs it', async () => {
    await agent.run(site.ports.port, { e2e_port: '80' });
    await row(WEB).getByText('Sign').waitFor();
    await page.getByRole('button', { name: `Sign ${WEB}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click();
    await page.getByText(`${WEB} has its certificate.`).waitFor();
    await page.getByText('No request waits.').waitFor();
  });

  it('shows the run of the agent live', async () => {
    await open('/nodes', 'Nodes');
    await page.getByText('Live', { exact: true }).waitFor();
    await agent.run(site.ports.port, { e2e_port: '80' });
    await row(WEB).getByText('current').waitFor();
    await row(WEB).getByText('changed').waitFor();
    await page.getByRole('link', { name: WEB }).click();
    await page.getByRole('navigation', { name: 'About the node' }).getByRole('link', { name: 'Reports' }).click();
    await row('changed').first().getByRole('link').click();
    await page.getByText('motto first').first().waitFor();
  });

  it('shows a node become stale and current again when a Hiera value changes', async () => {
    await open(`/nodes/${WEB}/compiles`, WEB);
    await page.locator('.page-lead .badge', { hasText: 'current' }).waitFor();
    await page.evaluate(NOTE_STATES);
    site.controlRepo.write('data/common.yaml', '---\nmotto: slow\n');
    await expect.poll(() => page.evaluate('window.seenStates')).toEqual(['current', 'stale', 'current']);
    site.controlRepo.write('data/common.yaml', '---\nmotto: last\n');
    await page.getByRole('link', { name: 'Inputs' }).click();
    await row('data/common.yaml motto').getByRole('link', { name: 'manifests/site.pp:2' }).click();
    await page.getByRole('heading', { level: 1, name: 'site.pp' }).waitFor();
    expect(await page.locator('.code-lines [aria-current=true]').textContent()).toContain('motto');
    await page.goBack();
    await row('data/common.yaml motto').getByText('manifests/site.pp:2').waitFor();
  });

  it('shows which nodes a change touched, and why these', async () => {
    await open('/why', 'Why');
    await row('in force').getByRole('link', { name: 'Deploy of' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deploy of production' }).waitFor();
    await row(WEB).getByText('data/common.yaml').first().waitFor();
    await keepScreenshot(page, 'real-why-change-wide');
    await open(`/nodes/${WEB}`, WEB);
  });

  it('shows why a node failed, and that it heals', async () => {
    await agent.run(site.ports.port, { e2e_port: 'many' });
    await page.locator('.page-lead .badge', { hasText: 'failing' }).waitFor();
    await page.getByText(/many/).first().waitFor();
    await keepScreenshot(page, 'real-node-failing-wide');
    await agent.run(site.ports.port, { e2e_port: '8080' });
    await page.locator('.page-lead .badge', { hasText: 'current' }).waitFor();
  });

  it('runs a task on nodes, with results, and stops a job', async () => {
    driven = await site.connectAgent(agent);
    // The run that is stopped below goes on while the next tests look at the node.
    driven.facts = { e2e_port: '8080' };
    await open(`/jobs/new?command=task&task=web::restart&nodes=${WEB}`, 'Run a task');
    await page.getByLabel('service (required)').selectOption('nginx');
    await page.getByRole('button', { name: 'Run the task' }).click();
    await page.getByRole('heading', { level: 1, name: /Job \d+/ }).waitFor();
    await page.locator('.page-lead .badge', { hasText: 'finished' }).waitFor();
    await page.getByText('Show', { exact: true }).click();
    await keepScreenshot(page, 'real-job-wide');
    await page.getByText('"service":"nginx","times":1').waitFor();

    const gate = Promise.withResolvers<void>();
    driven.gate = gate.promise;
    await open(`/nodes/${WEB}`, WEB);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await row(WEB).getByText('running').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByLabel('Do not wait for those that run').check();
    await page.getByRole('button', { name: 'Stop it' }).click();
    await page.locator('.page-lead .badge', { hasText: 'stopped' }).waitFor();
    gate.resolve();
  });

  it('shows in a dry run what a roll back would change, and rolls back', async () => {
    await open('/code', 'Code');
    await row('replaced').first().getByRole('link', { name: 'Dry run' }).click();
    await page.getByText('1 change, 0 stay as they are, 0 fail').waitFor();
    await row('Notify[motto slow]').getByText('added').waitFor();
    await row('Notify[motto last]').getByText('removed').waitFor();
    await keepScreenshot(page, 'real-dry-run-wide');
    await page.getByRole('link', { name: 'Code', exact: true }).last().click();
    await row('replaced')
      .last()
      .getByRole('link', { name: /^Roll back/ })
      .click();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('production is rolled back.').waitFor();
    await open(`/nodes/${WEB}/inputs`, WEB);
    await row('data/common.yaml motto').getByText('"first"').waitFor();
  });

  it('finds nodes by a query of their facts', async () => {
    const query = encodeURIComponent('inventory { facts.kernel = "Linux" }');
    await open(`/nodes?query=${query}`, 'Nodes');
    await row(WEB).getByRole('link').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('PQL').fill('inventory { facts.kernel = "windows" }');
    await page.getByText('No node matches.').waitFor();
    await page.getByLabel('PQL').fill('inventory {');
    await page.getByRole('alert').getByText('PQL').waitFor();
  });

  it('creates a group with a rule', async () => {
    await open('/groups/new', 'Groups');
    await page.getByLabel('Name', { exact: true }).fill('Web servers');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    await page.getByLabel('Fact', { exact: true }).fill('fact.e2e_port');
    await page.getByLabel('Value').fill('8080');
    await page.getByLabel('Variable', { exact: true }).fill('tier');
    await page.getByRole('button', { name: 'Add the variable' }).click();
    await page.getByLabel('tier', { exact: true }).fill('gold');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The group Web servers is saved.').waitFor();
    await page.getByRole('link', { name: 'Web servers' }).waitFor();
  });

  it('loses nothing typed when somebody else changes the group meanwhile', async () => {
    await page.getByRole('link', { name: 'Web servers' }).click();
    await page.getByLabel('Description').fill('Mine');
    const address = new URL(page.url()).pathname.replace('/console/groups', '/classifier-api/v1/groups');
    const status = await page.evaluate<number>(
      `fetch('${address}', { method: 'POST', body: '{"description":"Theirs"}', headers: { 'X-Understudy-Console': '1', 'Content-Type': 'application/json' } }).then((answer) => answer.status)`,
    );
    expect(status).toBe(200);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Somebody else changed this group: description.').waitFor();
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Mine');
    await page.getByRole('button', { name: 'Keep mine and save over it' }).click();
    // The message of the test before may still be there, with the same text.
    const saved = page.waitForResponse(
      (answer) => answer.url().endsWith(address) && answer.request().method() === 'POST' && answer.ok(),
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved;
    await page.reload();
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Mine');
  });

  it('runs a task on all nodes of a group', async () => {
    const second = await site.addSignedNode(SECOND);
    await Promise.all([agent, second].map((one) => one.run(site.ports.port, { e2e_port: '8080' })));
    await site.connectAgent(second);
    await page.reload();
    await page.getByText('Matching nodes: 2').waitFor();
    await page.getByRole('link', { name: 'Run Puppet' }).click();
    await page.getByLabel('Command').selectOption('task');
    await page.getByLabel('Task').selectOption('web::restart');
    await page.getByLabel('service (required)').selectOption('ntp');
    await page.getByRole('button', { name: 'Run the task' }).click();
    await page.getByRole('heading', { level: 1, name: /Job \d+/ }).waitFor();
    await page.locator('.page-lead .badge', { hasText: 'finished' }).waitFor();
    await page.getByText('2 finished').waitFor();
    await row(SECOND).getByText('finished').first().waitFor();
    await page.getByRole('link', { name: 'the nodes of a group' }).waitFor();
  });

  it('leads from an ended session to the log-in, and back to the same page', async () => {
    await open('/reports?status=changed', 'Reports');
    await page.evaluate(`fetch('/console/session', { method: 'DELETE', headers: { 'X-Understudy-Console': '1' } })`);
    await page.getByLabel('Certname').fill(WEB);
    await page.getByText('Log in to continue where you were.').waitFor();
    await logIn(page, 'alice', PASSWORD);
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    await waitForAddress(page, `/reports?status=changed&certname=${WEB}`);
  });

  it.each([
    ['overview', '/', 'Overview'],
    ['nodes', '/nodes', 'Nodes'],
    ['reports', '/reports', 'Reports'],
    ['jobs', '/jobs', 'Jobs'],
    ['code', '/code', 'Code'],
    ['code-sources', '/code/sources', 'Code'],
    ['code-values', '/code/values', 'Code'],
    ['comparison', '/comparison', 'Comparison'],
    ['backup', '/backup', 'Backup'],
    ['node-comparison', `/nodes/${WEB}/comparison`, WEB],
    ['node-groups', `/nodes/${WEB}/groups`, WEB],
    ['groups', '/groups', 'Groups'],
    ['certificates', '/certificates', 'Certificates'],
    ['queue', '/queue', 'Queue'],
    ['access', '/access', 'Access'],
    ['access-roles', '/access/roles', 'Access'],
    ['access-tokens', '/access/tokens', 'Access'],
    ['why', '/why', 'Why'],
    ['node-inputs', `/nodes/${WEB}/inputs`, WEB],
    ['node-facts', `/nodes/${WEB}/facts`, WEB],
    ['node-catalog', `/nodes/${WEB}/catalog`, WEB],
    ['node-difference', `/nodes/${WEB}/difference`, WEB],
    ['node-history', `/nodes/${WEB}/compiles`, WEB],
  ])('shows %s of the real server without a fault', async (name, address, title) => {
    await open(address, title);
    await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
    await keepScreenshot(page, `real-${name}-wide`);
    expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    expect(await findAxeViolations(page)).toEqual([]);
  });

  tellRoleStories(() => ({ page, driven, certname: WEB, open, row }));

  it('caused no error, sent nothing elsewhere and ran no script of others', () => {
    expect(window.faults).toEqual([]);
  });
});
