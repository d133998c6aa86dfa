import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest by the clock, whatever their project, in the order in which they
 * begin (seconds of two cores, 2026-11-29). Those that compute stand between those that mostly
 * wait: so the first minutes keep both cores busy.
 */
const FIRST: readonly string[] = [
  'functions/bundles', // 132
  'interleave/interleave', // 103, computes
  'e2e/install', // 112
  'infra/random-settings', // 107, computes
  'servers/servers', // 100
  'console/stories', // 111
  'servers/statements', // 100
  'modules/native-functions', // 73, computes
];
/** The files that follow in their projects, longest first; each other one takes less than 20 s. */
const LONGEST: readonly string[] = [
  'e2e/agent', // 64
  'fleet/day', // 59
  'e2e/herd', // 59
  'taint/taint', // 55
  'console/pages', // 47
  'rehearse/rehearsal', // 45
  'shared/cli/start-image/start-image', // 44
  'e2e/side-by-side', // 41
  'clients/clients', // 40
  'console/behaviour', // 39
  'modules/control-repo', // 39
  'shared/fleet/sources/sync-source', // 39
  'chaos/chaos', // 37
  'shared/local/hostile-bodies', // 37
  'modules/check-ins', // 34
  'e2e/agent-variants', // 33
  'shared/http/routes/inventory/recorded-cases', // 31
  'neighbour/neighbour', // 31
  'e2e/runner-orchestrator', // 40
  'e2e/orchestrator', // 31
  'e2e/runner-notify', // 30
  'shared/orchestrator/runner/runner-outage', // 25
  'shared/orchestrator/runner/runner-tasks', // 22
  'cost/bill', // 30
  'functions/other-user', // 28
  'e2e/file-serving', // 27
  'functions/local', // 26
  'shared/http/packages/install-bash', // 26
  'infra/synth', // 25
  'shared/puppet/ruby/native/functions', // 25
  'modules/fleets', // 23
  'shared/puppet/ruby/real-puppet', // 23
  'e2e/catalogs', // 22
  'shared/rights/act', // 22
  'e2e/replay/curl', // 21
  'shared/store/compile-queue', // 20
  'shared/fleet/compiles/simulation', // 20
];

/** The projects in the order in which they run: long waits first, many short files last. */
const PROJECTS: readonly string[] = ['e2e', 'isolated', 'infra', 'ruby', 'replacing', 'commands', 'unit'];

/**
 * Begins with the longest files, so that none runs on alone at the end. The other files of a
 * project stay together, since a worker is kept for the next file of the same project only. Vitest
 * itself knows durations of the run before only, which a fresh clone has not had.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const first = (file: TestSpecification) => rank(file, FIRST);
    const place = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);
    return sorted.sort((a, b) => first(a) - first(b) || place(a) - place(b) || rank(a, LONGEST) - rank(b, LONGEST));
  }
}

/** The place in the list, or the one behind it. */
function rank({ moduleId }: TestSpecification, list: readonly string[]): number {
  const place = list.findIndex((name) => new RegExp(`/test/${name}(\\.\\w+)?\\.test\\.ts$`).test(moduleId));
  return place === -1 ? list.length : place;
}
