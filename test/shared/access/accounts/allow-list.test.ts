import { expect, it } from 'vitest';
import { readAllowList } from '../../../../shared/access/accounts/allow-list.ts';

it('has the certname of each line, without comments and empty lines', () => {
  const text = '# those who may do everything\nctl.example.com\n\n  web01.example.com # for a while\r\n#db01\n';
  expect([...readAllowList(text)]).toEqual(['ctl.example.com', 'web01.example.com']);
  expect([...readAllowList('')]).toEqual([]);
});
