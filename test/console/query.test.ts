import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findAxeViolations, hasBrowser } from '../helpers/console/browser.ts';
import { FakedConsole } from '../helpers/console/opened-console.ts';

describe.skipIf(!hasBrowser())('the page of queries', () => {
  const faked = FakedConsole.forBlock();

  const editor = () => faked.page.getByRole('textbox', { name: 'Query', exact: true });
  const option = (name: string) => faked.page.getByRole('option', { name });

  async function open(query = ''): Promise<void> {
    const rest = query === '' ? '' : `?query=${encodeURIComponent(query)}`;
    await faked.page.goto(`${faked.server.origin}/console/query${rest}`);
    await faked.page.getByRole('heading', { level: 1, name: 'Query' }).waitFor();
    await faked.page.getByText('Nodes by operating system').waitFor();
  }

  it('completes entities, fields and facts by keys alone, and runs the query', async () => {
    await open();
    await editor().focus();
    await faked.page.keyboard.type('inv');
    await option('inventory').waitFor();
    await faked.page.keyboard.press('Enter');
    await faked.page.keyboard.type('[cert');
    await option('certname').waitFor();
    await faked.page.keyboard.press('Enter');
    await faked.page.keyboard.type('] { fac');
    await option('facts.').waitFor();
    expect(await findAxeViolations(faked.page)).toEqual([]);
    await faked.page.keyboard.press('Enter');
    await option('facts.kernelrelease').waitFor();
    await faked.page.keyboard.press('ArrowDown');
    await faked.page.keyboard.press('Enter');
    await faked.page.keyboard.type(' = "6.1" }');
    await faked.page.keyboard.press('Escape');
    expect(await editor().inputValue()).toBe('inventory[certname] { facts.kernelrelease = "6.1" }');
    await faked.page.keyboard.press('Control+Enter');
    await faked.page.getByText('140 rows').waitFor();
    expect(new URL(faked.page.url()).searchParams.get('query')).toBe(
      'inventory[certname] { facts.kernelrelease = "6.1" }',
    );
    expect(await editor().evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  });

  it('opens the list with Ctrl and Space, and closes it with Escape', async () => {
    await open();
    await editor().focus();
    await faked.page.keyboard.press('Control+Space');
    await option('nodes').waitFor();
    await faked.page.keyboard.press('Escape');
    await faked.page.getByRole('listbox').waitFor({ state: 'hidden' });
    await faked.page.keyboard.press('Enter');
    expect(await editor().inputValue()).toBe('\n');
  });

  it('sorts all rows, not those of a page, and saves them as CSV', async () => {
    await open('inventory { }');
    await faked.page.getByText('140 rows').waitFor();
    await faked.page.getByRole('button', { name: 'certname' }).click();
    await faked.page.getByRole('button', { name: 'certname' }).click();
    await faked.page.getByRole('row').nth(1).getByText('web140.example.com').waitFor();
    const [download] = await Promise.all([
      faked.page.waitForEvent('download'),
      faked.page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines).toHaveLength(142);
    expect(lines.slice(0, 2)).toEqual([
      'certname,facts.os.name,facts.processors.count,environment',
      'web140.example.com,"<img src=x onerror=""alert(1)""><script>alert(2)</script>",4,production',
    ]);
  });

  it('has the inventory count all rows where more match than are shown', async () => {
    await open('inventory { every = 1 }');
    await faked.page.getByText('The first 1,000 rows; there are more.').waitFor();
    await faked.page.getByLabel('Show').selectOption('facts.os.name');
    await faked.page.getByRole('group', { name: 'Rows by facts.os.name' }).getByText('900').waitFor();
  });

  it('shows the place of a mistake, and forgets it when the query is mended', async () => {
    await open('nodes { certname = }');
    await faked.page.getByText('The query cannot be read at line 1, column 20.').waitFor();
    expect(await faked.page.locator('mark').textContent()).toBe('}');
    expect(await editor().getAttribute('aria-invalid')).toBe('true');
    await editor().fill('nodes { certname = "a" }');
    expect(await editor().getAttribute('aria-invalid')).toBe('false');
    await faked.page.keyboard.press('Control+Enter');
    await faked.page.getByText('140 rows').waitFor();
    expect(await faked.page.locator('mark').count()).toBe(0);
  });

  it('saves a query for the user or for all, and deletes one', async () => {
    await open('nodes { }');
    const save = async (name: string, isShared: boolean) => {
      await faked.page.getByRole('button', { name: 'Save', exact: true }).click();
      const dialog = faked.page.getByRole('dialog');
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('For all who may query').setChecked(isShared);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await faked.page.getByText(`The query ${name} is saved.`).waitFor();
    };
    await save('Web & more', false);
    await save('Team', true);
    await faked.page.getByRole('button', { name: 'Delete Kernel below 6.1' }).click();
    await faked.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await faked.page.getByText('The query Kernel below 6.1 is deleted.').waitFor();
    expect(faked.server.changes.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PUT', '/understudy/v1/queries/own/Web%20%26%20more', { query: 'nodes { }' }],
      ['PUT', '/understudy/v1/queries/shared/Team', { query: 'nodes { }' }],
      ['DELETE', '/understudy/v1/queries/own/Kernel%20below%206.1', null],
    ]);
  });

  it('brings a saved query into the editor, and Back the one before', async () => {
    await open('nodes { }');
    await faked.page.getByRole('link', { name: 'Nodes with a class' }).click();
    await expect.poll(() => editor().inputValue()).toContain('type = "Class"');
    await faked.page.goBack();
    await expect.poll(() => editor().inputValue()).toBe('nodes { }');
  });

  it('offers sharing only to whoever may share', async () => {
    faked.server.override({ 'GET /understudy/v1/queries': () => ({ body: { own: [], shared: [], mayShare: false } }) });
    await open('nodes { }');
    await faked.page.getByText('None yet: write one, and press Save.').waitFor();
    await faked.page.getByRole('button', { name: 'Save', exact: true }).click();
    await faked.page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await faked.page.getByLabel('For all who may query').count()).toBe(0);
  });

  it('says that there is no inventory', async () => {
    const msg = 'This server runs without an inventory';
    faked.server.override({ 'GET /pdb/query/v4': () => ({ status: 404, body: { kind: 'not-found', msg } }) });
    await open('nodes { }');
    await faked.page.getByText('There is no inventory here.').waitFor();
    await faked.page.getByText(msg).waitFor();
  });

  it('is not there for whoever may not query', async () => {
    const session = { user: { login: 'bob', display_name: '' }, permissions: [] };
    faked.server.override({ 'GET /console/session': () => ({ body: session }) });
    await faked.page.goto(`${faked.server.origin}/console/query`);
    await faked.page.getByText('You may not query the inventory.').waitFor();
  });
});
