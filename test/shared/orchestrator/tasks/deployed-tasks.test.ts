import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DeployedTasks } from '../../../../shared/orchestrator/tasks/deployed-tasks.ts';
import { type LibraryTask, UnusableTask } from '../../../../shared/orchestrator/tasks/task-library.ts';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../../helpers/http-services.ts';
import { BESIDE, isBeside } from '../../../helpers/material-beside.ts';

const MODULE = 'environments/production/modules/demo';
const FILES = {
  [`${MODULE}/tasks/init.sh`]: '#!/bin/sh\necho init\n',
  [`${MODULE}/tasks/hello.sh`]: '#!/bin/sh\necho hello\n',
  [`${MODULE}/tasks/hello.json`]: JSON.stringify({
    supports_noop: true,
    input_method: 'stdin',
    parameters: { name: { type: 'Optional[String[1]]' }, password: { type: 'String', sensitive: true, default: 'x' } },
    files: ['demo/files/data/', 'demo/lib/puppet/a.rb', 'other/tasks/help.sh'],
  }),
  [`${MODULE}/tasks/many.json`]: JSON.stringify({
    implementations: [
      { name: 'many_windows.ps1', requirements: ['powershell'] },
      { name: 'many_linux.sh', requirements: ['shell'], files: ['demo/scripts/s.sh'] },
    ],
  }),
  [`${MODULE}/tasks/many_linux.sh`]: 'echo l\n',
  [`${MODULE}/tasks/many_linux.json`]: '{"private": true}',
  [`${MODULE}/tasks/many_windows.ps1`]: 'echo w\n',
  [`${MODULE}/tasks/broken.json`]: '{',
  [`${MODULE}/tasks/broken.sh`]: 'echo b\n',
  [`${MODULE}/tasks/typed.json`]: '{"parameters": {"a": {"type": "Strong["}}}',
  [`${MODULE}/tasks/typed.sh`]: 'echo t\n',
  [`${MODULE}/tasks/ports.sh`]: 'echo p\n',
  [`${MODULE}/tasks/ports.json`]: JSON.stringify({
    parameters: {
      port: { type: 'Demo::Net::Port' },
      ports: { type: 'Optional[Array[Demo::Net::Port]]' },
      tree: { type: 'Optional[Demo::Tree]' },
      mode: { type: "Variant[Environment::Mode, Enum['Other::Type']]", default: 'fast' },
      odd: { type: 'Optional[Variant[Demo::Broken, Demo::Missing]]' },
    },
  }),
  [`${MODULE}/types/net/port.pp`]: '# A port\ntype Demo::Net::Port = Variant[Demo::Number, Enum["any"]]\n',
  [`${MODULE}/types/number.pp`]: 'type Demo::Number = Integer[1, 65535]\n',
  [`${MODULE}/types/tree.pp`]: 'type Demo::Tree = Hash[String, Variant[Demo::Tree, Integer]]\n',
  [`${MODULE}/types/broken.pp`]: 'type Demo::Broken = \n',
  'environments/production/types/mode.pp': "type Environment::Mode = Enum['fast', 'slow']\n",
  [`${MODULE}/tasks/alone.json`]: '{"files": ["nowhere/files/x"]}',
  [`${MODULE}/tasks/alone.sh`]: 'echo a\n',
  [`${MODULE}/tasks/notes.md`]: 'notes',
  [`${MODULE}/files/data/one.txt`]: 'one\n',
  [`${MODULE}/files/data/deep/two.txt`]: 'two\n',
  [`${MODULE}/files/data/zé f%20#?.txt`]: 'odd\n',
  [`${MODULE}/lib/puppet/a.rb`]: 'a\n',
  [`${MODULE}/scripts/s.sh`]: 's\n',
  'environments/production/modules/other/tasks/help.sh': 'help\n',
};

let http: TestServices;
let library: DeployedTasks;
let codeId: string;

beforeAll(async () => {
  http = await httpServices();
  library = new DeployedTasks(http.services.files);
  codeId = await deployFiles(http, 'production', FILES);
});

async function findTask(name: string): Promise<LibraryTask> {
  const task = await library.find('production', name);
  if (task === null) throw new Error(`no task ${name}`);
  return task;
}

