import type { InventoryWorld } from '../../../../helpers/inventory-world.ts';

const EDGE = {
  relationship: 'contains',
  source: { type: 'Class', title: 'Web' },
  target: { type: 'File', title: '/etc/x' },
};

const facts = (certname: string, environment: string, values: object, more: object = {}) => ({
  certname,
  environment,
  producer: 'puppet.test',
  producer_timestamp: '2026-11-01T10:00:00Z',
  values,
  ...more,
});

const resource = (type: string, title: string, more: object = {}) => ({
  type,
  title,
  tags: [type.toLowerCase()],
  exported: false,
  file: null,
  line: null,
  parameters: {},
  ...more,
});

/** What tests of the routes find: two active nodes and one that is deactivated. */
export async function fillInventory({ apply }: Pick<InventoryWorld, 'apply'>): Promise<void> {
  const packages = {
    package_inventory: [
      ['bash', '5.2', 'apt'],
      ['curl', '8.0', 'apt'],
    ],
  };
  const alpha = {
    os: { family: 'Debian', release: { major: '12' } },
    size: 4,
    list: ['red', 'blue'],
    disks: { sda: { size: 10 }, sdb: { size: 20 } },
    'dot.ted': 'yes',
    trusted: { certname: 'alpha.test', extensions: { pp_role: 'web' } },
    nothing: null,
    empty: {},
  };
  await apply('replace facts', 5, facts('alpha.test', 'production', alpha, packages));
  const beta = `{"os":{"family":"RedHat"},"size":"4","big":9007199254740993,"ratio":1.0,"flag":true}`;
  const text = JSON.stringify(facts('beta.test', 'testing', {})).replace('"values":{}', `"values":${beta}`);
  await apply('replace facts', 5, text);
  await apply('replace facts', 5, facts('gone.test', 'production', { os: { family: 'Debian' }, size: 1 }));
  await fillCatalog(apply);
  await fillReports(apply);
  await apply('deactivate node', 3, { certname: 'gone.test', producer_timestamp: '2026-11-04T00:00:00Z' });
}

async function fillCatalog(apply: InventoryWorld['apply']): Promise<void> {
  const uuid = '11111111-2222-4333-8444-555555555555';
  await apply('replace catalog', 9, {
    certname: 'alpha.test',
    version: '7',
    environment: 'production',
    transaction_uuid: uuid,
    catalog_uuid: uuid,
    code_id: 'code-1',
    job_id: null,
    producer: 'puppet.test',
    producer_timestamp: '2026-11-01T11:00:00Z',
    resources: [
      resource('Class', 'Web'),
      resource('File', '/etc/x', {
        tags: ['file', 'web', 'conf'],
        file: '/site.pp',
        line: 3,
        parameters: { ensure: 'file', mode: '0644', opts: { a: [1, 2] }, owners: ['root', 'web'] },
      }),
      resource('Host', 'alpha', { exported: true, parameters: { ip: '10.0.0.1' } }),
    ],
    edges: [EDGE],
  });
  const inputs = [
    ['hiera', 'web::port'],
    ['hiera', 'web::name'],
  ];
  const producer_timestamp = '2026-11-01T11:00:00Z';
  await apply('replace catalog inputs', 1, { certname: 'alpha.test', catalog_uuid: uuid, producer_timestamp, inputs });
}

const report = (certname: string, hour: string, status: string, more: object = {}) => ({
  certname,
  puppet_version: '8.10.0',
  report_format: 12,
  configuration_version: '7',
  start_time: `2026-11-03T${hour}:00:00Z`,
  end_time: `2026-11-03T${hour}:01:00.5Z`,
  producer_timestamp: `2026-11-03T${hour}:02:00Z`,
  producer: 'puppet.test',
  corrective_change: false,
  resources: [],
  noop: false,
  noop_pending: false,
  transaction_uuid: null,
  catalog_uuid: null,
  code_id: null,
  job_id: null,
  cached_catalog_status: 'not_used',
  metrics: [{ category: 'time', name: 'total', value: 1.5 }],
  logs: [],
  environment: 'production',
  status,
  ...more,
});

async function fillReports(apply: InventoryWorld['apply']): Promise<void> {
  const changed = {
    skipped: false,
    timestamp: '2026-11-03T08:00:30Z',
    resource_type: 'File',
    resource_title: '/etc/x',
    file: '/site.pp',
    line: 3,
    containment_path: ['Stage[main]', 'Web', 'File[/etc/x]'],
    corrective_change: false,
    events: [
      {
        status: 'success',
        corrective_change: false,
        timestamp: '2026-11-03T08:00:31Z',
        property: 'mode',
        new_value: '0644',
        old_value: '0600',
        message: 'mode changed',
      },
    ],
  };
  const skipped = { ...changed, skipped: true, resource_type: 'Service', resource_title: 'web', events: [] };
  await apply('store report', 8, report('alpha.test', '08', 'changed', { resources: [changed, skipped] }));
  await apply('store report', 8, report('alpha.test', '07', 'failed'));
  await apply('store report', 8, report('alpha.test', '09', 'changed', { type: 'plan' }));
  await apply('store report', 8, report('gone.test', '06', 'unchanged'));
}
