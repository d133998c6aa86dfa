import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

/**
 * The suffix of a file says how it runs; the folders below hold one kind each.
 *
 * - `.e2e.test.ts`: starts processes, threads, real Puppet, git or a database, and so takes long.
 * - `.isolated.test.ts`: collects garbage and looks at what is left: other files' objects count.
 * - `.replacing.test.ts`: replaces modules by others.
 * - `.ruby.test.ts`: asks Ruby in WebAssembly, or runs over packaged modules.
 * - `.test.ts`: everything else.
 */
const E2E_FOLDERS = [
  ...['e2e', 'console', 'taint', 'fleet', 'clients', 'interleave', 'functions', 'cost', 'rehearse'],
  ...['shared/local', 'shared/cli/start-image'],
];
/** Commands start processes, but need no isolation from each other. */
const COMMAND_FOLDERS = ['cli/client', 'cli/commands', 'cli/preflight', 'moving-over'].map((name) => `shared/${name}`);
const RUBY_FOLDERS = ['modules', 'shared/puppet/ruby'];

const OTHERS = ['isolated', 'replacing'].map(bySuffix);
const E2E = [bySuffix('e2e'), ...E2E_FOLDERS.map(byFolder)];
const COMMANDS = COMMAND_FOLDERS.map(byFolder);
const INFRA = [byFolder('infra')];
const RUBY = [bySuffix('ruby'), ...RUBY_FOLDERS.map(byFolder)];

function bySuffix(suffix: string): string {
  return `test/**/*.${suffix}.test.ts`;
}

function byFolder(folder: string): string {
  return `test/${folder}/**/*.test.ts`;
}

/**
 * A slow machine must not end a test: these only bound what never ends. What runs elsewhere is
 * waited for by `expect.poll`, without a limit of its own.
 */
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } };
/**
 * Node loads the sources itself, as it does for users, and keeps their compiled code: a file of
 * tests starts with less work than through Vite. Vite alone can replace modules, however.
 */
const fromSources = { ...limits, experimental: { viteModuleRunner: false, nodeLoader: false } };
/**
 * Workers share few cores: V8's own threads for garbage would wait for each other there. With one
 * thread and a larger young generation, a seventh of the CPU time of tests that compute is saved
 * (2026-11-30).
 */
const common = { ...fromSources, execArgv: ['--single-threaded-gc', '--max-semi-space-size=64'] };

/**
 * End-to-end tests run first. They mostly wait: so many side by side keep CI's two cores busy, and
 * those that compute fill up what the last of them leave.
 */
const WORKERS = { maxWorkers: 6 };
/**
 * A test that fails has a second try in CI, which the output names: ports and processors are
 * shared.
 */
const WAITING = { ...WORKERS, retry: process.env.CI === 'true' ? 1 : 0 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/helpers/report-retries.ts'],
    globalSetup: ['temporary-folder', 'shared-postgres', 'report-missing-material', 'boot-ruby'].map(
      (name) => `test/helpers/${name}.ts`,
    ),
    projects: [
      {
        test: {
          ...common,
          ...WORKERS,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...OTHERS, ...E2E, ...COMMANDS, ...INFRA, ...RUBY],
          // These files keep nothing in modules, so that a worker loads the sources once for all.
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          ...WORKERS,
          name: 'ruby',
          include: RUBY,
          exclude: [...OTHERS, ...E2E],
          // The sources are loaded and Ruby's module is compiled once for all files of a worker.
          isolate: false,
        },
      },
      // The CDK is loaded once for all files of a worker, and each template is made once.
      { test: { ...common, ...WORKERS, name: 'infra', include: INFRA, isolate: false } },
      // A command takes less than to load its sources in a worker of its own.
      { test: { ...common, ...WORKERS, name: 'commands', include: COMMANDS, isolate: false } },
      // The installed Puppet and the sources are loaded once for all files of a worker.
      {
        test: {
          ...common,
          ...WAITING,
          name: 'e2e',
          include: E2E,
          exclude: OTHERS,
          isolate: false,
        },
      },
      // These look at garbage, which V8 collects as it does for users.
      { test: { ...fromSources, ...WAITING, name: 'isolated', include: [bySuffix('isolated')] } },
      { test: { ...limits, ...WORKERS, name: 'replacing', include: [bySuffix('replacing')] } },
    ],
  },
});
