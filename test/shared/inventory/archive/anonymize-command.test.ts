/** The values that each profile replaces, and what still agrees after that. */
import { describe, expect, it } from 'vitest';
import { findProfile, PROFILE_NAMES } from '../../../../shared/inventory/archive/anonymization-profiles.ts';
import { anonymizeCommand } from '../../../../shared/inventory/archive/anonymize-command.ts';
import { Anonymizer } from '../../../../shared/inventory/archive/anonymizer.ts';
import type { InventoryCommand } from '../../../../shared/inventory/commands/apply-command.ts';

const NODE = 'web1.kept.example';
const PEER = 'db1.kept.example';
const UUID = '11111111-2222-4333-8444-555555555555';
const FILE = '/code/marked-file.pp';

const ORIGIN = {
  certname: NODE,
  producer: PEER,
  producer_timestamp: '2026-11-01T10:00:00Z',
  environment: 'marked_env',
};
const FACTS = {
  ...ORIGIN,
  values: {
    marked_fact: 'marked-value',
    kernelrelease: 'marked-kernel',
    hostname: 'marked-hostname',
    admin_password: { salt: 'marked-fact-secret' },
    peer: `https://${PEER}:8140/x`,
    list: [{ api_key: 'marked-fact-key' }],
    count: 123_456,
    on: true,
    nothing: null,
  },
  package_inventory: [['marked-package', '1.2-marked', 'apt']],
};
const FILE_RESOURCE = { type: 'File', title: '/etc/marked-title' };
const OWN = { type: 'Marked::Type', title: 'marked-own' };
const CATALOG = {
  ...ORIGIN,
  ...{ version: 'marked-version', code_id: 'marked-code', transaction_uuid: UUID, catalog_uuid: UUID, job_id: null },
  resources: [
    {
      type: 'Class',
      title: 'Marked_class',
      tags: ['class', 'marked_class'],
      exported: false,
      file: FILE,
      line: 4321,
      parameters: {},
    },
    {
      ...FILE_RESOURCE,
      tags: ['file', NODE, 'marked::type'],
      ...{ exported: false, file: FILE, line: 4322 },
      parameters: {
        ensure: 'marked-ensure',
        content: `marked-content for ${PEER}`,
        secret_token: 'marked-secret',
        opts: { password: 'marked-hidden', other: ['marked-inner'] },
        require: 'Package[marked-package]',
        before: ['Marked::Type[marked-own]', 'File[/etc/marked-other]'],
        alias: 'marked-alias',
      },
    },
    { ...OWN, tags: ['marked::type'], exported: true, file: null, line: null, parameters: { host: NODE } },
    { type: 'Package', title: 'marked-package', tags: [], exported: false, file: null, line: null, parameters: {} },
  ],
  edges: [
    { source: { type: 'Class', title: 'Marked_class' }, target: FILE_RESOURCE, relationship: 'contains' },
    { source: FILE_RESOURCE, target: OWN, relationship: 'before' },
  ],
};
const REPORT = {
  ...ORIGIN,
  ...{ configuration_version: 'marked-version', transaction_uuid: UUID, catalog_uuid: UUID, code_id: null },
  ...{ status: 'changed', puppet_version: '8.1.0' },
  resources: [
    {
      ...{ resource_type: 'File', resource_title: '/etc/marked-title', file: FILE, line: 4322, skipped: false },
      containment_path: ['Stage[main]', 'Marked_class', 'File[/etc/marked-title]'],
      events: [
        {
          property: 'content',
          name: 'marked-event',
          message: 'marked-message',
          new_value: 'marked-new',
          old_value: null,
        },
        {
          property: 'password',
          name: 'x',
          message: 'marked-secret-message',
          new_value: 'marked-secret-new',
          old_value: 1,
        },
      ],
    },
  ],
  metrics: [
    { category: 'time', name: 'marked_metric', value: 1.5 },
    { category: 'changes', name: 'total', value: 3 },
  ],
  logs: [
    {
      message: 'marked-log',
      source: '/Stage[main]/Marked_class/File[/etc/marked-title]/content',
      ...{ tags: ['notice', 'marked_class'], file: FILE, line: 4322, level: 'notice' },
    },
    { message: 'marked-end', source: 'Puppet', tags: [], file: null, line: null, level: 'notice' },
  ],
};
const INPUTS = {
  certname: NODE,
  catalog_uuid: UUID,
  producer_timestamp: ORIGIN.producer_timestamp,
  inputs: [['hiera', 'marked-key']],
};
const EXPIRATION = { certname: NODE, producer_timestamp: ORIGIN.producer_timestamp, expire: { facts: true } };

const COMMANDS = [
  ['configure expiration', EXPIRATION],
  ['replace facts', FACTS],
  ['replace catalog', CATALOG],
  ['replace catalog inputs', INPUTS],
  ['store report', REPORT],
] as const;

// biome-ignore lint/suspicious/noExplicitAny: payloads are looked at, member by member
type Payload = any;

function anonymize(
  name: string,
  key = Buffer.alloc(32, 7),
): { readonly text: string; readonly payloads: readonly Payload[] } {
  const profile = findProfile(name);
  if (profile === null) throw new Error(`no profile ${name}`);
  const anonymizer = new Anonymizer(profile, key, new Set([NODE, PEER]));
  const changed = COMMANDS.map(([command, payload]) => {
    const given: InventoryCommand = { command, version: 1, certname: NODE, payload: JSON.stringify(payload) };
    return anonymizeCommand(anonymizer, given);
  });
  return {
    text: JSON.stringify(changed.map(({ certname, payload }) => [certname, payload])),
    payloads: changed.map(({ payload }) => JSON.parse(payload)),
  };
}

