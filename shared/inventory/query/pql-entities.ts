import { PQL_ENTITIES } from '../pql/pql-grammar.ts';
import { findEntity } from './entity-registry.ts';

/** An entity that a query in PQL may name, with its fields. */
interface PqlEntity {
  readonly name: string;
  readonly fields: readonly PqlField[];
}

interface PqlField {
  readonly name: string;
  /** The type that comparisons have. */
  readonly type: string;
  /** Whether conditions may name it. */
  readonly isQueryable: boolean;
  /** Whether answers may have it. */
  readonly isProjectable: boolean;
  /** Whether conditions may name a part of it, as `facts.os.name`. */
  readonly hasPaths: boolean;
}

/** All entities of PQL and their fields, both by name: what the queries of the inventory know. */
export function describePqlEntities(): readonly PqlEntity[] {
  return PQL_ENTITIES.toSorted().map((name) => {
    const { fields = new Map(), dottedFields = [] } = findEntity(name) ?? {};
    const described = [...fields].map(([field, { type, isQueryable, isProjectable }]) => ({
      ...{ name: field, type, isQueryable, isProjectable },
      hasPaths: dottedFields.includes(field),
    }));
    return { name, fields: described.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  });
}
