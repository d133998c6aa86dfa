import { expect, it } from 'vitest';
import { linkOf, type SearchKind } from '../../../../../shared/console/client/data/search-links.ts';

const nodes = (pql: string) => `/nodes?query=${encodeURIComponent(pql)}`;

it.each<[SearchKind, string, string]>([
  ['nodes', 'web01.example.com', '/nodes/web01.example.com'],
  ['classes', 'apache::vhost', nodes('resources[certname] { type = "Class" and title = "Apache::Vhost" }')],
  ['resources', 'File[/etc/a"b]', nodes('resources[certname] { type = "File" and title = "/etc/a\\"b" }')],
  ['files', 'modules/a/manifests/init.pp', nodes('resources[certname] { file ~ "/modules/a/manifests/init\\\\.pp$" }')],
  ['files', 'data/common.yaml', '/code/file/staging?path=data%2Fcommon.yaml'],
  ['keys', 'ntp::servers', '/code/keys/staging?key=ntp%3A%3Aservers'],
  ['facts', 'os', '/facts?path=os'],
  ['jobs', '58', '/jobs/58'],
  ['users', 'alice', '/access'],
])('a result of the %s, %j, leads to its page', (kind, name, path) => {
  expect(linkOf(kind, { name, detail: '', environment: 'staging' })).toBe(path);
});
