import { describe, expect, it } from 'vitest';
import {
  findBarrels,
  findFolderCircles,
  findImportCycles,
  findNeedlessExports,
  findRepeatedExports,
} from './helpers/architecture.ts';
import { importsOf, type SourceFile, sourceFiles } from './helpers/source-files.ts';

/**
 * The wings of shared/, strictly lowest first: a file imports from its own wing and from those
 * before it.
 */
const WINGS = [
  'api',
  'config',
  'util',
  'puppet',
  'store',
  'access',
  'fleet',
  'inventory',
  'orchestrator',
  'http',
  'console',
  'cli',
  'local',
  'moving-over',
];

/** The rooms of those wings whose order says something, strictly lowest first. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  puppet: [
    'levels',
    'errors',
    'ruby-core',
    'commands',
    'language',
    'types',
    'validation',
    'serialization',
    'environment',
    'catalog',
    'evaluator',
    'hiera',
    'ruby',
    'functions',
    'compiler',
  ],
  store: ['ports', 'sql', 'embedded', 'aws', 'postgres'],
  access: ['ca', 'authorization', 'tokens', 'directory', 'saml', 'accounts'],
  fleet: [
    'policies',
    'groups',
    'facts',
    'nodes',
    'reports',
    'failures',
    'snapshots',
    'dependencies',
    'fan-out',
    'values',
    'catalogs',
    'compiles',
    'code',
    'previews',
    'stages',
    'comparisons',
    'inputs',
    'overview',
    'sources',
  ],
  inventory: ['ast', 'pql', 'database', 'query', 'answers', 'commands', 'archive', 'feed', 'forward'],
  orchestrator: [
    'pcp',
    'broker',
    'tasks',
    'plans',
    'plan-language',
    'pxp',
    'runner',
    'jobs',
    'plan-runs',
    'order',
    'notify',
    'letters',
  ],
  http: [
    'body',
    'exchange',
    'files',
    'information',
    'search',
    'packages',
    'listener',
    'upstream',
    'routes',
    'console',
    'operator',
  ],
  console: ['client', 'build'],
  cli: ['preflight', 'start-image', 'manual', 'client', 'commands'],
};

/** The client of the console: it runs in browsers alone, and is bundled, not imported. */
const CLIENT = 'shared/console/client/';
/** The types of docs/openapi.yaml: the client and the server agree by them alone. */
const API = 'shared/api/';
/** The only reader of the browser's clock. */
const BROWSER_CLOCK = `${CLIENT}data/browser-clock.ts`;

/** What takes long to load: `--help` prints within 0.3 s only without it. */
const HEAVY =
  /^shared\/(puppet\/((evaluator|hiera|ruby|functions)\/|compiler\/compile)|store\/(embedded|aws)\/stores|access\/ca\/keys)/;

/** The entry points of commands, and what is made from them. */
const COMMANDS = new Set(
  ['cli', 'commands', 'make-start-image', 'man-pages', 'program'].map((name) => `functions/${name}.ts`),
);

/** How many files a folder may hold, those of its folders aside. */
const FOLDER_SIZE = 40;

const files = sourceFiles(['shared', 'functions', 'infra']);
const shared = files.filter((file) => file.path.startsWith('shared/'));

const wingOf = (path: string): string | null => /^shared\/([^/]+)\//.exec(path)?.[1] ?? null;
const roomOf = (path: string): string | null => /^shared\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? null;
const isInPuppet = (file: SourceFile): boolean => wingOf(file.path) === 'puppet';

function offences(check: (file: SourceFile) => readonly string[], among: readonly SourceFile[] = files): string[] {
  return among.flatMap((file) => check(file).map((what) => `${file.path}: ${what}`));
}

