import { expect, it } from 'vitest';
import { PQL_ENTITIES } from '../../../../shared/inventory/pql/pql-grammar.ts';
import { describePqlEntities } from '../../../../shared/inventory/query/pql-entities.ts';

const ENTITIES = describePqlEntities();

it('describes each entity that a query in PQL may name, with fields', () => {
  expect(ENTITIES.map(({ name }) => name)).toEqual(PQL_ENTITIES.toSorted());
  expect(ENTITIES.filter(({ fields }) => fields.length === 0)).toEqual([]);
});

it.each([
  ['nodes', 'certname', { type: 'string', isQueryable: true, isProjectable: true, hasPaths: false }],
  ['inventory', 'facts', { type: 'queryable-json', isQueryable: true, isProjectable: true, hasPaths: true }],
  ['resources', 'parameters', { type: 'queryable-json', isQueryable: true, isProjectable: true, hasPaths: true }],
  ['reports', 'latest_report?', { type: 'string', isQueryable: true, isProjectable: false, hasPaths: false }],
  ['reports', 'logs', { type: 'json', isQueryable: false, isProjectable: true, hasPaths: false }],
])('describes the field %s.%s', (entity, field, expected) => {
  const { fields = [] } = ENTITIES.find(({ name }) => name === entity) ?? {};
  expect(fields.find(({ name }) => name === field)).toEqual({ name: field, ...expected });
});
