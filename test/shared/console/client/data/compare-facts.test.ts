import { expect, it } from 'vitest';
import { compareFacts } from '../../../../../shared/console/client/data/compare-facts.ts';

it('joins the facts of two nodes by their paths', () => {
  const first = { os: { name: 'Debian', release: { major: '12' } }, cores: 4, dns: ['a', 'b'], gone: null };
  const second = { os: { name: 'Debian', release: { major: '13' } }, cores: 4, dns: ['a'], added: true };
  expect(compareFacts(first, second)).toEqual([
    { path: 'added', first: null, second: 'true' },
    { path: 'cores', first: '4', second: '4' },
    { path: 'dns.0', first: 'a', second: 'a' },
    { path: 'dns.1', first: 'b', second: null },
    { path: 'gone', first: 'null', second: null },
    { path: 'os.name', first: 'Debian', second: 'Debian' },
    { path: 'os.release.major', first: '12', second: '13' },
  ]);
});

it('orders numbers in paths by their value', () => {
  const facts = { disks: Object.fromEntries([2, 10, 1].map((disk) => [`sd${disk}`, disk])) };
  expect(compareFacts(facts, {}).map(({ path }) => path)).toEqual(['disks.sd1', 'disks.sd2', 'disks.sd10']);
});