describe('layers', () => {
  it('knows the wing of every folder of shared/', () => {
    const isUnknown = ({ path }: SourceFile) => !WINGS.includes(wingOf(path) ?? '');
    expect(offences((file) => (isUnknown(file) ? ['in a folder that is no wing'] : []), shared)).toEqual([]);
  });

  it('knows the room of every folder of an ordered wing', () => {
    const isUnknown = ({ path }: SourceFile) => {
      const [rooms, room] = [ROOMS[wingOf(path) ?? ''], roomOf(path)];
      return rooms !== undefined && room !== null && !rooms.includes(room);
    };
    expect(offences((file) => (isUnknown(file) ? ['in a folder that is no room'] : []), shared)).toEqual([]);
  });

  it('imports between wings point downwards, types included', () => {
    const upwards = (file: SourceFile) => {
      const own = WINGS.indexOf(wingOf(file.path) ?? '');
      return file.imports.flatMap(({ target }) => {
        if (target === null) return [];
        const wing = wingOf(target);
        if (wing === null) return [`imports ${target} from outside shared/`];
        return WINGS.indexOf(wing) > own ? [`imports ${target}`] : [];
      });
    };
    expect(offences(upwards, shared)).toEqual([]);
  });

  it.each(Object.entries(ROOMS))('imports between the rooms of %s point downwards, types included', (wing, rooms) => {
    const upwards = (file: SourceFile) => {
      const own = rooms.indexOf(roomOf(file.path) ?? '');
      return file.imports.flatMap(({ target }) => {
        if (own < 0 || target === null || wingOf(target) !== wing) return [];
        return rooms.indexOf(roomOf(target) ?? '') > own ? [`imports ${target}`] : [];
      });
    };
    const own = shared.filter((file) => wingOf(file.path) === wing);
    expect(offences(upwards, own)).toEqual([]);
  });

  it('the compiler imports util alone', () => {
    const foreign = (file: SourceFile) =>
      file.imports
        .filter(({ target }) => target !== null && !['puppet', 'util'].includes(wingOf(target) ?? ''))
        .map(({ specifier }) => `imports ${specifier}`);
    expect(offences(foreign, shared.filter(isInPuppet))).toEqual([]);
  });

  it('has no circle of folders, types included', () => {
    expect(findFolderCircles(shared)).toEqual([]);
  });

  it('the client of the console imports its own files, Preact and the types of the API, and nobody imports the client', () => {
    const isClient = (path: string) => path.startsWith(CLIENT);
    const across = (file: SourceFile) =>
      file.imports
        .filter(({ specifier, target }) =>
          target === null
            ? isClient(file.path) && !/^preact(?:\/|$)/.test(specifier)
            : isClient(target) !== isClient(file.path) && !target.startsWith(API),
        )
        .map(({ specifier }) => `imports ${specifier}`);
    expect(offences(across)).toEqual([]);
  });

  it('imports the description of the API as types alone, which no program loads', () => {
    const loads = (file: SourceFile) =>
      file.imports
        .filter(({ target, typeOnly }) => !typeOnly && target?.startsWith(API) === true)
        .map(({ specifier }) => `imports ${specifier}`);
    expect(offences(loads)).toEqual([]);
  });

  it('infra imports only shared/config', () => {
    const foreign = (file: SourceFile) =>
      file.imports
        .filter(({ target }) => target !== null && !/^(infra|shared\/config)\//.test(target))
        .map(({ specifier }) => `imports ${specifier}`);
    expect(
      offences(
        foreign,
        files.filter((file) => file.path.startsWith('infra/')),
      ),
    ).toEqual([]);
  });

  it('only the AWS adapters and the entry points import the AWS SDK', () => {
    const sdk = (file: SourceFile) =>
      file.imports
        .filter(({ specifier }) => specifier.startsWith('@aws-sdk/'))
        .map((one) => `imports ${one.specifier}`);
    const elsewhere = files.filter((file) => !/^(functions|shared\/store\/aws)\//.test(file.path));
    expect(offences(sdk, elsewhere)).toEqual([]);
  });
});

describe('what a layer may touch', () => {
  const FORBIDDEN: readonly (readonly [string, RegExp])[] = [
    ['process.env', /\bprocess\.env\b/],
    ['the clock', /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
    ['randomness', /\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/],
  ];

  it.each(FORBIDDEN)('%s is read in functions/ and store/ only', (_, pattern) => {
    const uses = (file: SourceFile) => (pattern.test(file.text) ? [`matches ${pattern}`] : []);
    const elsewhere = files.filter(
      (file) => !/^(functions|infra|shared\/store)\//.test(file.path) && file.path !== BROWSER_CLOCK,
    );
    expect(offences(uses, elsewhere)).toEqual([]);
  });

  it('only stores and commands take the clock of the machine; all else has the clock of its stores', () => {
    const takes = (file: SourceFile) =>
      file.imports
        .filter(({ target }) => target === 'shared/store/system-clock.ts')
        .map(({ specifier }) => `imports ${specifier}`);
    const elsewhere = files.filter((file) => !/^shared\/(store|cli|moving-over)\//.test(file.path));
    expect(offences(takes, elsewhere)).toEqual([]);
  });

  it('a port gets its time-outs and limits from one table', () => {
    const settings =
      /\b(?:keepAlive|headers|request|handshake)Timeout\b|\bconnectionsCheckingInterval\b|\.setTimeout\(/;
    const sets = (file: SourceFile) => (settings.test(file.text) ? ['sets a time-out of connections'] : []);
    const creates = (file: SourceFile) => {
      const count = (pattern: RegExp) => [...file.text.matchAll(pattern)].length;
      const lacking = count(/\bcreate(?:Tls)?Server\(/g) - count(/\bserverOptions\(/g);
      return lacking > 0 ? [`creates ${lacking} servers without serverOptions()`] : [];
    };
    const servers = shared.filter(({ text }) => /from 'node:https?'/.test(text) && text.includes('Server'));
    expect(servers.map(({ path }) => path)).toContain('shared/http/listener/edge-server.ts');
    expect(
      offences(
        sets,
        servers.filter(({ path }) => path !== 'shared/util/listening.ts'),
      ),
    ).toEqual([]);
    expect(offences(creates, servers)).toEqual([]);
  });

  it('the body of a request is read by one reader', () => {
    const reads =
      /\b(?:req|request|raw)\.(?:json|text|arrayBuffer|blob|formData|parseBody|bytes|clone)\(|\braw\.body\b|\bbody\b[^{}]*\} = (?:context\.)?req\.raw\b|for await \([^)]* of (?:req|request|incoming)\b|\b(?:req|request|incoming)\.(?:on\('(?:data|readable)'|pipe\(|read\()/;
    const isServer = ({ path }: SourceFile) => /^(?:functions|shared\/(?:http|local|orchestrator))\//.test(path);
    const elsewhere = files.filter((file) => isServer(file) && file.path !== 'shared/http/body/read-body.ts');
    expect(offences((file) => (reads.test(file.text) ? ['reads the body of a request'] : []), elsewhere)).toEqual([]);
  });

  it('the compiler does nothing asynchronous', () => {
    const pattern = /\basync\s|\bawait\s|new Promise\(/;
    const isAsynchronous = (file: SourceFile) => (pattern.test(file.text) ? ['is asynchronous'] : []);
    expect(offences(isAsynchronous, shared.filter(isInPuppet))).toEqual([]);
  });
});

describe('modules', () => {
  it('has no runtime import cycle', () => {
    expect(findImportCycles(files)).toEqual([]);
  });

  it('has no barrels: no file is an index or only re-exports', () => {
    expect(findBarrels(files)).toEqual([]);
  });

  it('loads few modules before a command runs, and none of the compiler, the stores or the CA', () => {
    const staticImports = ({ path, text }: SourceFile) => importsOf(path, text.replaceAll('import(', 'later('));
    const known = new Map(files.map((file) => [file.path, file]));
    const loaded = new Set(['functions/commands.ts']);
    for (const path of loaded) {
      const file = known.get(path);
      for (const { target, typeOnly } of file === undefined ? [] : staticImports(file)) {
        if (target !== null && !typeOnly) loaded.add(target);
      }
    }
    expect(loaded.size).toBeLessThanOrEqual(180);
    expect([...loaded].filter((path) => HEAVY.test(path))).toEqual([]);
  });

  it('keeps what moves a fleet over out of every server and function', () => {
    const known = new Map(files.map((file) => [file.path, file]));
    const isServer = ({ path }: SourceFile) => path.startsWith('functions/') && !COMMANDS.has(path);
    const loaded = new Set(files.filter(isServer).map(({ path }) => path));
    expect(loaded.size).toBeGreaterThan(20);
    for (const path of loaded) {
      for (const { target } of known.get(path)?.imports ?? []) if (target !== null) loaded.add(target);
    }
    expect([...loaded].filter((path) => wingOf(path) === 'moving-over')).toEqual([]);
  });

  it('exports no name twice', () => {
    expect(findRepeatedExports(shared)).toEqual([]);
  });

  it('exports only names that another file reads', () => {
    const written = files.filter(({ path }) => !path.endsWith('.d.ts'));
    expect(findNeedlessExports(written, [...files, ...sourceFiles(['test'])])).toEqual([]);
  });

  it(`has at most ${FOLDER_SIZE} files in a folder`, () => {
    const counts = new Map<string, number>();
    for (const { path } of files) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > FOLDER_SIZE)).toEqual([]);
  });

  it('writes no HTML and no styles as text in the client of the console', () => {
    const pattern = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/;
    const uses = (file: SourceFile) => (pattern.test(file.text) ? [`matches ${pattern}`] : []);
    const client = files.filter((file) => file.path.startsWith(CLIENT));
    expect(client.length).toBeGreaterThan(10);
    expect(offences(uses, client)).toEqual([]);
  });

  it('has no default exports in shared/', () => {
    const defaults = (file: SourceFile) => (/^export default\b/m.test(file.text) ? ['has a default export'] : []);
    expect(offences(defaults, shared)).toEqual([]);
  });

  it('keeps entry points short', () => {
    const entries = files.filter((file) => file.path.startsWith('functions/'));
    const long = (file: SourceFile) => {
      const lines = file.text.trimEnd().split('\n').length;
      return lines > 80 ? [`has ${lines} lines`] : [];
    };
    expect(offences(long, entries)).toEqual([]);
  });
});

describe('the ways to run a Ruby function', () => {
  // The measured reasons: docs/decisions/0003-native-ruby-subset.md. A bound only falls.
  it.each([
    ['shared/puppet/ruby/native/', 8598],
    ['shared/puppet/functions/stdlib/', 1141],
  ])('%s keeps its budget of %i lines', (folder, most) => {
    const within = files.filter(({ path }) => path.startsWith(folder));
    const lines = within.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    expect(lines).toBeGreaterThan(most / 2);
    expect(lines).toBeLessThanOrEqual(most);
  });
});

describe('the checks themselves', () => {
  const source = (path: string, text: string): SourceFile => ({ path, text, imports: importsOf(path, text) });

  it.each([
    ["import { a, b } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import type { A } from '../c/d.ts';", [{ specifier: '../c/d.ts', target: 'c/d.ts', typeOnly: true }]],
    ["import { type A, type B } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: true }]],
    ["import { type A, b } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import {\n  a,\n} from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["import fs from 'node:fs';", [{ specifier: 'node:fs', target: null, typeOnly: false }]],
    ["export { a } from './b.ts';", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
    ["const x = await import('./b.ts');", [{ specifier: './b.ts', target: 'x/b.ts', typeOnly: false }]],
  ])('read %j', (text, expected) => {
    expect(importsOf('x/a.ts', text)).toEqual(expected);
  });

  it('see a cycle of runtime imports, and none of types', () => {
    const cycle = [source('a.ts', "import './b.ts';"), source('b.ts', "import './a.ts';")];
    expect(findImportCycles(cycle)).toEqual(['a.ts -> b.ts -> a.ts']);
    expect(
      findImportCycles([source('a.ts', "import type { B } from './b.ts';"), source('b.ts', "import './a.ts';")]),
    ).toEqual([]);
  });

  it('see a circle of sibling folders, also one of types', () => {
    const circle = [
      source('s/one/a.ts', "import type { B } from '../two/b.ts';"),
      source('s/two/b.ts', "import { c } from '../three/c.ts';"),
      source('s/three/c.ts', "import { a } from '../one/a.ts';"),
      source('s/four/d.ts', "import { a } from '../one/a.ts';"),
    ];
    expect(findFolderCircles(circle)).toEqual(['s: one, three, two']);
  });

  it.each([
    ['x/index.ts', 'export const a = 1;'],
    ['x/all.ts', "/** All. */\nexport { a } from './a.ts';\nexport type { B } from './b.ts';\n"],
    ['x/all.ts', "export * from './a.ts';"],
    ['x/all.ts', "import { a } from './a.ts';\n\nexport { a };\n"],
  ])('take %s for a barrel when it holds %j', (path, text) => {
    expect(findBarrels([source(path, text)])).toEqual([path]);
  });

  it('take no file for a barrel that defines something', () => {
    expect(findBarrels([source('x/a.ts', "export { a } from './a.ts';\nexport const b = 1;")])).toEqual([]);
  });

  it('see a name that two files export', () => {
    const twice = [source('x/a.ts', 'export function one() {}'), source('x/b.ts', 'export const one = 1;')];
    expect(findRepeatedExports(twice)).toEqual(['one: x/a.ts, x/b.ts']);
  });
});
