import { describe, expect, it } from 'vitest';
import { hasBrowser, NARROW, openWindow, WIDE, waitForAddress } from '../helpers/console/browser.ts';
import { FakedConsole, FakedServer } from '../helpers/console/opened-console.ts';

describe.skipIf(!hasBrowser())('the history of the browser', () => {
  const faked = FakedConsole.forBlock();
  const open = (address: string, title: string) => faked.open(address, title);

  it('has an entry for each filter and order that is chosen', async () => {
    const page = await open('/nodes', 'Nodes');
    await page.getByLabel('State', { exact: true }).selectOption('failing');
    await waitForAddress(page, '/nodes?state=failing');
    await page.getByRole('button', { name: 'Last seen' }).click();
    await waitForAddress(page, '/nodes?state=failing&sort=lastSeen');
    await page.goBack();
    await waitForAddress(page, '/nodes?state=failing');
    expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('failing');
    await page.goBack();
    await waitForAddress(page, '/nodes');
    expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('');
  });

  it('has none for each letter that is typed', async () => {
    const page = await open('/queue', 'Queue');
    await page.getByRole('link', { name: 'Nodes', exact: true }).click();
    await waitForAddress(page, '/nodes');
    const search = page.getByLabel('Name contains');
    for (const text of ['w', 'web', 'web0']) {
      await search.fill(text);
      await waitForAddress(page, `/nodes?search=${text}`);
    }
    await page.goBack();
    await waitForAddress(page, '/queue');
    await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
  });

  it('returns to the place in a list, and a new page begins at its top', async () => {
    await faked.page.setViewportSize({ width: 1000, height: 400 });
    const page = await open('/nodes', 'Nodes');
    const link = page.getByRole('link', { name: 'build03.example.com' });
    await link.scrollIntoViewIfNeeded();
    const placeOf = () => page.evaluate<number>('window.scrollY');
    const before = await placeOf();
    expect(before).toBeGreaterThan(100);
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'build03.example.com' }).waitFor();
    expect(await placeOf()).toBe(0);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
    await expect.poll(placeOf).toBe(before);
    await page.reload();
    await expect.poll(placeOf).toBe(before);
    await page.setViewportSize(WIDE);
  });
});

describe.skipIf(!hasBrowser())('texts of the console', () => {
  const faked = FakedServer.forBlock();

  it('names break only behind their dots, also on a phone', async () => {
    const { page, context } = await openWindow(faked.browser, faked.server.origin, NARROW);
    const certname = 'monitoring006.fra.customers.example.com';
    const body = JSON.stringify([{ certname, receivedAt: Date.now(), status: 'failed', environment: 'production' }]);
    await page.route('**/understudy/v1/reports?*', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.goto(`${faked.server.origin}/console/reports`);
    await page.locator('.certname').first().waitFor();
    const broken = await page.evaluate<number>(
      "[...document.querySelectorAll('.unbroken')].filter((part) => new Set([...part.getClientRects()].map(({ top }) => top)).size > 1).length",
    );
    expect(broken).toBe(0);
    await context.close();
  });

  it('ids are put on the clipboard, and times name their zone', async () => {
    const { page, context } = await openWindow(faked.browser, faked.server.origin);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: faked.server.origin });
    await page.goto(`${faked.server.origin}/console/nodes/web01.example.com`);
    await page.getByRole('button', { name: 'Copy the certname' }).click();
    await page.getByText('Copied the certname.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('web01.example.com');
    await page.getByRole('button', { name: 'Copy the code id' }).first().click();
    await page.getByText('Copied the code id.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^[0-9a-f]{64}$/);
    await page.getByText('Times are those of this browser: UTC').waitFor();
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/ UTC$/);
    await context.close();
  });

  it('the list of nodes has no column of failures when there are none', async () => {
    const { page, context } = await openWindow(faked.browser, faked.server.origin);
    await page.goto(`${faked.server.origin}/console/nodes?state=failing`);
    const failures = page.getByRole('columnheader', { name: 'Failure' });
    await failures.waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('volatile');
    await expect.poll(() => failures.count()).toBe(0);
    await context.close();
  });
});