/** Texts that are in the data, and the profiles that leave them there. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  [NODE]: ['none'],
  [PEER]: ['none'],
  marked_env: ['none', 'low'],
  'marked-version': ['none', 'low'],
  'marked-code': ['none', 'low'],
  [UUID]: ['none', 'low', 'moderate'],
  marked_fact: ['none', 'low'],
  'marked-value': ['none', 'low'],
  kernelrelease: ['none', 'low', 'moderate'],
  'marked-kernel': ['none', 'low', 'moderate'],
  hostname: ['none', 'low', 'moderate'],
  'marked-hostname': ['none', 'low'],
  'marked-fact-secret': ['none'],
  'marked-fact-key': ['none'],
  123456: ['none', 'low'],
  'marked-package': ['none', 'low', 'moderate'],
  '1.2-marked': ['none', 'low', 'moderate'],
  'marked-title': ['none', 'low'],
  'marked-own': ['none', 'low'],
  'marked-other': ['none', 'low'],
  'marked-alias': ['none', 'low'],
  'Marked::Type': ['none', 'low'],
  'marked::type': ['none', 'low'],
  Marked_class: ['none', 'low'],
  marked_class: ['none', 'low'],
  'marked-ensure': ['none', 'low', 'moderate'],
  'marked-content': ['none', 'low'],
  secret_token: ['none', 'low', 'moderate'],
  'marked-secret': ['none'],
  'marked-hidden': ['none'],
  'marked-inner': ['none', 'low'],
  'marked-file': ['none', 'low'],
  4322: ['none', 'low', 'moderate'],
  'marked-event': ['none', 'low'],
  'marked-message': ['none', 'low'],
  'marked-new': ['none', 'low'],
  'marked-secret-message': ['none'],
  'marked-secret-new': ['none'],
  marked_metric: ['none', 'low'],
  'marked-log': ['none'],
  'marked-end': ['none'],
  'marked-key': ['none', 'low'],
  hiera: ['none', 'low', 'moderate'],
};

describe.each(PROFILE_NAMES)('the profile %s', (name) => {
  it('leaves what it says, and nothing of the rest', () => {
    const { text } = anonymize(name);
    const left = Object.keys(MARKS).filter((mark) => text.includes(mark));
    expect(left).toEqual(Object.keys(MARKS).filter((mark) => MARKS[mark]?.includes(name) === true));
  });

  it('keeps what belongs together', () => {
    const [expiration, facts, catalog, inputs, report] = anonymize(name).payloads;
    const names = [expiration, facts, catalog, inputs, report].map(({ certname }) => certname);
    expect(new Set(names).size).toBe(1);
    expect(names[0]).toMatch(/^[\w.-]+$/);
    const known = new Set(catalog.resources.map(({ type, title }: Payload) => `${type}[${title}]`));
    expect(known.size).toBe(CATALOG.resources.length);
    for (const { source, target } of catalog.edges) {
      expect(known).toContain(`${source.type}[${source.title}]`);
      expect(known).toContain(`${target.type}[${target.title}]`);
    }
    const [, file, own, pack] = catalog.resources;
    expect(known).toContain(file.parameters.require);
    expect(known).toContain(file.parameters.before[0]);
    expect(report.resources[0]).toMatchObject({
      resource_type: file.type,
      resource_title: file.title,
      file: file.file,
    });
    const path = report.resources[0].containment_path;
    expect(path[2]).toBe(`${file.type}[${file.title}]`);
    expect(path[1]).toBe(catalog.resources[0].title);
    expect(report.logs[0].source).toBe(`/${path[0]}/${path[1]}/${path[2]}/${report.resources[0].events[0].property}`);
    expect(Object.values(own.parameters)).toEqual(
      name === 'full' || name === 'moderate' ? [expect.any(String)] : [names[0]],
    );
    expect(facts.package_inventory[0][0]).toBe(pack.title);
    expect([catalog.catalog_uuid, report.catalog_uuid, report.transaction_uuid]).toEqual(
      Array(3).fill(inputs.catalog_uuid),
    );
    expect(facts.producer).toBe(catalog.producer);
    expect([catalog.environment, report.environment]).toEqual([facts.environment, facts.environment]);
    expect(catalog.version).toBe(report.configuration_version);
  });

  it('keeps times, states, numbers of members and their types', () => {
    const [expiration, facts, catalog, inputs, report] = anonymize(name).payloads;
    expect(expiration.expire).toEqual({ facts: true });
    const kinds = (value: object) => Object.values(value).map((one) => (one === null ? 'null' : typeof one));
    expect(kinds(facts.values)).toEqual(kinds(FACTS.values));
    expect(facts.producer_timestamp).toBe(ORIGIN.producer_timestamp);
    expect(catalog.resources.map(({ exported }: Payload) => exported)).toEqual([false, false, true, false]);
    expect(catalog.edges.map(({ relationship }: Payload) => relationship)).toEqual(['contains', 'before']);
    expect(kinds(catalog.resources[1].parameters)).toEqual(kinds(CATALOG.resources[1]?.parameters ?? {}));
    expect(inputs.inputs).toHaveLength(1);
    expect([report.status, report.puppet_version, report.logs[0].level]).toEqual(['changed', '8.1.0', 'notice']);
    expect(report.metrics[1]).toEqual(REPORT.metrics[1]);
  });
});

it('gives other replacements with another key, and the same ones with the same', () => {
  const [one, same, other] = [anonymize('full'), anonymize('full'), anonymize('full', Buffer.alloc(32, 8))];
  expect(same.text).toBe(one.text);
  expect(other.payloads[0].certname).not.toBe(one.payloads[0].certname);
});

it.each(['', 'Full', 'constructor', 'toString'])('knows no profile %j', (name) => {
  expect(findProfile(name)).toBeNull();
});
