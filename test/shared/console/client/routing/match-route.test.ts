import { expect, it } from 'vitest';
import { matchRoute, pathOf } from '../../../../../shared/console/client/routing/match-route.ts';

it.each([
  ['/nodes', '/nodes/', {}],
  ['/nodes/:certname/:tab?', '/nodes/a.b', { certname: 'a.b' }],
  ['/nodes/:certname/:tab?', '/nodes/a%2Fb/facts', { certname: 'a/b', tab: 'facts' }],
  ['/nodes/:certname', '/nodes', null],
  ['/nodes/:certname', '/nodes/a/b', null],
  ['/nodes/:certname', '/nodes/%E0%A4%A', null],
  ['/', '/nodes', null],
])('matches %s with %s', (pattern, path, parameters) => {
  expect(matchRoute(pattern, path)).toEqual(parameters);
});

it('encodes each part of a path', () => {
  expect(pathOf('nodes', 'a/b c')).toBe('/nodes/a%2Fb%20c');
});
