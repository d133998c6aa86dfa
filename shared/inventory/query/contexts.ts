import type { AstList } from '../ast/ast.ts';
import type { Entity } from './entity.ts';

/** The entity of each clause of a query. Clauses made later have none. */
export class ClauseContexts {
  readonly #entities = new WeakMap<AstList, Entity>();

  /** Notes the entity of a clause, and gives the clause. */
  note(clause: AstList, entity: Entity | undefined): AstList {
    if (entity !== undefined) this.#entities.set(clause, entity);
    return clause;
  }

  /** The entity of a clause. */
  of(clause: AstList): Entity | undefined {
    return this.#entities.get(clause);
  }
}
