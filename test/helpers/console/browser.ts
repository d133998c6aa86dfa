import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';

/** Debian's packages `chromium-headless-shell`, which needs less of a processor, and `chromium`. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = BROWSERS.find((path) => existsSync(path)) ?? null;
/** Where screenshots go: ignored by git. */
const SCREENSHOTS = join(import.meta.dirname, '..', '..', '..', 'screenshots');
const PICTURES = join(import.meta.dirname, '..', '..', '..', 'docs', 'images');
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Whether the browser is installed. In CI it has to be: then its absence is an error. */
export function hasBrowser(): boolean {
  if (CHROMIUM !== null) return true;
  if (process.env.CI === 'true') throw new Error("No browser: install Debian's package chromium-headless-shell");
  return false;
}

/** So long a browser waits for what a page is to show, as `expect.poll` does. */
const PATIENCE_MS = 120_000;

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];
  return chromium.launch({ executablePath: CHROMIUM ?? '', args, timeout: PATIENCE_MS });
}

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const WIDE: Look = { width: 1280, height: 800, colorScheme: 'light' };
export const NARROW: Look = { width: 360, height: 740, colorScheme: 'light' };

/** A window of its own, and what it noted that no page may cause. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors, refused scripts and styles, requests to other origins, dialogs. */
  readonly faults: string[];
}

/** Opens a window. Everything in it that leaves `origin` is noted. */
export async function openWindow(browser: Browser, origin: string, look: Look = WIDE): Promise<Window> {
  const { width, height, colorScheme } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
    timezoneId: 'UTC',
    locale: 'en-GB',
    // axe is put into the page from outside, which the policy of the page would refuse.
    bypassCSP: false,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) faults.push(`request: ${url}`);
  });
  page.on('dialog', async (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return { page, context, faults };
}

/**
 * Makes a window as good as new, for a fraction of the processor that a new one needs: no cookies,
 * no stored values, no routes, an empty page, and no faults.
 */
export async function renewWindow({ page, context, faults }: Window): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.evaluate('localStorage.clear(); sessionStorage.clear()');
  await page.goto('about:blank');
  await context.clearCookies();
  faults.length = 0;
}

interface AxeNode {
  readonly html: string;
  readonly failureSummary?: string;
}
interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly AxeNode[];
}

/**
 * What axe finds wrong by WCAG 2.2 A and AA and by best practice: rule, element and reason. Where
 * only colours differ from what was looked at before, `contrast` is enough.
 */
export async function findAxeViolations(page: Page, what: 'all' | 'contrast' = 'all'): Promise<readonly string[]> {
  const hasAxe = await page.evaluate('typeof axe !== "undefined"');
  if (hasAxe !== true) await page.evaluate(AXE);
  const all = "'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'";
  const options = `{ resultTypes: ['violations'], runOnly: [${what === 'all' ? all : "'color-contrast'"}] }`;
  const violations = await page.evaluate<readonly AxeViolation[]>(
    `axe.run(document, ${options}).then((result) => result.violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.replaceAll('\n', ' ')}`,
    ),
  );
}

/** Waits for an address of the console: a change of it arrives after the click that caused it. */
export async function waitForAddress(page: Page, address: string): Promise<void> {
  await expect.poll(() => page.url()).toBe(new URL(`/console${address}`, page.url()).href);
}

/** Waits until the element with the focus has this text. */
export async function waitForFocus(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(text);
}

/** How many pixels the page is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** How much of the page moved while it loaded: the sum of the browser's layout shifts. */
export function measureLayoutShift(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) sum += value;
    });
    observer.observe({ type: 'layout-shift', buffered: true });
    // Entries of the past arrive in a task of their own.
    setTimeout(() => done(sum), 50);
  })`);
}

/** Keeps a picture of the whole page, where `SCREENSHOTS=1` asks for pictures. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === '1') await keepPicture(page, name);
}

/** Keeps a picture of the whole page. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Makes a picture of the documentation. */
export async function makePicture(page: Page, name: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 760 });
  await page.screenshot({ path: join(PICTURES, `console-${name}.png`) });
}
