import { describe, expect, it } from 'vitest';
import { packQuietRun, readQuietRun } from '../../../../shared/fleet/reports/quiet-run.ts';
import { readCatalog } from '../../../../shared/inventory/commands/read-catalog.ts';
import { readReport } from '../../../../shared/inventory/commands/read-report.ts';
import { toWireCatalog } from '../../../../shared/inventory/feed/wire-catalog.ts';
import { toQuietReport, toWireReport } from '../../../../shared/inventory/feed/wire-report.ts';

const ORIGIN = { certname: 'a.test', environment: 'production', producer: 'p.test', time: '2026-11-01T00:00:00.000Z' };
const resource = (type: string, title: string, parameters: object = {}, more: object = {}) => ({
  type,
  title,
  tags: [type],
  exported: false,
  parameters,
  ...more,
});

describe('toWireCatalog', () => {
  const edgesOf = (...resources: readonly object[]) =>
    readCatalog(toWireCatalog({ version: 1, resources, edges: [] }, ORIGIN), 9).edges.map(
      ({ source, target, relationship }) =>
        `${source.type}[${source.title}] ${relationship} ${target.type}[${target.title}]`,
    );

  it.each<[object, string]>([
    [{ require: 'File[/b]' }, 'File[/b] required-by File[/a]'],
    [{ subscribe: ['File[/b]'] }, 'File[/b] subscription-of File[/a]'],
    [{ before: [['File[/b]']] }, 'File[/a] before File[/b]'],
    [{ notify: 'Service[web]' }, 'File[/a] notifies Service[httpd]'],
    [{ notify: 'File[/b/]' }, 'File[/a] notifies File[/b]'],
  ])('makes an edge of %j', (parameters, edge) => {
    const others = [resource('File', '/b'), resource('Service', 'httpd', { alias: 'web' })];
    expect(edgesOf(resource('File', '/a', parameters), ...others)).toEqual([edge]);
  });

  it.each(['File[/b]', 'File[/b/]', 'File[/b//]'])('finds a file whose title ends with a slash as %s', (reference) => {
    expect(edgesOf(resource('File', '/a', { require: reference }), resource('File', '/b/'))).toEqual([
      'File[/b/] required-by File[/a]',
    ]);
  });

  it('keeps the containment of a file whose title ends with a slash', () => {
    const resources = [resource('Class', 'Web'), resource('File', '/b/')];
    const edges = [{ source: 'Class[Web]', target: 'File[/b/]' }];
    expect(toWireCatalog({ version: 1, resources, edges }, ORIGIN).edges).toMatchObject([
      { source: { title: 'Web' }, target: { title: '/b/' }, relationship: 'contains' },
    ]);
  });

  it('makes no edge to what the catalog does not have, nor of an exported resource', () => {
    expect(edgesOf(resource('File', '/a', { require: 'File[/none]' }))).toEqual([]);
    expect(
      edgesOf(resource('File', '/a', { require: 'File[/b]' }, { exported: true }), resource('File', '/b')),
    ).toEqual([]);
  });

  it('keeps the head, containment and files, and leaves out sensitive parameters', () => {
    const secret = resource(
      'File',
      '/a',
      { content: 'x', mode: '0600' },
      { sensitive_parameters: ['content'], file: '/s.pp', line: 2 },
    );
    const edges = [{ source: 'Class[Web]', target: 'File[/a]' }];
    const catalog = {
      version: 7,
      code_id: 'c',
      catalog_uuid: null,
      resources: [resource('Class', 'Web'), secret],
      edges,
    };
    const wire = readCatalog(toWireCatalog(catalog, ORIGIN), 9);
    expect(wire).toMatchObject({ certname: 'a.test', version: '7', codeId: 'c', environment: 'production' });
    expect(wire.resources[1]).toEqual({
      type: 'File',
      title: '/a',
      tags: ['file'],
      exported: false,
      file: '/s.pp',
      line: 2,
      parameters: { mode: '0600' },
    });
    expect(wire.edges).toEqual([
      { source: { type: 'Class', title: 'Web' }, target: { type: 'File', title: '/a' }, relationship: 'contains' },
    ]);
  });
});

const SUMMARY = {
  certname: 'a.test',
  receivedAt: Date.UTC(2026, 10, 1, 10, 5),
  status: 'unchanged' as const,
  environment: 'production',
  time: '2026-11-01T10:00:00+00:00',
  puppetVersion: '8.10.0',
  transactionUuid: null,
  noop: false,
  blob: null,
};

