import { expect, it } from 'vitest';
import { describeFailures } from '../../../../shared/fleet/previews/message-groups.ts';

const failing = (certname: string, message: string) => ({
  certname,
  message: `${message} on node ${certname}`,
  isNew: true,
});

it('gives one line to nodes whose messages differ in their names alone, the most first', () => {
  const failures = [
    failing('db1.example.com', 'no such class'),
    ...[1, 2, 3, 4, 5, 6].map((number) => failing(`web${number}.example.com`, 'no such file')),
  ];
  expect(describeFailures(failures, 'would fail')).toEqual([
    '6 nodes would fail: no such file on node <certname> (web1.example.com, web2.example.com, web3.example.com, web4.example.com, web5.example.com and 1 more)',
    'db1.example.com would fail: no such class on node db1.example.com',
  ]);
});
