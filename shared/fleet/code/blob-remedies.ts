import { PREFIXES } from '../../config/deployment.ts';
import { CONSOLE_PREFIX } from '../../config/front-doors.ts';

const DEPLOY = 'deploy the environment again';
const LOST = 'nothing else has it';

/** The remedies for a lost blob, by the name of its prefix. */
const REMEDIES: Readonly<Record<keyof typeof PREFIXES, string>> = {
  catalogs: 'the next run of its node compiles it again',
  facts: 'the next run of the agent sends them',
  files: DEPLOY,
  packs: `its files are read instead; ${DEPLOY}`,
  damaged: 'none is needed',
  snapshots: DEPLOY,
  dependencies: 'its nodes are compiled again',
  readers: 'the next compile of the node stores it again',
  reports: `${LOST}: the report is lost`,
  bucket: `${LOST}: the former content of a file of the node is lost`,
  requests: 'the request is repeated',
  packages: 'add the package again',
  fanOuts: 'the deploy is planned again',
  jobs: `${LOST}: a part of a job is lost`,
  groups: 'an earlier state of the groups; see the history of the groups',
  schedules: `${LOST}: schedule the job again`,
};

/** A remedy for a lost blob, and who has to act. */
export function describeRemedy(key: string): string {
  if (key.startsWith(CONSOLE_PREFIX)) return 'the next start of the server stores it again';
  const names = Object.keys(PREFIXES) as (keyof typeof PREFIXES)[];
  const name = names.find((one) => key.startsWith(PREFIXES[one]));
  return name === undefined ? LOST : REMEDIES[name];
}
