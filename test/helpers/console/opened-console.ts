import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { OrchestratedSite } from '../../e2e/orchestrated-site.ts';
import { findFreePort } from '../free-port.ts';
import { launchBrowser, openWindow, renewWindow, type Window } from './browser.ts';
import { type FakeConsole, startFakeConsole } from './fake-console.ts';
import { FLEET } from './fleet-fixtures.ts';

/** A window of a browser at a console. */
interface OpenedConsole {
  readonly browser: Browser;
  readonly window: Window;
  readonly page: Page;
  readonly origin: string;
}

/** A console whose answers are fixtures, and a browser without a window, for one block of tests. */
export class FakedServer {
  #server: FakeConsole | undefined;
  #browser: Browser | undefined;

  private constructor() {}

  /** Starts both before the tests of the block that calls it, and ends them after it. */
  static forBlock(): FakedServer {
    const faked = new FakedServer();
    beforeAll(async () => {
      [faked.#server, faked.#browser] = await Promise.all([startFakeConsole(FLEET), launchBrowser()]);
    });
    afterAll(async () => {
      await faked.#browser?.close();
      await faked.#server?.close();
    });
    return faked;
  }

  get server(): FakeConsole {
    if (this.#server === undefined) throw new Error('the console has not started');
    return this.#server;
  }

  get browser(): Browser {
    if (this.#browser === undefined) throw new Error('the browser has not started');
    return this.#browser;
  }
}

/** A console whose answers are fixtures, and a window for the tests of one block. */
export class FakedConsole {
  readonly #started: FakedServer;
  #window: Window | undefined;

  private constructor(started: FakedServer) {
    this.#started = started;
  }

  /**
   * Starts both before the tests of the block that calls it, and ends them after it. Each test gets
   * them as good as new, and fails when the page caused a fault.
   */
  static forBlock(): FakedConsole {
    const started = FakedServer.forBlock();
    const faked = new FakedConsole(started);
    beforeAll(async () => {
      faked.#window = await openWindow(started.browser, started.server.origin);
    });
    afterEach(async () => {
      const faults = [...faked.window.faults];
      await renewWindow(faked.window);
      faked.server.reset();
      expect(faults).toEqual([]);
    });
    return faked;
  }

  get server(): FakeConsole {
    return this.#started.server;
  }

  get window(): Window {
    if (this.#window === undefined) throw new Error('the window is not open');
    return this.#window;
  }

  get page(): Page {
    return this.window.page;
  }

  /** Opens a page, and waits for its title. */
  async open(address: string, title: string | RegExp): Promise<Page> {
    await this.page.goto(`${this.server.origin}/console${address}`);
    await this.page.getByRole('heading', { level: 1, name: title }).waitFor();
    return this.page;
  }
}

/** Starts a site's server with a console and an inventory, and opens a window at it. */
export async function startWithConsole(site: OrchestratedSite): Promise<OpenedConsole> {
  const port = await findFreePort();
  const origin = `https://localhost:${port}`;
  const [browser] = await Promise.all([
    launchBrowser(),
    site.start(['--console-port', String(port), '--puppetdb-port', '0'], false),
  ]);
  const window = await openWindow(browser, origin);
  return { browser, window, page: window.page, origin };
}

/** Fills in the form for the log-in that the page shows. */
export async function logIn(page: Page, login: string, password: string): Promise<void> {
  await page.getByLabel('Login').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}
