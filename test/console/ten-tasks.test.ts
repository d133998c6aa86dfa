import { cpSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OrchestratedSite } from '../e2e/orchestrated-site.ts';
import type { PuppetAgent } from '../e2e/puppet-agent.ts';
import { makeRequest } from '../helpers/certificate-request.ts';
import { findAxeViolations, hasBrowser, keepPicture, keepScreenshot, type Window } from '../helpers/console/browser.ts';
import { type Hand, Keyboard, Mouse } from '../helpers/console/hands.ts';
import { logIn, startWithConsole } from '../helpers/console/opened-console.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { PASSWORD } from './role-stories.ts';

/** A task takes at most so many clicks from the overview; keys are no clicks. */
const MOST_CLICKS = 4;
const WEB = 'web01.example.com';
const DB = 'db01.example.com';
const ADMINISTRATORS = 1;

const WEB_CLASS = `class profile::web {
  notify { "motto \${lookup('motto')}": }
  notify { 'password': message => String(length(lookup('app::password'))) }
}
`;
const DB_CLASS = `class profile::db {
  file { "\${facts['e2e_root']}/data": ensure => file, content => 'ok' }
}
`;
const BROKEN_CLASS = DB_CLASS.replace('/data"', '/missing/data"');
/** The code of the branch. */
const BRANCH_CLASS = DB_CLASS.replace('/data"', `/\${environment}/data"`);
const SITE = `node /^web/ { include profile::web }
node /^db/ { include profile::db }
`;
const DATA = (motto: string) => `---\nmotto: ${motto}\napp::password: hush\n`;
const CHECK = { description: 'Looks at a service', input_method: 'stdin', parameters: {} };

interface World {
  readonly page: Page;
  readonly hand: Hand;
  /** Each hand gives the rights to a user of its own. */
  readonly colleague: string;
  /** Has the agent of the database run. */
  readonly run: () => Promise<unknown>;
}

const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();
const menu = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages of the console' }).getByRole('link', { name, exact: true });

/** The tasks, each from the overview. */
const TASKS: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  [
    'why did web01 change last night',
    async ({ page, hand }) => {
      await hand.search('web01', WEB);
      await heading(page, WEB);
      await hand.press(
        page.getByRole('navigation', { name: 'About the node' }).getByRole('link', { name: 'Compiles' }),
      );
      await row(page, 'data motto of').first().waitFor();
      await hand.press(page.getByRole('link', { name: 'What it changed in the catalog' }));
      await row(page, 'Notify[motto second]').getByText('added').waitFor();
    },
  ],
  [
    'what fails since the deploy of 14:00',
    async ({ page, hand }) => {
      await hand.press(menu(page, 'Failures'));
      await hand.press(row(page, 'missing/data').getByRole('link').first());
      await page.getByRole('heading', { name: 'It began with a deploy' }).waitFor();
      await page.getByRole('link', { name: DB }).waitFor();
    },
  ],
  [
    'which nodes have this kernel',
    async ({ page, hand }) => {
      await hand.search('kernel', 'kernel');
      await heading(page, 'Facts');
      await hand.press(page.getByRole('link', { name: 'Linux' }));
      await row(page, WEB).waitFor();
      await row(page, DB).waitFor();
    },
  ],
  [
    'what would this branch change',
    async ({ page, hand }) => {
      await hand.press(menu(page, 'Code'));
      await hand.press(page.getByLabel('Deploy production', { exact: true }));
      await hand.choose(page.getByLabel('Code', { exact: true }), 'That of feature_x');
      await heading(page, 'Try the code of feature_x on production');
      await hand.press(page.getByRole('button', { name: 'Dry run' }));
      await page
        .getByText(/1 node uses what changed/)
        .first()
        .waitFor();
      await row(page, 'missing/data').getByText('removed').waitFor();
      await row(page, 'feature_x/data').getByText('added').waitFor();
    },
  ],
  [
    'sign 20 requests',
    async ({ page, hand }) => {
      await hand.press(menu(page, 'Certificates'));
      await hand.press(page.getByRole('button', { name: 'Choose all 20' }));
      await hand.press(page.getByRole('button', { name: 'Sign 20 requests' }));
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Sign 20', exact: true }));
      await page.getByRole('dialog').getByRole('heading', { name: '20 of 20 requests signed' }).waitFor();
    },
  ],
  [
    'give a colleague rights on one group only',
    async ({ page, hand, colleague }) => {
      await hand.press(menu(page, 'Groups'));
      await hand.press(page.getByRole('link', { name: 'Databases' }));
      await hand.press(page.getByRole('button', { name: 'Rights' }));
      await hand.type(page.getByRole('dialog').getByLabel('User'), colleague);
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Give' }));
      await page.getByText(`${colleague} has rights on Databases.`).waitFor();
    },
  ],
  [
    "find a secret's readers",
    async ({ page, hand }) => {
      await hand.search('app::password', 'app::password');
      await heading(page, 'app::password');
      await page.getByText('data/common.yaml').waitFor();
      await hand.press(page.getByRole('link', { name: WEB }));
      await row(page, 'app::password').getByText('site/profile/manifests/web.pp:3').first().waitFor();
    },
  ],
  [
    'run a task on what failed',
    async ({ page, hand }) => {
      await hand.press(menu(page, 'Failures'));
      await hand.press(row(page, 'missing/data').getByRole('link', { name: 'Run a task' }));
      await heading(page, 'Run a task');
      await hand.choose(page.getByLabel('Task', { exact: true }), 'profile::check');
      const run = page.getByRole('button', { name: 'Run the task' });
      await expect.poll(() => run.isEnabled()).toBe(true);
      await hand.press(run);
      await heading(page, /Job \d+/);
      await page.locator('.page-lead .badge', { hasText: 'finished' }).waitFor();
      await row(page, DB).first().waitFor();
    },
  ],
  [
    'where is this class used',
    async ({ page, hand }) => {
      await hand.search('profile::web', 'profile::web');
      await heading(page, 'Nodes');
      await row(page, WEB).waitFor();
      await page.getByText('1 node matches').waitFor();
    },
  ],
];

