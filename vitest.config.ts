import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/helpers/longest-first.ts';

/** Tests that start processes, threads, real Puppet or a synth, and so take long. */
const E2E = [
  'test/e2e/**/*',
  // A browser.
  'test/console/**/*',
  'test/taint/**/*',
  'test/fleet/**/*',
  'test/clients/**/*',
  'test/neighbour/neighbour',
  'test/chaos/chaos',
  'test/interleave/**/*',
  'test/chaos/inventory/inventory-kills',
  // Starts a thread.
  'test/parity/parity',
  // Starts npm.
  'test/supply-chain/bill-of-materials',
  'test/functions/**/*',
  'test/cost/**/*',
  'test/shared/local/**/*',
  'test/shared/cli/start-image/**/*',
  // Whole fleets, and what waits for real time.
  'test/shared/access/ca/certificate-renewal',
  'test/shared/fleet/catalogs/herd',
  // Start Ruby, OpenSSL and diff.
  'test/shared/access/ca/import-authority',
  'test/shared/access/ca/imported-chain',
  'test/shared/util/unified-diff',
  // Starts git.
  'test/shared/fleet/sources/sync-source',
  'test/shared/fleet/compiles/simulation',
  'test/shared/fleet/compiles/worker-loop',
  'test/shared/http/packages/install-bash',
  // Starts a server and Ruby.
  'test/shared/http/preparation',
  // A database in a thread.
  'test/shared/inventory/database/inventory-database',
  'test/shared/inventory/commands/command-queue',
  'test/shared/inventory/commands/maintenance',
  'test/shared/inventory/feed/inventory-feed',
  'test/shared/inventory/answers/query-answers',
  'test/shared/http/inventory-tls-app',
  'test/shared/http/routes/inventory/inventory-api',
  'test/shared/orchestrator/jobs/inventory-queries',
  'test/shared/http/routes/inventory/recorded-cases',
];
/** Tests that collect garbage and look at what is left: other files' objects would count. */
const ISOLATED = [
  'test/shared/fleet/catalogs/stored-catalog-service',
  'test/shared/http/catalog',
  'test/shared/store/compile-queue',
  'test/shared/store/threaded-stores',
];
/** Tests of commands, some of which start processes: they need no isolation from each other. */
const COMMANDS = ['client', 'commands', 'doctor', 'parity', 'preflight'].map((name) => `test/shared/cli/${name}/**/*`);
/** Tests that replace modules by others. */
const REPLACING = [
  'test/functions/api',
  'test/functions/edge',
  'test/modules/native-usage',
  'test/shared/store/blob-durability',
];
/** Tests of the stack's template. */
const INFRA = ['test/infra/**/*'];
/** Tests that ask Ruby in WebAssembly or in a process, or run over packaged modules. */
const RUBY = [
  'test/modules/**/*',
  'test/shared/fleet/snapshots/prepare-types',
  'test/shared/puppet/functions/stdlib',
  'test/shared/puppet/ruby/**/*',
];

const select = (paths: readonly string[]): string[] => paths.map((path) => `${path}.test.ts`);

/**
 * A slow machine must not end a test: these only bound what never ends. What runs elsewhere is
 * waited for by `expect.poll`, without a limit of its own.
 */
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 120_000 } } };
/**
 * Node loads the sources itself, as it does for users, and keeps their compiled code: a file of
 * tests starts with less work than through Vite. Vite alone can replace modules, however.
 */
const common = { ...limits, experimental: { viteModuleRunner: false, nodeLoader: false } };

/**
 * End-to-end tests run first. They mostly wait: so many side by side keep CI's two cores busy, and
 * those that compute fill up what the last of them leave.
 */
const WORKERS = { maxWorkers: 5 };
/**
 * A test that fails has a second try in CI, which the output names: ports and processors are
 * shared.
 */
const WAITING = { ...WORKERS, retry: process.env.CI === 'true' ? 1 : 0 };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: ['temporary-folder', 'report-missing-material', 'boot-ruby'].map((name) => `test/helpers/${name}.ts`),
    projects: [
      {
        test: {
          ...common,
          ...WORKERS,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: select([...E2E, ...ISOLATED, ...COMMANDS, ...INFRA, ...RUBY, ...REPLACING]),
          // These files keep nothing in modules, so that a worker loads the sources once for all.
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          ...WORKERS,
          name: 'ruby',
          include: select(RUBY),
          exclude: select([...E2E, ...REPLACING]),
          // The sources are loaded and Ruby's module is compiled once for all files of a worker.
          isolate: false,
        },
      },
      // The CDK is loaded once for all files of a worker, and each template is made once.
      { test: { ...common, ...WORKERS, name: 'infra', include: select(INFRA), isolate: false } },
      // A command takes less than to load its sources in a worker of its own.
      { test: { ...common, ...WORKERS, name: 'commands', include: select(COMMANDS), isolate: false } },
      // The installed Puppet and the sources are loaded once for all files of a worker.
      {
        test: {
          ...common,
          ...WAITING,
          name: 'e2e',
          include: select(E2E),
          exclude: select([...ISOLATED, ...REPLACING]),
          isolate: false,
        },
      },
      { test: { ...common, ...WAITING, name: 'isolated', include: select(ISOLATED) } },
      { test: { ...limits, ...WORKERS, name: 'replacing', include: select(REPLACING) } },
    ],
  },
});
