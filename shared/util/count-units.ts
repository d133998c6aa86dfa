/** Singular and plural of the units. */
const UNITS = {
  agent: 'agents',
  blob: 'blobs',
  byte: 'bytes',
  canary: 'canaries',
  catalog: 'catalogs',
  certificate: 'certificates',
  difference: 'differences',
  document: 'documents',
  environment: 'environments',
  file: 'files',
  group: 'groups',
  item: 'items',
  line: 'lines',
  minute: 'minutes',
  module: 'modules',
  node: 'nodes',
  page: 'pages',
  request: 'requests',
  resource: 'resources',
  row: 'rows',
  snapshot: 'snapshots',
  server: 'servers',
  thing: 'things',
} as const;

/** `1 node`, `2 nodes`, `0 nodes`. */
export function countUnits(count: number, unit: keyof typeof UNITS): string {
  return `${count} ${count === 1 ? unit : UNITS[unit]}`;
}