describe('the tasks of an environment', () => {
  it('are listed without private ones', async () => {
    expect(await library.list('production')).toEqual([
      'demo::alone',
      'demo::broken',
      'demo::hello',
      'demo',
      'demo::many',
      'demo::many_windows',
      'demo::ports',
      'demo::typed',
      'other::help',
    ]);
  });

  it.each(['nowhere', '../production', ''])('are not known for the environment %j', async (environment) => {
    expect(await library.list(environment)).toBeNull();
    expect(await library.find(environment, 'demo')).toBeNull();
  });

  it('are found with what their metadata say', async () => {
    const task = await findTask('demo::hello');
    expect(task).toMatchObject({ name: 'demo::hello', environment: 'production', codeId, supportsNoop: true });
    expect(task.metadata.input_method).toBe('stdin');
    expect(task.sensitive).toEqual(['password']);
    expect(await findTask('demo')).toMatchObject({ metadata: {}, supportsNoop: false, sensitive: [] });
  });

  it('are found by name when private', async () => {
    expect((await findTask('demo::many_linux')).metadata).toEqual({ private: true });
  });

  it.each(['demo::none', 'demo::init', 'demo::hello::x', 'none', 'demo::notes', 'demo::Hello', '::', ''])(
    'do not have the name %j',
    async (name) => {
      expect(await library.find('production', name)).toBeNull();
    },
  );

  it.each([
    ['demo::broken', 'puppet.tasks/unparseable-metadata', "unexpected token at '{'"],
    ['demo::alone', 'puppet.tasks/invalid-metadata', 'Could not find module nowhere containing task file x'],
    [
      'demo::typed',
      'puppet.tasks/invalid-metadata',
      "Failed to load metadata for task demo::typed: the type of parameter 'a' cannot be read: Syntax error at end of input",
    ],
  ])('cannot be used when invalid: %s', async (name, kind, message) => {
    const error = await library.find('production', name).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnusableTask);
    expect(error).toMatchObject({ kind, message });
  });

  it('check parameters', async () => {
    const task = await findTask('demo::hello');
    expect(library.checkParameters(task, { name: '' })).toEqual({
      input: { name: '', password: 'x' },
      faults: ["parameter 'name' expects a value of type Undef or String[1], got String"],
    });
  });
});

describe('the files of a task', () => {
  it('have the executable first, then the files of all mounts', async () => {
    const params = { environment: 'production', code_id: '' };
    const file = (filename: string, path: string, text: string) => ({
      filename,
      uri: { path: `/puppet/v3/file_content/${path}`, params: { ...params, code_id: codeId } },
      sha256: digestSha256(text),
      size_bytes: text.length,
    });
    expect(await library.filesFor(await findTask('demo::hello'))).toEqual([
      file('hello.sh', 'tasks/demo/hello.sh', '#!/bin/sh\necho hello\n'),
      file('demo/files/data/deep/two.txt', 'modules/demo/data/deep/two.txt', 'two\n'),
      file('demo/files/data/one.txt', 'modules/demo/data/one.txt', 'one\n'),
      file('demo/files/data/zé f%20#?.txt', 'modules/demo/data/z%C3%A9%20f%2520%23%3F.txt', 'odd\n'),
      file('demo/lib/puppet/a.rb', 'plugins/puppet/a.rb', 'a\n'),
      file('other/tasks/help.sh', 'tasks/other/help.sh', 'help\n'),
    ]);
  });

  it('are all executables when the agent chooses one', async () => {
    const files = await library.filesFor(await findTask('demo::many'));
    expect(files.map(({ filename }) => filename)).toEqual(['many_windows.ps1', 'many_linux.sh', 'demo/scripts/s.sh']);
  });

  // Agents put the path into a URL as it is.
  it('are served with their digests to any node, also after a later deploy', async () => {
    const files = await library.filesFor(await findTask('demo::hello'));
    await deployFiles(http, 'production', { [`${MODULE}/tasks/hello.sh`]: 'later\n' });
    for (const { uri, sha256, size_bytes } of files) {
      const address = `${uri.path}?${new URLSearchParams(uri.params)}`;
      const response = await http.app.request(address, { headers: { Accept: '*/*' } }, { peer: createPeer('web01') });
      const text = await response.text();
      expect([response.status, digestSha256(text), text.length]).toEqual([200, sha256, size_bytes]);
    }
    await deployFiles(http, 'production', FILES);
  });

  it('are gone with their snapshot', async () => {
    const task = { ...(await findTask('demo::hello')), codeId: 'gone' };
    await expect(library.filesFor(task)).rejects.toThrow(
      new UnusableTask('puppet.tasks/invalid-task', 'The code gone with the task demo::hello is gone'),
    );
  });
});

