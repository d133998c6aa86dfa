import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { NodeAgent } from '../e2e/node-agent.ts';
import { logIn } from '../helpers/console/opened-console.ts';

/** What stories of roles are told with. */
export interface RoleStage {
  readonly page: Page;
  /** The agent of the node, which is connected. */
  readonly driven: NodeAgent;
  readonly certname: string;
  open(address: string, title: string | RegExp): Promise<void>;
  row(text: string | RegExp): Locator;
}

/** The password of all users. */
export const PASSWORD = 'correct horse battery staple';

/** Users of the standard roles, by the role's id; alice is the administrator. */
export const USERS = { alice: 1, oscar: 2, vera: 3, dora: 4 } as const;

/** Requests that change something, by what they do. */
const ACTS = {
  'run Puppet': ['POST', '/orchestrator/v1/command/deploy', { environment: 'production', scope: { nodes: ['x'] } }],
  'run a task': [
    'POST',
    '/orchestrator/v1/command/task',
    { environment: 'production', task: 'web::restart', params: { service: 'ntp' }, scope: { nodes: ['x'] } },
  ],
  'deploy code': ['POST', '/code-manager/v1/deploys', { environments: ['production'] }],
  'roll back': ['POST', '/understudy/v1/environments/production/rollback', { codeId: 'x' }],
  'add a source': ['PUT', '/understudy/v1/code-sources/x', { url: 'https://git.example.com/x.git' }],
  'create a group': [
    'POST',
    '/classifier-api/v1/groups',
    { name: 'x', parent: '00000000-0000-4000-8000-000000000000', environment: 'production', rule: null, classes: {} },
  ],
  'create a user': ['POST', '/rbac-api/v1/users', { login: 'x', email: '', display_name: '', role_ids: [1] }],
  'change a policy': ['PUT', '/understudy/v1/policies/environments/production', {}],
  'revoke a certificate': ['PUT', '/puppet-ca/v1/certificate_status/x', { desired_state: 'revoked' }],
  'see jobs': ['GET', '/orchestrator/v1/jobs', null],
  'see facts': ['GET', '/understudy/v1/nodes/web1.example.com/facts', null],
} as const;
type Act = keyof typeof ACTS;

/** Names of what changes something, on any page. */
const CHANGING = /^(⋯|(Run|Deploy|Dry run|Roll back|Purge|Sign|Refuse|Revoke|Clean|New|Add|Save|Create|Stop|Rotate)\b)/;

