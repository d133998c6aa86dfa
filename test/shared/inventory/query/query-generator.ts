/** Random queries about the inventory of `odd-inventory.ts`; the same ones for the same seed. */
import type { Ast, AstList } from '../../../../shared/inventory/ast/ast.ts';

/** A field that queries ask for, with values that may be compared with it. */
interface Field {
  readonly name: string;
  readonly kind: 'text' | 'time' | 'number' | 'boolean' | 'json' | 'path' | 'list';
  readonly values: readonly Ast[];
}

interface Entity {
  readonly name: string;
  /** What an answer shows: enough to distinguish rows, and the same in any database. */
  readonly shown: readonly string[];
  readonly fields: readonly Field[];
  /** Fields that subqueries project. */
  readonly links: readonly string[];
}

const CERTNAMES = ['alpha.test', 'beta.test', 'gamma.test', 'delta.test', 'nobody.test'];
const TIMES = ['2026-11-03T08:02:00Z', '2026-11-03', '2026-11-10T00:00:00Z'];
const JSON_VALUES = [1, 5, '5', 'red', true, false, 2.5, '', 'Debian'];

const text = (name: string, ...values: readonly Ast[]): Field => ({ name, kind: 'text', values });
const time = (name: string): Field => ({ name, kind: 'time', values: TIMES });
const json = (name: string, ...values: readonly Ast[]): Field => ({
  name,
  kind: 'json',
  values: [...values, ...JSON_VALUES],
});

const CERTNAME = text('certname', ...CERTNAMES);
const DOCUMENT = [
  ...['os.family', 'os.release.major', 'size', 'flag', 'nothing', 'nowhere', 'list', 'list[0]', 'list[7]', 'disks.sda'],
  ...['disks.sda.size', 'disks.nowhere.size', 'os.nowhere', 'size.below', 'ratio', '"dot.ted"', 'empty', 'mixed[1].k'],
  ...['match("s.*")', 'disks.match("sd.*").size', 'os.match("f.*")', 'match("zz")', 'mixed.match(".").k'],
];

const ENTITIES: readonly Entity[] = [
  {
    name: 'inventory',
    shown: ['certname'],
    links: ['certname', 'environment'],
    fields: [
      CERTNAME,
      text('environment', 'production', 'testing', 'nowhere'),
      ...DOCUMENT.map((path) => json(`facts.${path}`)),
      json('trusted.certname', ...CERTNAMES),
      json('trusted.extensions.pp_role', 'web'),
    ],
  },
  {
    name: 'nodes',
    shown: ['certname', 'facts_environment', 'latest_report_status'],
    links: ['certname', 'facts_environment', 'catalog_environment'],
    fields: [
      CERTNAME,
      text('facts_environment', 'production', 'testing'),
      text('catalog_environment', 'production'),
      text('latest_report_status', 'changed', 'failed'),
      text('cached_catalog_status', 'not_used'),
      time('report_timestamp'),
      time('deactivated'),
      { name: 'latest_report_noop', kind: 'boolean', values: [true, false] },
    ],
  },
  {
    name: 'facts',
    shown: ['certname', 'name', 'value'],
    links: ['certname', 'name', 'environment'],
    fields: [
      CERTNAME,
      text('name', 'size', 'os', 'list', 'nothing', 'nowhere'),
      text('environment', 'production', 'testing'),
      json('value'),
    ],
  },
  {
    name: 'fact_contents',
    shown: ['certname', 'path', 'value'],
    links: ['certname', 'name', 'path'],
    fields: [
      CERTNAME,
      text('name', 'size', 'os', 'disks'),
      json('value'),
      { name: 'path', kind: 'path', values: [['size'], ['os', 'family'], ['list', 0]] },
    ],
  },
  {
    name: 'resources',
    shown: ['certname', 'type', 'title'],
    links: ['certname', 'title', 'type'],
    fields: [
      CERTNAME,
      text('type', 'File', 'Class', 'Host'),
      text('title', 'Web', '/etc/x', 'alpha'),
      text('file', '/site.pp', '/none'),
      { name: 'line', kind: 'number', values: [3, 4, 0] },
      { name: 'exported', kind: 'boolean', values: [true, false] },
      { name: 'tags', kind: 'list', values: ['web', 'conf', 'none'] },
      ...['ensure', 'mode', 'opts', 'opts.a', 'owners', 'owners[0]', 'nowhere', 'nowhere.below', 'unset'].map((path) =>
        json(`parameters.${path}`, 'file', '0644', 'root'),
      ),
    ],
  },
  {
    name: 'reports',
    shown: ['certname', 'status', 'producer_timestamp'],
    links: ['certname', 'environment'],
    fields: [
      CERTNAME,
      text('status', 'changed', 'failed', 'unchanged'),
      text('environment', 'production', 'testing'),
      text('code_id', 'code-1'),
      time('end_time'),
      time('producer_timestamp'),
      { name: 'noop', kind: 'boolean', values: [true, false] },
    ],
  },
  {
    name: 'events',
    shown: ['certname', 'resource_type', 'resource_title', 'property', 'status'],
    links: ['certname', 'resource_title'],
    fields: [
      CERTNAME,
      text('resource_type', 'File', 'Service'),
      text('resource_title', '/etc/x', 'web'),
      text('property', 'ensure', 'content'),
      text('containing_class', 'Web'),
      text('file', '/site.pp'),
      { name: 'line', kind: 'number', values: [3, 4] },
      time('timestamp'),
    ],
  },
  {
    name: 'edges',
    shown: ['certname', 'source_title', 'target_title'],
    links: ['certname'],
    fields: [CERTNAME, text('source_type', 'Class'), text('target_title', '/etc/x'), text('relationship', 'contains')],
  },
  {
    name: 'package_inventory',
    shown: ['certname', 'package_name', 'version'],
    links: ['certname'],
    fields: [CERTNAME, text('package_name', 'bash', 'curl'), text('version', '5.2', '1'), text('provider', 'apt')],
  },
];

