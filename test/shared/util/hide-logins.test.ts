import { expect, it } from 'vitest';
import { hideLogins } from '../../../shared/util/hide-logins.ts';

it.each([
  ['https://user:secret@host/a.git', 'https://…@host/a.git'],
  ['HTTPS://token@host/a.git', 'HTTPS://…@host/a.git'],
  ['https://user:p@ss@host/a.git', 'https://…@host/a.git'],
  ['https://user:a/b=@host/a.git', 'https://…@host/a.git'],
  ["'https://user:it's@host/a.git' failed", "'https://…@host/a.git' failed"],
  ['https://host/a@b.git', 'https://host/a@b.git'],
  ['https://host:8443/a@b.git', 'https://host:8443/a@b.git'],
  ['https://[::1]:80/a@b.git', 'https://[::1]:80/a@b.git'],
  ['["https://host/a","https://user:secret@host/b"]', '["https://host/a","https://…@host/b"]'],
  ['ssh://git@host/a.git', 'ssh://git@host/a.git'],
  ['ssh://git:secret@host/a.git', 'ssh://git:…@host/a.git'],
  ['postgresql://puppetdb:a/b@host/name', 'postgresql://puppetdb:…@host/name'],
  ['git@host:a.git', 'git@host:a.git'],
])('shows %s as %s', (text, shown) => {
  expect(hideLogins(text)).toBe(shown);
});
