import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessService } from '../../shared/access/accounts/access-service.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { LocalProcess } from '../e2e/local-process.ts';
import {
  hasBrowser,
  keepScreenshot,
  type Look,
  launchBrowser,
  measureOverflow,
  openWindow,
  type Window,
} from '../helpers/console/browser.ts';
import { fillFleet } from '../helpers/console/filled-fleet.ts';
import { logIn } from '../helpers/console/opened-console.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { PASSWORD } from './role-stories.ts';

/**
 * Numbers of nodes of the servers that are looked at. `CONSOLE_NODES=0,3,200,100000 SCREENSHOTS=1
 * npx vitest run test/console/fleet-sizes` makes pictures of more.
 */
const SIZES = (process.env.CONSOLE_NODES ?? '0,3').split(',').map(Number);
/** More nodes fill the inventory for minutes. */
const MOST_WITH_INVENTORY = 1000;
const ADMINISTRATORS = 1;

/** Pages that show different things with other numbers of nodes: name, address, h1. */
const PAGES: readonly (readonly [string, string, string])[] = [
  ['overview', '/', 'Overview'],
  ['nodes', '/nodes', 'Nodes'],
  ['failures', '/failures', 'Failures'],
  ['facts', '/facts', 'Facts'],
  ['query', '/query?query=nodes%20%7B%20%7D', 'Query'],
  ['reports', '/reports', 'Reports'],
  ['jobs', '/jobs', 'Jobs'],
  ['job-new', '/jobs/new', 'Run Puppet'],
  ['code', '/code', 'Code'],
  ['sources', '/code/sources', 'Code'],
  ['groups', '/groups', 'Groups'],
  ['certificates', '/certificates', 'Certificates'],
  ['queue', '/queue', 'Queue'],
  ['comparison', '/comparison', 'Comparison'],
  ['backup', '/backup', 'Backup'],
  ['access', '/access', 'Access'],
  ['why', '/why', 'Why'],
];
const WIDTHS = [1440, 900, 390] as const;
const THEMES = ['light', 'dark'] as const;
/** Colours change no measure: dark is looked at in pictures. */
const LOOKS = WIDTHS.flatMap((width) =>
  THEMES.slice(0, process.env.SCREENSHOTS === '1' ? 2 : 1).map((colorScheme): Look => {
    return { width, height: width < 500 ? 844 : 900, colorScheme };
  }),
);

describe.skipIf(!hasBrowser()).each(SIZES)('the console of %i nodes', (count) => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-sizes-'));
  let server: LocalProcess;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    if (count > 0) await fillFleet(data, count, true);
    const stores = openEmbeddedStores(data);
    const access = new AccessService({ ...stores, secrets: systemSecrets });
    const password = await access.hash(PASSWORD);
    const names = { login: 'alice', displayName: 'Alice', email: '', isGroup: false };
    await access.accounts.create({ ...names, password, roleIds: [ADMINISTRATORS] });
    stores.close();
    const port = await findFreePort();
    origin = `https://localhost:${port}`;
    const inventory = count > MOST_WITH_INVENTORY ? [] : ['--puppetdb-port', '0'];
    [server, browser] = await Promise.all([
      LocalProcess.start({ data, flags: ['--console-port', String(port), ...inventory] }),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(look: Look): Promise<Window> {
    const window = await openWindow(browser, origin, look);
    await window.page.goto(`${origin}/console/`);
    await logIn(window.page, 'alice', PASSWORD);
    await window.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return window;
  }

  it.each(LOOKS)('fits into $width pixels, and says where there is nothing: $colorScheme', async (look) => {
    const { page, context, faults } = await open(look);
    const found: string[] = [];
    for (const [name, address, title] of await listPages(page, count)) {
      await page.goto(`${origin}/console${address}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
      await keepScreenshot(page, `${count}-${look.width}-${look.colorScheme}-${name}`);
      found.push(...(await findFlaws(page)).map((flaw) => `${name}: ${flaw}`));
    }
    expect([...found, ...faults]).toEqual([]);
    await context.close();
  });
});

/** The pages, with that of a node where there is one with a long name. */
async function listPages(page: Page, count: number): Promise<typeof PAGES> {
  if (count < 2) return PAGES;
  await page.goto(new URL('/console/nodes?search=billing', page.url()).href);
  const link = page.getByRole('link', { name: /^billing/ }).first();
  const certname = (await link.textContent()) ?? '';
  const tabs = ['', '/facts', '/catalog', '/reports', '/compiles'];
  return [
    ...PAGES,
    ...tabs.map((tab) => [`node${tab.replace('/', '-')}`, `/nodes/${certname}${tab}`, certname] as const),
  ];
}

/** Wider than the window, a table without rows, a name that breaks elsewhere than behind a dot. */
async function findFlaws(page: Page): Promise<readonly string[]> {
  const overflow = await measureOverflow(page);
  const empty = await page.evaluate<readonly string[]>(`[...document.querySelectorAll('main table')]
    .filter((table) => [...table.tBodies].every((body) => body.rows.length === 0))
    .map((table) => table.getAttribute('aria-label') ?? 'table')`);
  return [
    ...(overflow > 0 ? [`${overflow} pixels wider than the window`] : []),
    ...empty.map((name) => `the table '${name}' has no row and no sentence`),
  ];
}