/** The tasks with code that one node has first. */
const CANARY_TASKS: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  [
    'give new code to a canary, and watch it',
    async ({ page, hand, run }) => {
      await hand.press(menu(page, 'Code'));
      await hand.press(page.getByLabel('Deploy production', { exact: true }));
      const [dialog, stage] = [page.getByRole('dialog'), page.getByRole('button', { name: 'Stage', exact: true })];
      await dialog.or(stage).first().waitFor();
      // A page of its own may say before what will happen.
      if (!(await dialog.isVisible())) await hand.press(stage);
      await hand.press(dialog.getByRole('button', { name: /^(Deploy|Stage)$/ }));
      await row(page, DB).getByText('waiting').waitFor();
      await run();
      await row(page, DB).getByText('worse').waitFor();
    },
  ],
  [
    'roll the canary back',
    async ({ page, hand }) => {
      await hand.press(menu(page, 'Code'));
      await hand.press(page.getByRole('button', { name: 'Abort the staged deploy of production' }));
      await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Abort' }));
      await page.getByText('The staged code of production is taken back.').waitFor();
    },
  ],
];

describe.skipIf(!hasBrowser() || !hasPuppet())('ten tasks of an operator', () => {
  let site: OrchestratedSite;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let origin: string;
  let db: PuppetAgent;

  beforeAll(async () => {
    site = await OrchestratedSite.create({
      'manifests/site.pp': SITE,
      'data/common.yaml': DATA('first'),
      'site/profile/manifests/web.pp': WEB_CLASS,
      'site/profile/manifests/db.pp': DB_CLASS,
      'site/profile/tasks/check.json': JSON.stringify(CHECK),
      'site/profile/tasks/check.sh': '#!/bin/sh\ncat\n',
    });
    const password = await site.access.hash(PASSWORD);
    for (const [login, roleIds] of [['alice', [ADMINISTRATORS]] as const, ['bea', []] as const, ['ben', []] as const]) {
      await site.access.accounts.create({ email: '', isGroup: false, password, login, displayName: login, roleIds });
    }
    ({ browser, window, page, origin } = await startWithConsole(site));
    await page.goto(`${origin}/console/`);
    await logIn(page, 'alice', PASSWORD);
    await heading(page, 'Overview');
    await playMorning();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepPicture(page, `failed-${task.name.replaceAll(/\W+/g, '-')}`);
  });

  /** Asks an API as the page does. */
  async function ask<T>(path: string, method = 'GET', body: unknown = null): Promise<T> {
    const headers = "{ 'X-Understudy-Console': '1', 'Content-Type': 'application/json' }";
    const sent = body === null ? '' : `, body: ${JSON.stringify(JSON.stringify(body))}`;
    return page.evaluate<T>(
      `fetch('${path}', { method: '${method}', headers: ${headers}${sent} }).then((answer) => answer.json())`,
    );
  }

  async function readCode(): Promise<string> {
    return (await readCodes()).get('production') ?? '';
  }

  /** The code in force of each environment. */
  async function readCodes(): Promise<ReadonlyMap<string, string>> {
    const { environments } = await ask<{ environments: { name: string; codeId: string }[] }>(
      '/understudy/v1/environments',
    );
    return new Map(environments.map(({ name, codeId }) => [name, codeId]));
  }

  /** Pushes a branch of production, as an environment of its own. */
  async function deployBranch(path: string, text: string): Promise<void> {
    const folder = join(site.controlRepo.directory, 'environments');
    cpSync(join(folder, 'production'), join(folder, 'feature_x'), { recursive: true });
    site.controlRepo.write(join('../feature_x', path), text);
    while (!(await readCodes()).has('feature_x')) await setTimeout(100);
  }

  /** Writes a file of the control repo, and waits until it is deployed. */
  async function deploy(path: string, text: string): Promise<void> {
    const before = await readCode();
    site.controlRepo.write(path, text);
    while ((await readCode()) === before) await setTimeout(100);
  }

  /** Sends twenty requests for certificates, as new agents do. */
  async function sendRequests(prefix: string): Promise<void> {
    const ca = site.authority.certificatePem;
    for (let number = 1; number <= 20; number += 1) {
      const certname = `${prefix}${String(number).padStart(2, '0')}.example.com`;
      const path = `/puppet-ca/v1/certificate_request/${certname}?environment=production`;
      const { request: pem } = await makeRequest(certname);
      const status = await new Promise<number>((resolve, reject) => {
        const headers = { 'Content-Type': 'text/plain', 'Content-Length': pem.length };
        const options = { host: 'localhost', port: site.ports.port, path, method: 'PUT', headers, agent: false, ca };
        const asked = request(options, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
        });
        asked.on('error', reject);
        asked.end(pem);
      });
      if (status !== 200) throw new Error(`the request of ${certname} got ${status}`);
    }
  }

  /** A node whose data changed, and one that fails since a deploy. */
  async function playMorning(): Promise<void> {
    const web = await site.addSignedNode(WEB);
    db = await site.addSignedNode(DB);
    const runBoth = () => Promise.all([web, db].map((agent) => agent.run(site.ports.port)));
    await runBoth();
    await deploy('data/common.yaml', DATA('second'));
    await deploy('site/profile/manifests/db.pp', BROKEN_CLASS);
    await runBoth();
    await deployBranch('site/profile/manifests/db.pp', BRANCH_CLASS);
    await site.connectAgent(db);
    const parent = '00000000-0000-4000-8000-000000000000';
    const group = { name: 'Databases', parent, environment: 'production', classes: {}, variables: {} };
    await ask('/classifier-api/v1/groups', 'POST', { ...group, rule: ['~', 'name', '^db'] });
  }

  const hands: readonly (readonly [string, string, (page: Page) => Hand])[] = [
    ['a mouse', 'bea', (one) => new Mouse(one)],
    ['the keyboard alone', 'ben', (one) => new Keyboard(one)],
  ];
  async function work(task: string, hand: Hand, colleague: string, perform: (world: World) => Promise<void>) {
    await page.goto(`${origin}/console/`);
    await heading(page, 'Overview');
    hand.begin();
    await perform({ page, hand, colleague, run: async () => db.run(site.ports.port) });
    expect(hand.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
    await keepScreenshot(page, `task-${task.replaceAll(/\W+/g, '-')}-${hand.name.replaceAll(' ', '-')}`);
    expect(await findAxeViolations(page)).toEqual([]);
  }

  describe.each(hands)('with %s', (_, colleague, makeHand) => {
    beforeAll(() => sendRequests(colleague));

    it.each(TASKS)('%s', (task, perform) => work(task, makeHand(page), colleague, perform));
  });

  describe('with code of which a policy makes a canary', () => {
    beforeAll(async () => {
      const policy = { stage_canaries: 1, stage_when_worse: 'hold' };
      await ask('/understudy/v1/policies/environments/production', 'PUT', policy);
      await ask('/understudy/v1/environments/production/rollback', 'POST', {});
    });

    describe.each(hands)('with %s', (_, colleague, makeHand) => {
      // A node that fails already is no canary.
      beforeAll(() => db.run(site.ports.port));

      it.each(CANARY_TASKS)('%s', (task, perform) => work(task, makeHand(page), colleague, perform));
    });
  });

  it('caused no error, and sent nothing elsewhere', () => {
    expect(window.faults).toEqual([]);
  });
});
