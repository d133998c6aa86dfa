import { expect, it } from 'vitest';
import { findQueryTopics } from '../../../../shared/inventory/answers/query-topics.ts';
import { readQueryText } from '../../../../shared/inventory/query/query-parameters.ts';

it.each<[string, readonly string[]]>([
  ['nodes[certname] {}', ['nodes']],
  ['nodes[certname] { certname = "a" or certname = "b" }', ['nodes @a', 'nodes @b']],
  ['nodes {}', ['catalogs', 'factsets', 'nodes', 'reports']],
  ['nodes[certname, latest_report_status] {}', ['nodes', 'reports']],
  ['nodes[certname] { report_timestamp > "2026-01-01" }', ['nodes', 'reports']],
  ['facts { name = "os" }', ['facts os', 'nodes']],
  ['facts[certname] { name in ["os", "kernel"] and certname = "a" }', ['facts kernel @a', 'facts os @a', 'nodes @a']],
  ['facts { name = "os" or value = 1 }', ['facts', 'nodes']],
  ['facts { !(name = "os") }', ['facts', 'nodes']],
  ['inventory[certname] { facts.os.family = "Debian" }', ['facts os', 'nodes']],
  [
    'inventory[facts.kernel, count()] { facts.os.family = "x" group by facts.kernel }',
    ['facts kernel', 'facts os', 'nodes'],
  ],
  ['inventory[certname] { facts.match("sd.*").size > 1 }', ['facts', 'nodes']],
  ['inventory[certname] { trusted.extensions.pp_role = "web" }', ['facts trusted', 'nodes']],
  ['inventory { facts.os.family = "Debian" }', ['facts', 'factsets', 'nodes']],
  ['inventory[timestamp] {}', ['factsets', 'nodes']],
  ['resources[title] { type = "Class" and exported = true }', ['nodes', 'resources Class']],
  ['nodes[certname] { resources { type = "Class" and title = "Apache" } }', ['nodes', 'resources Class']],
  [
    'nodes[certname] { certname in facts[certname] { name = "a" } and certname = "n" }',
    ['facts a', 'nodes', 'nodes @n'],
  ],
  [
    '["from","nodes",["extract","certname",["in","certname",["extract","certname",["select_resources",["=","type","File"]]]]]]',
    ['nodes', 'resources File'],
  ],
  ['reports[certname] { status = "failed" }', ['nodes', 'reports']],
  ['packages {}', ['nodes', 'packages']],
  ['environments[name] {}', ['any', 'nodes']],
])('finds what %s depends on', (query, expected) => {
  const topics = findQueryTopics(readQueryText(query, true));
  const shown = topics.map(({ kind, name, certname }) =>
    [kind, ...(name === null ? [] : [name]), ...(certname === null ? [] : [`@${certname}`])].join(' '),
  );
  expect(shown.sort()).toEqual(expected);
});
