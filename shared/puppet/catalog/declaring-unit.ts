/**
 * The class, node or define whose code declared something (Puppet's `source`, a
 * `Puppet::Resource::Type`). One object per definition and compile: units are compared by identity.
 */
export interface DeclaringUnit {
  readonly kind: 'class' | 'define' | 'node';
  /** In lower case, without a leading `::`; '' for the main class. */
  readonly name: string;
  /** The module; null for code of the site manifest. */
  readonly moduleName: string | null;
  /**
   * Whether this unit inherits from `other`, directly or indirectly, or overrides through a
   * collector.
   */
  isChildOf(other: DeclaringUnit | null): boolean;
}