/** Tells a story of each standard role, in the window of the others. */
export function tellRoleStories(stage: () => RoleStage): void {
  async function become(login: string): Promise<void> {
    const { page } = stage();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Understudy' }).waitFor();
    await logIn(page, login, PASSWORD);
    await page.getByRole('navigation', { name: 'Pages of the console' }).waitFor();
  }

  /** Which of the acts the server refuses for want of a permission. */
  async function listRefused(acts: readonly Act[]): Promise<readonly Act[]> {
    const asked = acts.map((act) => ACTS[act]);
    const statuses = await stage().page.evaluate<readonly number[]>(
      `Promise.all(${JSON.stringify(asked)}.map(([method, path, body]) => fetch(path, {
        method, ...(body === null ? {} : { body: JSON.stringify(body) }),
        headers: { 'X-Understudy-Console': '1', 'Content-Type': 'application/json' },
      }).then(({ status }) => status)))`,
    );
    return acts.filter((_, index) => statuses[index] === 403);
  }

  async function listMenu(): Promise<readonly string[]> {
    const menu = stage().page.getByRole('navigation', { name: 'Pages of the console' });
    return menu.getByRole('link').allTextContents();
  }

  /** What changes something on the page that is open. */
  async function listChanging(): Promise<readonly string[]> {
    const main = stage().page.getByRole('main');
    await expect.poll(() => main.locator('.skeleton').count()).toBe(0);
    const texts = await main.locator('button, a.button').allTextContents();
    return texts.filter((text) => CHANGING.test(text));
  }

  it('lets viewers see nodes, facts, reports and jobs, and change nothing', async () => {
    const { page, open, row, certname } = stage();
    await become('vera');
    const menu = [
      'Overview',
      'Nodes',
      'Failures',
      'Facts',
      'Query',
      'Reports',
      'Why',
      'Jobs',
      'Code',
      'Groups',
      'Queue',
      'Comparison',
      'Access',
    ];
    expect(await listMenu()).toEqual(menu);
    const changing: string[] = [];
    for (const [address, title, text] of [
      ['/nodes', 'Nodes', certname],
      [`/nodes/${certname}/facts?find=e2e_port`, certname, 'e2e_port'],
      [`/nodes/${certname}/reports`, certname, 'changed'],
      ['/reports', 'Reports', certname],
      ['/jobs', 'Jobs', 'web::restart'],
      ['/code', 'Code', 'production'],
      ['/groups', 'Groups', 'Web servers'],
      ['/access', 'Access', 'vera'],
    ] as const) {
      await open(address, title);
      await page.getByRole('main').getByText(text).first().waitFor();
      changing.push(...(await listChanging()).map((one) => `${address}: ${one}`));
    }
    expect(changing).toEqual([]);
    await open('/jobs', 'Jobs');
    await row('web::restart').first().getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /Job \d+/ }).waitFor();
    expect(await listChanging()).toEqual([]);
    const acts = Object.keys(ACTS).filter((act): act is Act => !act.startsWith('see'));
    expect(await listRefused(acts)).toEqual(acts);
    expect(await listRefused(['see jobs', 'see facts'])).toEqual([]);
  });

  it('lets operators run Puppet on nodes and deploy code, and neither run tasks nor change users', async () => {
    const { page, driven, open, certname } = stage();
    await become('oscar');
    driven.facts = { e2e_port: '8080' };
    await open(`/nodes/${certname}`, certname);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /Job \d+/ }).waitFor();
    await page.locator('.page-lead .badge', { hasText: 'finished' }).waitFor();
    await open('/jobs', 'Jobs');
    expect(await listChanging()).toEqual(['Run Puppet']);
    await open(`/jobs/new?command=task&task=web::restart&nodes=${certname}`, 'Run a task');
    await page.getByText('You lack the permission tasks:run.').waitFor();
    expect(await page.getByRole('button', { name: 'Run the task' }).isDisabled()).toBe(true);
    await open('/code', 'Code');
    await page.getByRole('link', { name: 'Deploy production' }).waitFor();
    await open('/access', 'Access');
    await page.getByRole('main').getByText('oscar').first().waitFor();
    expect(await listChanging()).toEqual([]);
    const forbidden = ['run a task', 'create a user', 'change a policy'] as const;
    expect(await listRefused(forbidden)).toEqual(forbidden);
    expect(await listRefused(['see jobs', 'see facts'])).toEqual([]);
  });

  it('lets deployers log in, deploy and see the outcome, and see neither jobs nor facts', async () => {
    const { page, open, row, certname } = stage();
    await become('dora');
    expect(await listMenu()).toEqual(['Overview', 'Nodes', 'Reports', 'Why', 'Code', 'Queue', 'Access']);
    await open('/code', 'Code');
    await page.getByRole('link', { name: 'Deploy production' }).click();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click();
    await page.getByText('production is deployed.').waitFor();
    await row('dora').getByText('in force').waitFor();
    await open(`/nodes/${certname}`, certname);
    expect(await listChanging()).toEqual([]);
    const forbidden = [
      ...(['run Puppet', 'run a task', 'create a group', 'create a user', 'change a policy'] as const),
      ...(['revoke a certificate', 'see jobs', 'see facts'] as const),
    ];
    expect(await listRefused(forbidden)).toEqual(forbidden);
  });

  it('lets administrators create a user with a role, who logs in and may do no more than it says', async () => {
    const { page, open, certname } = stage();
    await become('alice');
    expect(await listMenu()).toContain('Certificates');
    await open('/access', 'Access');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Login').fill('nina');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByLabel('Viewers').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The user nina is saved.').waitFor();
    await become('nina');
    await open(`/nodes/${certname}/facts?find=e2e_port`, certname);
    await page.getByRole('main').getByText('e2e_port').first().waitFor();
    expect(await listChanging()).toEqual([]);
    expect(await listRefused(['create a user', 'run Puppet'])).toEqual(['create a user', 'run Puppet']);
  });
}
