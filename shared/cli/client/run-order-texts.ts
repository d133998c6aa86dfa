import { listRecords } from './job-progress.ts';
import { isJsonRecord, type JsonRecord } from './orchestrator-client.ts';

const HEADLINE =
  'Node run order (nodes in each level can run simultaneously, nodes in level 0 will run before their dependent ' +
  'nodes in level 1, etc.):\n';
const LINE_WIDTH = 80;

/** The levels of a job: a line for each, then its nodes, each with its applications below it. */
export function describeRunOrder(levels: readonly JsonRecord[]): string {
  const lines = levels.flatMap(({ nodes }, level) => [
    `${level} ${'-'.repeat(LINE_WIDTH - String(level).length - 1)}\n`,
    ...(Array.isArray(nodes) ? nodes : []).map(describeNode),
  ]);
  return `${HEADLINE}${lines.join('')}`;
}

/** A node is its name, or an object with more. */
function describeNode(node: unknown): string {
  if (!isJsonRecord(node)) return `${String(node)}\n`;
  const applications = Array.isArray(node.applications) ? node.applications : [];
  return `${node.name}\n${applications.map((name) => `    ${name}\n`).join('')}`;
}

/** Describes the preview of a job, below the table of its settings. */
export function describePreview({ levels, applications }: JsonRecord): string {
  const known = listRecords(levels);
  const nodes = known.flatMap((level) => listRecords(level.nodes));
  const away = nodes.filter(({ connected }) => connected !== true).map(({ name }) => `Not connected: ${name}\n`);
  const parts = [
    describeApplications(applications),
    `${describeRunOrder(known)}\n`,
    away.length === 0 ? '' : `${away.join('')}\n`,
    "Use 'understudy job run TARGET AND OPTIONS' to create and run this job.\n",
    'Node catalogs may have changed since this plan was generated.\n',
  ];
  return parts.join('');
}

/** The applications of which a job has nodes; empty for none. */
export function describeApplications(applications: unknown): string {
  const reached = listRecords(applications);
  if (reached.length === 0) return '';
  return `Application instances: ${reached.length}\n${reached.map(describeReached).join('')}\n`;
}

function describeReached({ name, missing }: JsonRecord): string {
  const isWhole = !Array.isArray(missing) || missing.length === 0;
  return `  - ${name}${isWhole ? '' : ' **WARNING** target does not contain all nodes in this application.'}\n`;
}

/** An application, its nodes, and what joins them to others. */
export function describeApplication({ name, description, after, components }: JsonRecord): string {
  const needed = Array.isArray(after) ? after : [];
  return [
    `${name}${description === '' || description === undefined ? '' : ` - ${description}`}\n`,
    needed.length === 0 ? '' : `    runs after ${needed.join(', ')}\n`,
    ...listRecords(components).map(describeComponent),
  ].join('');
}

function describeComponent({ node, produces, consumes }: JsonRecord): string {
  const list = (resources: unknown) => listRecords(resources).map(({ type, title }) => `${type}[${title}]\n`);
  const made = list(produces).map((name) => `        + produces ${name}`);
  const used = list(consumes).map((name) => `          consumes ${name}`);
  return `    ${node}\n${made.join('')}${used.join('')}`;
}
