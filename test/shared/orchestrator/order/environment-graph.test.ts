import { describe, expect, it } from 'vitest';
import { readEnvironmentGraph } from '../../../../shared/orchestrator/order/environment-graph.ts';
import { findGroupMembers, orderGroups } from '../../../../shared/orchestrator/order/group-members.ts';

const NAMES = [
  'db1.example.com',
  'db2.example.com',
  'web1.example.com',
  'web2.example.com',
  'mon.example.com',
] as const;
const [DB1, DB2, WEB1, WEB2, MON] = NAMES;

const GRAPH = `
groups:
  web:
    description: Front ends
    nodes: ['web*.example.com']
    after: [database]
  database:
    nodes:
      - db1.example.com
      - '/^db\\d\\./'
  'Shop[eu]':
    nodes: [Mon.Example.com]
    after:
      - web
`;

describe('the environment graph', () => {
  it('puts groups after those that they wait for, and finds their nodes', () => {
    const graph = readEnvironmentGraph(GRAPH);
    expect(graph.groups.map(({ name, after, description }) => [name, after, description])).toEqual([
      ['database', [], ''],
      ['web', ['database'], 'Front ends'],
      ['Shop[eu]', ['web'], ''],
    ]);
    const members = findGroupMembers(graph, NAMES);
    expect(members.map(({ nodes }) => nodes)).toEqual([[DB1, DB2], [WEB1, WEB2], [MON]]);
  });

  it.each([
    ['', [], []],
    ['---\n', [], []],
    ['groups: {}', [], []],
    ['exports: {ignore: [Sshkey, "Nagios::Host"]}', [], ['Sshkey', 'Nagios::Host']],
    ['exports:\n  ignore: all', [], 'all'],
  ])('reads %j', (text, groups, ignoredExports) => {
    expect(readEnvironmentGraph(text)).toEqual({ groups, ignoredExports });
  });

  it.each([
    ['groups: [', '2: did not find expected node content while parsing a flow node at line 2 column 1'],
    ['- a', '1: the file must be a mapping'],
    ['\nnodes: {}', "2: the file has the unknown key 'nodes': it can have groups, exports"],
    ['groups: {}\ngroups: {}', '2: the file has groups twice'],
    ['groups:', '1: groups must be a mapping'],
    ['groups:\n  web:\n', '2: the group web must be a mapping'],
    ['groups:\n  web: {after: []}\n', '2: the group web has no nodes'],
    ['groups:\n  web:\n    nodes: []\n', '3: the group web has no nodes'],
    ['groups:\n  web:\n    nodes: web1\n', '3: nodes of the group web must be a list'],
    ['groups:\n  web:\n    nodes:\n      - {a: b}\n', '4: each of nodes of the group web must be a text'],
    ['groups:\n  web:\n    nodes:\n      -\n', '4: each of nodes of the group web must be a text'],
    [
      'groups:\n  web:\n    nodes: [a]\n    wait: [x]\n',
      "4: the group web has the unknown key 'wait': it can have nodes, after, description",
    ],
    ['groups:\n  web:\n    nodes: [a]\n    after: x\n', '4: after of the group web must be a list'],
    ['groups:\n  web:\n    nodes: [a]\n    after:\n     - x\n', '5: the group web waits for the unknown group x'],
    ['groups:\n  web:\n    nodes: [a]\n    after: [web]\n', '4: the groups have a cycle: web waits for web'],
    [
      'groups:\n  a:\n    nodes: [a]\n    after: [c]\n  b:\n    nodes: [b]\n    after: [a]\n  c:\n    nodes: [c]\n    after: [b]\n',
      '7: the groups have a cycle: a waits for c waits for b waits for a',
    ],
    [
      "groups:\n  'a b':\n    nodes: [a]\n",
      "2: 'a b' is not a name of a group: NAME or NAME[INSTANCE], of letters and digits",
    ],
    ['groups:\n  web:\n    nodes: ["/(/"]\n', expect.stringContaining("3: '/(/' is not a regular expression: ")],
    ['groups:\n  web:\n    nodes: [/x]\n', "3: '/x' is not a regular expression: it must end with a slash"],
    [
      'groups:\n  web:\n    nodes: ["a b"]\n',
      "3: 'a b' is neither a certname, nor a pattern with * or ?, nor a regular expression between slashes",
    ],
    ['groups:\n  web: &x\n    nodes: [a]\n', '2: anchors and tags are not allowed'],
    ['groups:\n  web:\n    nodes: *x\n', '3: nodes of the group web must be a list'],
    ['exports: {ignore: [sshkey]}', "1: 'sshkey' is not a resource type, such as Sshkey or Nagios::Host"],
    ['exports:\n  ignore: none', '2: ignore of exports must be a list'],
    ['['.repeat(100_000), expect.stringMatching(/^1: /)],
  ])('refuses %j', (text, message) => {
    const expected = typeof message === 'string' ? `environment-graph.yaml:${message}` : message;
    let found: unknown = null;
    try {
      readEnvironmentGraph(text);
    } catch (error) {
      found = error instanceof Error ? `${error.message}` : error;
    }
    if (typeof message === 'string') expect(found).toBe(expected);
    else expect(String(found).replace(/^environment-graph\.yaml:/, '')).toEqual(message);
  });
});

describe('the order of groups', () => {
  const order = (text: string, names: readonly string[] = NAMES) =>
    orderGroups(findGroupMembers(readEnvironmentGraph(text), names)).map(({ before, after }) => [before, after]);

  it('has the members of a group wait for those of another one', () => {
    expect(order(GRAPH)).toEqual([
      [
        [DB1, DB2],
        [WEB1, WEB2],
      ],
      [[WEB1, WEB2], [MON]],
    ]);
  });

  it('passes on what a group without members waits for', () => {
    expect(order(GRAPH, [DB1, MON])).toEqual([[[DB1], [MON]]]);
  });

  it('runs a node of several groups with the earliest one', () => {
    const text =
      'groups: {db: {nodes: ["db*"]}, rest: {nodes: ["*"], after: [db]}, last: {nodes: ["*1*"], after: [rest]}}';
    expect(order(text)).toEqual([
      [
        [DB1, DB2],
        [WEB1, WEB2, MON],
      ],
    ]);
  });

  it('gives its reasons', () => {
    const [first] = orderGroups(findGroupMembers(readEnvironmentGraph(GRAPH), NAMES));
    expect(first?.reason).toBe('the group web waits for the group database');
  });
});
