import type { Locator, Page } from 'playwright-core';

/** A way to work with the console. Each counts its clicks; keys are none. */
export interface Hand {
  readonly name: string;
  /** Clicks since `begin`. */
  readonly clicks: number;
  /** Forgets the clicks before. */
  begin(): void;
  /** Follows a link, or presses a button. */
  press(target: Locator): Promise<void>;
  /** Types a text into a field; a click where the field has no focus yet counts. */
  type(target: Locator, text: string): Promise<void>;
  /** Chooses an option of a list by the beginning of its words. */
  choose(target: Locator, words: string): Promise<void>;
  /** Opens the search, types a text, and follows the result with this name. */
  search(text: string, result: string): Promise<void>;
}

/** Stops of a page: more of them would be a page without an end. */
const MOST_STOPS = 400;

async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.and(target.page().locator(':focus')).count()) > 0;
}

/** A hand with a mouse: it clicks where something is to be pressed. */
export class Mouse implements Hand {
  readonly name = 'a mouse';
  clicks = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  begin(): void {
    this.clicks = 0;
  }

  async press(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  async type(target: Locator, text: string): Promise<void> {
    await target.waitFor();
    if (!(await hasFocus(target))) await this.press(target);
    await this.#page.keyboard.type(text);
  }

  async choose(target: Locator, words: string): Promise<void> {
    this.clicks += 1;
    await target.selectOption({ label: words });
  }

  async search(text: string, result: string): Promise<void> {
    await this.press(this.#page.getByRole('button', { name: 'Search' }));
    await this.type(this.#page.getByRole('dialog').getByRole('searchbox'), text);
    await followResult(this.#page, result);
  }
}

/** A hand with a keyboard alone: it goes from stop to stop with Tab. */
export class Keyboard implements Hand {
  readonly name = 'the keyboard alone';
  readonly clicks = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  begin(): void {}

  async press(target: Locator): Promise<void> {
    await this.#reach(target);
    await this.#page.keyboard.press('Enter');
  }

  async type(target: Locator, text: string): Promise<void> {
    await this.#reach(target);
    await this.#page.keyboard.type(text);
  }

  async choose(target: Locator, words: string): Promise<void> {
    await target.locator('option', { hasText: words }).waitFor({ state: 'attached' });
    await this.#reach(target);
    await this.#page.keyboard.type(words);
  }

  async search(text: string, result: string): Promise<void> {
    await this.#page.keyboard.press('/');
    await this.#page.getByRole('dialog').getByRole('searchbox').waitFor();
    await this.#page.keyboard.type(text);
    await followResult(this.#page, result);
  }

  /** Goes on with Tab until the target has the focus. Fails when no stop is the target. */
  async #reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stops = 0; stops < MOST_STOPS; stops += 1) {
      if (await hasFocus(target)) return;
      await this.#page.keyboard.press('Tab');
    }
    throw new Error(`no Tab leads to ${target}`);
  }
}

/** Goes down to a result of the search by arrows, and follows it. */
async function followResult(page: Page, name: string): Promise<void> {
  const result = page.getByRole('dialog').getByRole('link', { name }).first();
  await result.waitFor();
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await hasFocus(result)) break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
}
