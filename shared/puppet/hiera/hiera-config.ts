import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { rubyEquals } from '../types/equality.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import type { EntryProvider } from './entry-provider.ts';
import { Invocation, type RememberedVariable } from './invocation.ts';
import type { DataLayer } from './layer.ts';
import { digSegments } from './lookup-key.ts';
import { type MergeStrategy, mergeStrategy } from './merge-strategy.ts';
import { hiera3Variables } from './variables.ts';

const RECREATED = 'Hiera configuration recreated due to change of scope variables used in interpolation expressions';

/** Creates the providers of a hierarchy; `defaults` selects `default_hierarchy`. */
type HierarchyMaker = (
  config: HieraConfig,
  invocation: Invocation,
  layer: DataLayer,
  defaults: boolean,
) => readonly EntryProvider[];

/** A parsed and validated hiera.yaml. */
export class HieraConfig {
  readonly version: 3 | 4 | 5;
  /** Path of hiera.yaml; null for the default configuration of a layer without one. */
  readonly path: string | null;
  /** The folder that relative paths start from. */
  readonly root: string;
  readonly settings: PuppetHash;
  readonly #text: string;
  readonly #makeHierarchy: HierarchyMaker;
  #providers: readonly EntryProvider[] | null = null;
  #defaultProviders: readonly EntryProvider[] = [];
  #remembered: readonly RememberedVariable[] = [];
  #isBarren = false;

  constructor(
    version: 3 | 4 | 5,
    source: { readonly path: string | null; readonly root: string; readonly text: string },
    settings: PuppetHash,
    makeHierarchy: HierarchyMaker,
  ) {
    this.version = version;
    this.path = source.path;
    this.root = source.root;
    this.settings = settings;
    this.#text = source.text;
    this.#makeHierarchy = makeHierarchy;
  }

  /** Whether the hierarchy is already known to have no data for any key. */
  get isBarren(): boolean {
    return this.#isBarren;
  }

  get hasDefaultHierarchy(): boolean {
    return this.version === 5 && this.settings.has('default_hierarchy');
  }

  /**
   * The merge strategy that Hiera 3's `merge_behavior` selects; null for `native` and for other
   * versions.
   */
  get hiera3Merge(): MergeStrategy | null {
    if (this.version !== 3) return null;
    const behavior = this.settings.get('merge_behavior');
    if (behavior === 'array') return mergeStrategy('unique');
    if (behavior !== 'deep' && behavior !== 'deeper') return null;
    const options = this.settings.get('deep_merge_options');
    const strategy = behavior === 'deep' ? 'reverse_deep' : 'unconstrained_deep';
    const named = PuppetHash.of([['strategy', strategy]]);
    return mergeStrategy(options instanceof PuppetHash ? named.merge(options) : named);
  }

  /**
   * Returns the providers of the hierarchy. They are rebuilt when a variable that they were built
   * with has changed.
   */
  createProviders(invocation: Invocation, layer: DataLayer, defaults: boolean): readonly EntryProvider[] {
    if (!this.#providers || !this.#isStable(invocation)) {
      if (this.#providers) invocation.explainer?.noteText(RECREATED);
      const collecting = this.#createCollectingInvocation(invocation);
      try {
        this.#providers = this.#makeHierarchy(this, collecting, layer, false);
        this.#defaultProviders = this.hasDefaultHierarchy ? this.#makeHierarchy(this, collecting, layer, true) : [];
      } catch (error) {
        // An interpolation error in hiera.yaml is reported at that file.
        if (error instanceof LookupError && error.issueCode !== undefined && error.location.file === undefined) {
          throw new LookupError(error.basic, { file: this.path ?? undefined, issueCode: error.issueCode });
        }
        const [, name] = error instanceof RubyFault ? (/^Undefined variable '([^']+)'/.exec(error.basic) ?? []) : [];
        if (name === undefined) throw error;
        const line = this.findLine(`%\\{['"]?${name}['"]?}`);
        this.fail(ISSUES.HIERA_UNDEFINED_VARIABLE({ name }), line);
      }
      this.#remembered = collecting.remembered ?? [];
      const canChange = this.version === 3 || this.#remembered.length > 0;
      this.#isBarren = !canChange && !this.#providers.some((provider) => provider.hasLocation);
    }
    return defaults ? this.#defaultProviders : this.#providers;
  }

  #createCollectingInvocation(invocation: Invocation): Invocation {
    const { scope } = invocation;
    const variables = this.version === 3 ? hiera3Variables(scope) : invocation.variables;
    // Puppet: interpolations in hiera.yaml are explained for version 3 only.
    const explainer = this.version === 3 ? invocation.explainer : null;
    const collecting = new Invocation(invocation.session, scope, { variables, explainer });
    collecting.remembered = [];
    return collecting;
  }

  #isStable(invocation: Invocation): boolean {
    if (this.#remembered.length === 0) return true;
    return invocation.runLeniently(() => this.#remembered.every((one) => isUnchanged(one, invocation)));
  }

  fail(issue: Issue, line?: number): never {
    throw new LookupError(issue, { file: this.path ?? undefined, line });
  }

  /**
   * Returns the number of the first line from `start` that matches a Ruby pattern; comments are
   * ignored. Puppet: names are inserted into these patterns without escaping,
   * lib/puppet/pops/lookup/hiera_config.rb.
   */
  findLine(pattern: string, start = 1): number | undefined {
    const lines = this.#text.split('\n');
    try {
      const regexp = new PuppetRegexp(pattern);
      const index = lines.findIndex((line, at) => at + 1 >= start && regexp.test(withoutComment(line)));
      return index < 0 ? undefined : index + 1;
    } catch (error) {
      throw error instanceof PuppetError ? new RubyFault(error.basic, { cause: error }) : error;
    }
  }

  /**
   * Throws when `pattern` matches a second time. `makeIssue` receives the line of the first match.
   */
  failMultiplyDefined(makeIssue: (firstLine: number | undefined) => Issue, pattern: string): never {
    const first = this.findLine(pattern);
    const second = first === undefined ? undefined : this.findLine(pattern, first + 1);
    this.fail(makeIssue(second === undefined ? undefined : first), second ?? first);
  }
}

/** Warns once that a hiera.yaml uses a deprecated version. */
export function deprecateVersion(config: HieraConfig, invocation: Invocation): void {
  const { settings, log } = invocation.scope.context;
  if (settings.strict === 'off') return;
  const text = `${config.path}: Use of 'hiera.yaml' version ${config.version} is deprecated. It should be converted to version 5`;
  log.addOnce('deprecations hiera.yaml', { level: 'warning', message: `${text}\n   (file: ${config.path})` });
}

function withoutComment(line: string): string {
  const [text = ''] = /^(?:[^#'"]|"[^"]*"?|'[^']*'?)*/.exec(line) ?? [];
  return text;
}

function isUnchanged({ key, rootKey, segments, value }: RememberedVariable, { variables }: Invocation): boolean {
  const root = variables.get(rootKey);
  const now = root === null ? null : (digSegments(key, segments, root, null) ?? null);
  return rubyEquals(now, value);
}