interface TaskCase {
  readonly case: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly noop?: boolean;
  readonly accepted?: boolean;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly runs?: string;
  readonly response?: Parameters<DeployedTasks['readResult']>[0];
  readonly state?: string;
  readonly result?: unknown;
}

function readCases(): readonly TaskCase[] {
  if (!isBeside('taskCases')) return [];
  const lines = readFileSync(join(BESIDE.taskCases, 'cases.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as TaskCase);
}

describe.skipIf(!isBeside('taskCases'))('the cases beside this clone', () => {
  const cases = readCases();

  it.each(cases.filter(({ accepted }) => accepted !== undefined))('$case', async (one) => {
    const { noop = false, params, input } = one;
    const task = await deployTask(one.metadata, ['t.sh']);
    const checked = library.checkParameters(task, params);
    expect(checked.faults.length === 0 && (!noop || task.supportsNoop)).toBe(one.accepted);
    if (input) expect({ ...checked.input, ...(noop ? { _noop: true } : {}) }).toEqual(input);
  });

  it.each(cases.filter(({ response }) => response !== undefined))('$case', ({ response, state, result }) => {
    expect(response && library.readResult(response)).toEqual({ state, result });
  });

  it.each(cases.filter(({ metadata }) => metadata?.implementations !== undefined))(
    '$case: all are sent',
    async (one) => {
      const names = (one.metadata.implementations as readonly { readonly name: string }[]).map(({ name }) => name);
      const files = await library.filesFor(await deployTask(one.metadata, names));
      expect(files.map(({ filename }) => filename)).toEqual(names);
    },
  );

  async function deployTask(metadata: unknown, executables: readonly string[]): Promise<LibraryTask> {
    const folder = 'environments/trial/modules/m/tasks';
    await deployFiles(http, 'trial', {
      [`${folder}/t.json`]: JSON.stringify(metadata),
      ...Object.fromEntries(executables.map((name) => [`${folder}/${name}`, name])),
    });
    const task = await library.find('trial', 'm::t');
    if (task === null) throw new Error('no task');
    return task;
  }
});

describe('type aliases of parameters', () => {
  it('are those of the environment, with those that they name', async () => {
    expect((await findTask('demo::ports')).aliases).toEqual({
      'Demo::Net::Port': 'Variant[Demo::Number, Enum["any"]]',
      'Demo::Number': 'Integer[1, 65535]',
      'Demo::Tree': 'Hash[String, Variant[Demo::Tree, Integer]]',
      'Environment::Mode': "Enum['fast', 'slow']",
    });
    expect((await findTask('demo::hello')).aliases).toEqual({});
  });

  it.each([
    [{ port: 80 }, []],
    [{ port: 'any', tree: { a: { b: 1 } }, mode: 'slow' }, []],
    [{ port: 80, tree: {}, mode: 'Other::Type' }, []],
    [
      { port: 0 },
      [
        "parameter 'port' expects a Demo::Net::Port = Variant[Demo::Number = Integer[1, 65535], Enum['any']] value, got Integer",
      ],
    ],
    [
      { port: 80, mode: 'x' },
      [
        "parameter 'mode' expects a match for Variant[Environment::Mode = Enum['fast', 'slow'], Enum['Other::Type']], got 'x'",
      ],
    ],
    [
      { port: 80, tree: { a: { b: 'x' } } },
      [
        expect.stringMatching(
          /^parameter 'tree' entry 'a' variant 0 entry 'b' expects a value of type Demo::Tree = .* got String; /,
        ),
      ],
    ],
    [{ port: 80, odd: 1 }, [expect.stringMatching(/^parameter 'odd' /)]],
  ])('check %j', async (given, faults) => {
    expect(library.checkParameters(await findTask('demo::ports'), given).faults).toEqual(faults);
  });
});
