import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest by the clock, longest first (seconds of two cores, 2026-11-23). What
 * is not here takes less than 20 s.
 */
const LONGEST: readonly string[] = [
  'functions/bundles', // 167
  'console/stories', // 90
  'console/pages', // 85
  'e2e/install', // 80
  'e2e/agent', // 58
  'e2e/herd', // 55
  'e2e/agent-variants', // 52
  'chaos/chaos', // 50
  'console/behaviour', // 46
  'modules/fleets', // 24
  'shared/cli/start-image/start-image', // 34
  'e2e/file-serving', // 33
  'e2e/orchestrator', // 32
  'shared/http/catalog', // 29
  'shared/fleet/catalogs/herd', // 29
  'shared/http/packages/install-bash', // 25
  'shared/access/ca/certificate-renewal', // 24
  'cost/bill', // 23
  'shared/fleet/compiles/simulation', // 22
  'fleet/cold', // 22
  'infra/synth', // 22
];

/** The projects in the order in which they run: long waits first, many short files last. */
const PROJECTS: readonly string[] = ['e2e', 'isolated', 'infra', 'ruby', 'replacing', 'commands', 'unit'];

/**
 * Begins with the longest files of each project, so that none runs on alone at the end. The files
 * of a project stay together, since a worker is kept for the next file of the same project only.
 * Vitest itself knows durations of the run before only, which a fresh clone has not had.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);
    return sorted.sort((a, b) => place(a) - place(b) || rank(a) - rank(b));
  }
}

/** The place in the list, or the one behind it. */
function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => new RegExp(`/test/${name}(\\.\\w+)?\\.test\\.ts$`).test(moduleId));
  return place === -1 ? LONGEST.length : place;
}