describe('toWireReport', () => {
  it('takes events, skipped resources, logs, metrics and times', () => {
    const status = (more: object) => ({
      title: '/a',
      resource_type: 'File',
      file: null,
      line: null,
      time: SUMMARY.time,
      containment_path: ['Stage[main]', 'Web', 'File[/a]'],
      skipped: false,
      events: [],
      ...more,
    });
    const event = {
      status: 'success',
      time: SUMMARY.time,
      property: 'mode',
      previous_value: 'x',
      desired_value: ['y'],
      message: 'm',
    };
    const report = {
      time: SUMMARY.time,
      puppet_version: '8.10.0',
      report_format: 12,
      configuration_version: 7,
      status: 'changed',
      environment: 'testing',
      logs: [{ level: 'notice', message: 'm', source: 'Puppet', tags: ['t'], time: SUMMARY.time }],
      metrics: { time: { name: 'time', values: [['total', 'Total', 2.5]] } },
      resource_statuses: {
        a: status({ events: [event] }),
        b: status({ title: '/b', skipped: true }),
        c: status({ title: '/c' }),
      },
    };
    const read = readReport(toWireReport(report, SUMMARY, 'p.test'), 8);
    expect(read).toMatchObject({
      producerTime: '2026-11-01T10:05:00.000Z',
      environment: 'testing',
      columns: {
        end_time: '2026-11-01T10:00:02.500Z',
        configuration_version: '7',
        noop_pending: false,
        status: 'changed',
      },
      metrics: [{ category: 'time', name: 'total', value: 2.5 }],
      logs: [{ file: null, message: 'm' }],
    });
    expect(
      read.events.map(({ resource_title, status: outcome, new_value }) => [resource_title, outcome, new_value]),
    ).toEqual([
      ['/a', 'success', '"[\\"y\\"]"'],
      ['/b', 'skipped', 'null'],
    ]);
  });

  it('knows of a report that is lost what its summary says', () => {
    expect(readReport(toQuietReport(SUMMARY, 'p.test'), 8)).toMatchObject({
      certname: 'a.test',
      columns: { start_time: '2026-11-01T10:00:00.000Z', status: 'unchanged', puppet_version: '8.10.0' },
      events: [],
    });
  });

  it('gives of a quiet run all but the logs of its report', () => {
    const counts = (names: string) => names.split(' ').map((name) => [name, name, 0]);
    const report = {
      time: SUMMARY.time,
      puppet_version: '8.10.0',
      report_format: 12,
      configuration_version: 1795213930,
      transaction_uuid: '7066351b-01bd-44ee-bee3-da977e224a81',
      catalog_uuid: 'ae15e1c1-2cfd-46cd-8b97-faeaf414b764',
      cached_catalog_status: 'not_used',
      code_id: 'c0de',
      job_id: 12,
      status: 'unchanged',
      noop: false,
      noop_pending: false,
      corrective_change: false,
      environment: SUMMARY.environment,
      logs: [{ level: 'notice', message: 'Applied catalog', source: 'Puppet', tags: [], time: SUMMARY.time }],
      metrics: {
        resources: {
          name: 'resources',
          values: [
            ['total', 'Total', 26],
            ...counts('skipped failed failed_to_restart restarted changed out_of_sync scheduled corrective_change'),
          ],
        },
        time: {
          name: 'time',
          values: [
            ['file', 'File', 0.146491],
            ['custom', 'Custom', 0],
            ['total', 'Total', 12.816209],
          ],
        },
        changes: { name: 'changes', values: counts('total') },
        events: { name: 'events', values: counts('total failure success') },
      },
      resource_statuses: {},
    };
    const quiet = readQuietRun(JSON.parse(JSON.stringify(packQuietRun(report))));
    const summary = {
      ...SUMMARY,
      transactionUuid: report.transaction_uuid,
      catalogUuid: report.catalog_uuid,
      blob: null,
      quiet: quiet ?? undefined,
    };
    const whole = readReport(toWireReport(report, summary, 'p.test'), 8);
    expect(readReport(toQuietReport(summary, 'p.test'), 8)).toEqual({ ...whole, hash: expect.any(String), logs: [] });
  });

  it('keeps of a quiet run no metrics without bound', () => {
    const values = Array.from({ length: 500 }, (_, index) => [`metric${index}`, '', index + 1]);
    expect(packQuietRun({ metrics: { time: { values } } })).not.toHaveProperty('metrics');
  });
});