const PATTERNS = ['^a', 'e', '5', '.', '^$', '[0-9]+', 'web|red', 'T', '^/etc'];
const ORDERS = ['<', '<=', '>', '>='];

export class QueryGenerator {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** The next query, `["from", entity, ["extract", fields, condition]]`. */
  next(): AstList {
    const entity = this.#pick(ENTITIES);
    return ['from', entity.name, ['extract', entity.shown, this.#condition(entity, 3)]];
  }

  #condition(entity: Entity, depth: number): Ast {
    const chance = this.#below(10);
    if (depth > 0 && chance < 3) return ['not', this.#condition(entity, depth - 1)];
    if (depth > 0 && chance < 6) {
      const parts = Array.from({ length: 2 + this.#below(2) }, () => this.#condition(entity, depth - 1));
      return [this.#pick(['and', 'or']), ...parts];
    }
    if (depth > 1 && chance === 6) return this.#membership(entity, depth - 1);
    return this.#comparison(this.#pick(entity.fields));
  }

  #comparison(field: Field): Ast {
    const { name, values, kind } = field;
    const value = this.#pick(values);
    const isPlain = !name.includes('.');
    switch (this.#below(6)) {
      case 0:
        return ['null?', name, this.#below(2) === 0];
      case 1:
        if (kind === 'text' || kind === 'json' || kind === 'list') return ['~', name, this.#pick(PATTERNS)];
        break;
      case 2:
        if (kind === 'number' || kind === 'json') return [this.#pick(ORDERS), name, this.#below(7)];
        if (kind === 'time') return [this.#pick(ORDERS), name, value];
        break;
      case 3:
        if (isPlain && kind !== 'list' && kind !== 'boolean') {
          return ['in', name, ['array', [value, this.#pick(values.filter((one) => typeof one === typeof value))]]];
        }
        break;
      default:
        break;
    }
    return ['=', name, value];
  }

  /** `in` with a subquery, which may project more than is compared. */
  #membership(entity: Entity, depth: number): Ast {
    const other = this.#pick(ENTITIES);
    const condition = this.#condition(other, depth - 1);
    const shared = other.links.filter((link) => entity.links.includes(link));
    const compared = this.#below(3) === 0 && shared.length > 1 ? shared.slice(0, 2) : ['certname'];
    const projected =
      this.#below(3) === 0 ? [...compared, ...other.links.filter((one) => !compared.includes(one))] : compared;
    const isOne = compared.length === 1 && this.#below(2) === 0;
    return ['in', isOne ? 'certname' : compared, ['extract', projected, [`select_${other.name}`, condition]]];
  }

  #pick<T>(list: readonly T[]): T {
    const picked = list[this.#below(list.length)];
    if (picked === undefined) throw new Error('an empty list has nothing to pick');
    return picked;
  }

  #below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}
