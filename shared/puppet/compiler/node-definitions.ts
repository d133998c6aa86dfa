import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { locationSuffix, PuppetError } from '../errors/puppet-error.ts';
import type { MatchGroups } from '../evaluator/scope-frame.ts';
import type { Expression, NodeDefinition } from '../language/ast.ts';
import type { Language } from '../levels/language.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { CodeUnit, placeOf, type UnitFinder } from './code-unit.ts';

/**
 * `node` statements, found by name, by regular expression, or as default. Puppet:
 * TypeCollection#node
 */
export class NodeDefinitions {
  readonly #byName = new Map<string, CodeUnit>();
  readonly #patterns = new Map<CodeUnit, PuppetRegexp>();
  readonly #matches = new Map<CodeUnit, MatchGroups>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  findByName(name: string): CodeUnit | null {
    return this.#byName.get(name) ?? null;
  }

  matchOf(unit: CodeUnit): MatchGroups | null {
    return this.#matches.get(unit) ?? null;
  }

  /** Creates a unit for each name and pattern of a statement. */
  unitsOf(definition: NodeDefinition, moduleName: string, finder: UnitFinder, language: Language): CodeUnit[] {
    return definition.hostMatches.map((match) => {
      if (match.kind === 'LiteralRegularExpression') {
        const unit = new CodeUnit('node', nameOfPattern(match.pattern, language), definition, moduleName, finder);
        this.#patterns.set(unit, new PuppetRegexp(match.pattern));
        return unit;
      }
      return new CodeUnit('node', hostName(match).toLowerCase(), definition, moduleName, finder);
    });
  }

  /** Adds a node. Throws when a node or a class (`sameClass`) of that name exists. */
  add(unit: CodeUnit, sameClass: CodeUnit | undefined): void {
    const existing = this.#byName.get(unit.name);
    if (existing)
      throw clashError(ISSUES.NODE_ALREADY_DEFINED({ name: unit.name, place: placeSuffix(existing) }), unit);
    if (sameClass) {
      throw clashError(ISSUES.CLASS_IS_NO_NODE({ name: unit.name, place: placeSuffix(sameClass) }), unit);
    }
    this.#byName.set(unit.name, unit);
  }

  /**
   * Returns the node that matches one of the names, else `default`; null when there are no nodes.
   * Throws when there are nodes and none matches.
   */
  select(names: readonly string[]): CodeUnit | null {
    if (this.isEmpty) return null;
    // Puppet: patterns are also tested against `default`.
    for (const name of [...names, 'default']) {
      const unit = this.#select(name.toLowerCase());
      if (unit) return unit;
    }
    throw new PuppetError(ISSUES.NODE_STATEMENT_NOT_FOUND({ names: names.join(', ') }));
  }

  /**
   * Finds the code for a node's resource by its title, in lower case. Puppet: a title with groups
   * that were spelt out is not a node's name, but a pattern may match it.
   */
  findByTitle(title: string): CodeUnit | null {
    return this.#select(title.toLowerCase());
  }

  #select(name: string): CodeUnit | null {
    const named = this.#byName.get(name);
    if (named) return named;
    for (const [unit, pattern] of this.#patterns) {
      const match = pattern.exec(name);
      if (!match) continue;
      this.#matches.set(unit, [...match]);
      return unit;
    }
    return null;
  }
}

const SPELT_OUT: ReadonlyMap<string, string> = new Map([
  ['(', 'lp'],
  ['?', 'qu'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['!', 'ex'],
  ['=', 'eq'],
  [')', 'rp'],
]);

/**
 * Puppet: a group that starts with `(?` is spelt out, so that patterns remain distinct,
 * lib/puppet/resource/type.rb.
 */
function nameOfPattern(pattern: string, { nodePatternsInLowerCase }: Language): string {
  const spell = (char: string) => {
    const spelt = SPELT_OUT.get(char) ?? char;
    return nodePatternsInLowerCase ? spelt : spelt.toUpperCase();
  };
  const name = pattern
    .toLowerCase()
    .replace(/\(\?[^)]*\)/g, (group) => group.replace(/[(?<>!=)]/g, spell))
    .replace(/[^-\w:.]/g, '')
    .replace(/^\.+/, '');
  return `__node_regexp__${name}`;
}

function hostName(match: Expression): string {
  switch (match.kind) {
    case 'LiteralDefault':
      return 'default';
    case 'LiteralString':
    case 'QualifiedName':
      return match.value;
    case 'LiteralInteger':
    case 'LiteralFloat':
      return String(match.value);
    case 'ConcatenatedString':
      return match.segments.map(hostName).join('');
    default:
      throw new PuppetError(ISSUES.ILLEGAL_HOSTNAME({ kind: match.kind }));
  }
}

function placeSuffix({ definition }: CodeUnit): string {
  return definition ? locationSuffix(placeOf(definition)) : '';
}

function clashError(issue: Issue, { definition }: CodeUnit): PuppetError {
  return new PuppetError(issue, definition ? placeOf(definition) : {});
}
