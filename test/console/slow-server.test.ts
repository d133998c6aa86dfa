import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, keepScreenshot, measureOverflow, openWindow } from '../helpers/console/browser.ts';
import { FakedServer } from '../helpers/console/opened-console.ts';

/** A page of each kind: its address, and a text that its answers bring. */
const PAGES: readonly (readonly [address: string, text: string])[] = [
  ['/', 'Deploy of staging'],
  ['/nodes', 'web01.example.com'],
  ['/nodes/web01.example.com', 'value of the parameter servers of Class[Ntp]'],
  ['/failures', 'expects an Integer value'],
  ['/facts?path=os.name', '2,904'],
  ['/query?query=inventory%7B%7D', '140 rows'],
  ['/reports', 'db01.example.com'],
  ['/jobs', 'Before the release'],
  ['/code', 'staging'],
  ['/code/deploy/production', 'No dry run was made.'],
  ['/groups', 'Web servers'],
  ['/certificates', 'old07.example.com'],
  ['/queue', 'build09.example.com'],
  ['/comparison', 'PuppetDB has no catalog of the node'],
  ['/access', 'carol'],
  ['/why', 'Deploy of staging'],
];
/** The opacity of the first words about the state of an answer. */
const OPACITY = "getComputedStyle(document.querySelector('.skeleton-text, [role=alert]')).opacity";
/** Presses each button for it: a page that asked again by itself has none any more. */
const TRY_AGAIN = `for (const button of document.querySelectorAll('main button')) {
  if (button.textContent === 'Try again') button.click();
}`;
const APIS = /\/(?:understudy|orchestrator|classifier-api|rbac-api|puppet-ca|pdb|code-manager)\//;
const LOOKS = [
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 900, height: 900, colorScheme: 'dark' },
] as const;

describe.skipIf(!hasBrowser())('a server that is slow or silent', () => {
  const faked = FakedServer.forBlock();

  /** Opens all pages beside each other: they wait together. */
  function openAll(
    context: BrowserContext,
  ): Promise<readonly (readonly [page: Page, address: string, text: string])[]> {
    return Promise.all(
      PAGES.map(async ([address, text]) => {
        const page = await context.newPage();
        await page.goto(`${faked.server.origin}/console${address}`);
        return [page, address, text] as const;
      }),
    );
  }

  it.each(LOOKS)('has words for what is read, then a fault with a way out: $width pixels', async (look) => {
    const { context } = await openWindow(faked.browser, faked.server.origin, look);
    let isSilent = true;
    await context.route(APIS, async (route) => {
      if (!isSilent) await route.fallback();
    });
    const found: string[] = [];
    const keepLook = async (page: Page, address: string, state: string) => {
      await keepScreenshot(page, `${state}-${look.width}${address.replaceAll(/\W+/g, '-')}`);
      const overflow = await measureOverflow(page);
      if (overflow > 0) found.push(`${address}, ${state}: ${overflow} pixels wider than the window`);
    };
    const pages = await openAll(context);
    for (const [page, address] of pages) {
      const words = page.locator('.skeleton-text').or(page.getByRole('alert')).first();
      await words.waitFor({ state: 'attached' });
      await expect.poll(() => page.evaluate(OPACITY)).toBe('1');
      if (!/^Reading |did not answer/.test(await words.innerText())) found.push(`${address}: no sentence`);
      await keepLook(page, address, 'slow');
    }
    for (const [page, address] of pages) {
      await page.locator('main').getByRole('alert').filter({ hasText: 'did not answer within' }).first().waitFor();
      await keepLook(page, address, 'silent');
    }
    expect(found).toEqual([]);
    isSilent = false;
    for (const [page, , text] of pages) {
      await expect
        .poll(async () => {
          await page.evaluate(TRY_AGAIN);
          return page.getByText(text).count();
        })
        .toBeGreaterThan(0);
    }
    await context.close();
  });
});
