/** A browser logs in by an identity provider, and out again. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { OrchestratedSite } from '../e2e/orchestrated-site.ts';
import { findAxeViolations, hasBrowser, type Window } from '../helpers/console/browser.ts';
import { startWithConsole } from '../helpers/console/opened-console.ts';
import { type IdentityServer, startIdentityServer } from '../helpers/saml/identity-server.ts';

const VIEWERS = 3;

describe.skipIf(!hasBrowser())('the log-in by an identity provider', () => {
  let site: OrchestratedSite;
  let server: IdentityServer;
  let browser: Browser;
  let window: Window;
  let page: Page;
  let origin: string;

  beforeAll(async () => {
    server = await startIdentityServer({ amari: ['viewers'], jean: ['others'] });
    site = await OrchestratedSite.create({ 'manifests/site.pp': '' });
    ({ browser, window, page, origin } = await startWithConsole(site));
    await site.access.saml.put({
      ...server.provider.settings({ console_url: origin, display_name: 'Example ID' }),
      ...{ idp_sso_url: `${server.origin}/sso`, idp_slo_url: `${server.origin}/slo` },
    });
    const group = { login: 'viewers', email: '', displayName: '', isGroup: true, isRemote: true };
    await site.access.accounts.create({ ...group, roleIds: [VIEWERS], password: null });
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await server?.close();
  });
  afterEach(() => {
    const faults = window.faults.splice(0).filter((fault) => !fault.startsWith(`request: ${server.origin}/`));
    expect(faults).toEqual([]);
  });

  const provider = () => page.getByRole('link', { name: 'Log in with Example ID' });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });

  it('leads to the provider, and back to the page that was wanted', async () => {
    await page.goto(`${origin}/console/nodes?state=failing`);
    await provider().waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await provider().click();
    await page.getByRole('button', { name: 'Continue as amari' }).click();
    await heading('Nodes').waitFor();
    expect(page.url()).toBe(`${origin}/console/nodes?state=failing`);
    await page.getByText('amari Perez').waitFor();
  });

  it('ends at the provider, too', async () => {
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Logged out' }).waitFor();
    expect(server.logOuts).toEqual(['name-of-amari']);
    await page.getByRole('link', { name: 'Back' }).click();
    await provider().waitFor();
  });

  it('says why a user cannot enter, and lets another one', async () => {
    await provider().click();
    await page.getByRole('button', { name: 'Continue as jean' }).click();
    await page.getByRole('alert').getByText('none of your groups has a role that opens the console').waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await provider().click();
    await page.getByRole('button', { name: 'Continue as amari' }).click();
    await heading('Overview').waitFor();
  });

  it('refuses an answer that the browser brings again', async () => {
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('link', { name: 'Back' }).click();
    await provider().click();
    await page.getByRole('button', { name: 'Continue as amari' }).click();
    await heading('Overview').waitFor();
    await page.goBack();
    const again = page.getByRole('button', { name: 'Continue as amari' });
    await again.or(heading('Overview')).first().waitFor();
    if (await again.isVisible()) {
      await again.click();
      await page.waitForURL(`${origin}/console/**`);
    }
    expect((await window.context.cookies()).filter(({ name }) => name === '__Host-understudy-saml')).toEqual([]);
  });
});
