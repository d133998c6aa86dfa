/** The kinds of errors of Puppet Enterprise's classifier API; `conflict` is ours. */
export type GroupErrorKind =
  | 'malformed-request'
  | 'malformed-uuid'
  | 'schema-violation'
  | 'not-found'
  | 'conflict'
  | 'uniqueness-violation'
  | 'missing-referents'
  | 'missing-parent'
  | 'inheritance-cycle'
  | 'unreachable-groups'
  | 'children-present'
  | 'root-immutable'
  | 'untranslatable-rule'
  | 'classification-conflict';

/** A request about node groups that cannot be carried out as it is. */
export class GroupRefused extends Error {
  readonly kind: GroupErrorKind;
  readonly details: unknown;

  constructor(kind: GroupErrorKind, message: string, details: unknown = null) {
    super(message);
    this.name = 'GroupRefused';
    this.kind = kind;
    this.details = details;
  }
}

/** The refusal of an id that names nothing. `details` is the address that was asked for. */
export function groupNotFound(details: string): GroupRefused {
  return new GroupRefused('not-found', 'The resource could not be found.', details);
}
