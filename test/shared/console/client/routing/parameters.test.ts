import { expect, it } from 'vitest';
import { FIRST_PAGE, withParameters } from '../../../../../shared/console/client/routing/parameters.ts';

it.each([
  ['another order', { sort: '-lastSeen' }, '/nodes?state=stale&sort=-lastSeen'],
  ['another filter', { state: 'failing' }, '/nodes?state=failing'],
  ['a filter that is removed', { state: '' }, '/nodes'],
  ['the first page', FIRST_PAGE, '/nodes?state=stale'],
])('leads to the first page with %s', (_what, changes, address) => {
  const query = new URLSearchParams('state=stale&page=3&cursor=abc&before=7');
  expect(withParameters('/nodes', query, changes)).toBe(address);
});

it('keeps the page when a change names one', () => {
  const query = new URLSearchParams('page=3&cursor=abc');
  expect(withParameters('/nodes', query, { columns: 'state', page: '3' })).toBe(
    '/nodes?page=3&cursor=abc&columns=state',
  );
  expect(withParameters('/nodes', query, { cursor: 'def', page: '4' })).toBe('/nodes?page=4&cursor=def');
});
