/**
 * Finds texts that code builds in a local variable: `text << line`, `text.concat(line)`. Ruby
 * changes the object. A text here cannot change, so such a call sets the variable to a longer text
 * instead. The two differ only where something else holds the object: the calls of such a variable
 * are left to Ruby.
 */
import type { LocalPlace, RubyBlockNode, RubyCall, RubyDefinition, RubyNode, RubyTarget } from './ruby-ast.ts';
import { childrenOf, WALKING } from './ruby-nodes.ts';

const APPENDING: ReadonlySet<string> = new Set(['<<', 'concat']);
/** Methods of String whose result does not hold the receiver. */
const READING: ReadonlySet<string> = new Set(
  'empty? length size == include? start_with? end_with? nil? sub gsub strip chomp chop split to_sym'.split(' '),
);

/**
 * The use of an expression's value: none, or it is the value of the innermost method or
 * block, or it is used.
 */
type Use = 'discarded' | 'last' | 'used';

interface Place {
  readonly use: Use;
  /**
   * Variables of that many scopes, outermost first, are held by an expression that is not complete.
   */
  readonly held: number;
}

/** A local variable: whether nothing else can hold its text, and the calls that make it longer. */
interface Candidate {
  isAlone: boolean;
  readonly calls: { readonly call: RubyCall; readonly at: LocalPlace }[];
}

/**
 * Marks the calls in `body` that make a text longer. `freezesLiterals`: whether literals without
 * interpolation are frozen.
 */
export function markTextBuilding(body: RubyNode, freezesLiterals: boolean): void {
  const search = new BuildingSearch(freezesLiterals);
  search.visitScope(body);
  for (const { isAlone, calls } of search.candidates) if (isAlone) for (const { call, at } of calls) call.builds = at;
}

class BuildingSearch {
  readonly candidates: Candidate[] = [];
  readonly #freezesLiterals: boolean;
  /** The variables of the scopes around, by slot; outermost first. */
  #scopes: Map<number, Candidate>[] = [];

  constructor(freezesLiterals: boolean) {
    this.#freezesLiterals = freezesLiterals;
  }

  /** Visits the body of a program or method, which sees no variables around it. */
  visitScope(body: RubyNode, parameters: RubyDefinition['parameters'] = []): void {
    const around = this.#scopes;
    this.#scopes = [new Map()];
    for (const { slot, otherwise } of parameters) {
      this.#refuse({ depth: 0, slot });
      if (otherwise) this.#visitUsed(otherwise);
    }
    this.#visit(body, { use: 'last', held: 0 });
    this.#scopes = around;
  }

  #visit(node: RubyNode, place: Place): void {
    const { use } = place;
    const inner = (one: RubyNode | null, its: Use = use): void => {
      if (one) this.#visit(one, { ...place, use: its });
    };
    switch (node.kind) {
      case 'local':
        if (use === 'used' || (use === 'last' && node.at.depth > 0)) this.#refuse(node.at);
        break;
      case 'assign':
        this.#visitAssignment(node.target, node.value, place, this.#isFresh(node.value));
        break;
      case 'operatorAssign':
        this.#visitAssignment(node.target, node.value, place, this.#makesFresh(node.operator, node.value));
        break;
      case 'sequence':
        for (const one of node.body.slice(0, -1)) inner(one, 'discarded');
        inner(node.body.at(-1) ?? null);
        break;
      case 'if':
        this.#visitUsed(node.condition);
        inner(node.consequence);
        inner(node.alternative);
        break;
      case 'case':
        this.#visitAllUsed([...(node.subject ? [node.subject] : []), ...node.branches.flatMap((one) => one.patterns)]);
        for (const branch of node.branches) inner(branch.body);
        inner(node.alternative);
        break;
      case 'while':
        this.#visitUsed(node.condition);
        inner(node.body, 'discarded');
        break;
      case 'and':
      case 'or':
        this.#visitUsed(node.left);
        inner(node.right);
        break;
      case 'rescue':
        inner(node.body);
        for (const { target, body } of node.clauses) {
          if (target) this.#refuseTarget(target);
          inner(body);
        }
        break;
      case 'call':
        this.#visitCall(node, place);
        break;
      default:
        this.#visitOther(node);
    }
  }

  /** Visits a node whose parts are used, whatever becomes of its own value. */
  #visitOther(node: RubyNode): void {
    switch (node.kind) {
      case 'define':
        this.visitScope(node.body, node.parameters);
        break;
      case 'module':
        this.visitScope(node.body);
        break;
      case 'lambda':
        if (node.code.kind === 'block') this.#visitBlock(node.code, null);
        break;
      case 'output':
        this.#visitRead(node.value);
        break;
      case 'return':
        // The method ends, and with it all that could change the text.
        if (node.value) this.#visitRead(node.value);
        break;
      case 'string':
        for (const part of node.parts) if (typeof part !== 'string') this.#visitRead(part);
        break;
      case 'multipleAssign':
        for (const target of node.targets) this.#refuseTarget(target);
        this.#visitAllUsed(node.values);
        break;
      default:
        this.#visitAllUsed(childrenOf(node));
    }
  }

  #visitAllUsed(nodes: readonly RubyNode[]): void {
    for (const node of nodes) this.#visitUsed(node);
  }

  #visitUsed(node: RubyNode): void {
    this.#visit(node, { use: 'used', held: this.#scopes.length });
  }

  /** Visits what is read at once, so that a variable may stand there itself. */
  #visitRead(node: RubyNode): void {
    if (node.kind !== 'local') this.#visitUsed(node);
  }

  #visitAssignment(target: RubyTarget, value: RubyNode, place: Place, isFresh: boolean): void {
    if (target.kind !== 'local' || !isFresh || !this.#mayChange(target.at, place)) this.#refuseTarget(target);
    else this.#candidate(target.at);
    this.#visitUsed(value);
  }

  #visitCall(node: RubyCall, place: Place): void {
    const at = this.#buildingAt(node);
    const candidate = at && this.#candidate(at);
    if (at && candidate) {
      candidate.calls.push({ call: node, at });
      if (!this.#mayChange(at, place)) candidate.isAlone = false;
      // The inner call of a chain: its value is the receiver.
      if (node.receiver?.kind === 'call') this.#visitCall(node.receiver, place);
    } else if (node.receiver && READING.has(node.name)) this.#visitRead(node.receiver);
    else if (node.receiver) this.#visitUsed(node.receiver);
    this.#visitAllUsed(node.args);
    const walks = place.use !== 'used' && node.receiver !== null && WALKING.has(node.name);
    if (node.block?.kind === 'block') this.#visitBlock(node.block, walks ? place.held : null);
  }

  /** `held`: the scopes held around a block that runs at once, and whose result nobody uses. */
  #visitBlock({ body, parameters }: RubyBlockNode & { kind: 'block' }, held: number | null): void {
    const own = held ?? this.#scopes.length;
    this.#scopes.push(new Map());
    const refuse = (items: typeof parameters.items): void => {
      for (const item of items) {
        if (item.kind === 'slot') this.#refuse({ depth: 0, slot: item.slot });
        else refuse(item.items);
      }
    };
    refuse(parameters.items);
    this.#visit(body, { use: held === null ? 'last' : 'discarded', held: own });
    this.#scopes.pop();
  }

  /** The variable that the call makes longer; null when it does something else. */
  #buildingAt({ receiver, name, args, block, isSafe }: RubyCall): LocalPlace | null {
    if (!APPENDING.has(name) || block || isSafe || args.some(({ kind }) => kind === 'splat' || kind === 'hash'))
      return null;
    if (receiver?.kind === 'local') return receiver.at;
    return receiver?.kind === 'call' ? this.#buildingAt(receiver) : null;
  }

  /** Whether a change of the variable is seen as in Ruby, by all that read it. */
  #mayChange({ depth }: LocalPlace, { use, held }: Place): boolean {
    if (use === 'used' || (use === 'last' && depth > 0)) return false;
    return this.#scopes.length - depth > held;
  }

  /** Whether the value is nil, or a text that nothing else holds and that is not frozen. */
  #isFresh(value: RubyNode): boolean {
    if (value.kind === 'nil') return true;
    if (value.kind === 'call')
      return value.name === 'dup' && value.receiver?.kind === 'string' && value.args.length === 0 && !value.block;
    if (value.kind !== 'string') return false;
    return !this.#freezesLiterals || value.parts.some((part) => typeof part !== 'string');
  }

  /** `text += value` makes a text; `text ||= value` keeps the one that is there. */
  #makesFresh(operator: string, value: RubyNode): boolean {
    return operator === '+' || (operator === '||' && this.#isFresh(value));
  }

  #refuseTarget(target: RubyTarget): void {
    if (target.kind === 'local') this.#refuse(target.at);
    if (target.kind !== 'index') return;
    this.#visitAllUsed([target.receiver, ...target.args]);
  }

  #refuse(at: LocalPlace): void {
    this.#candidate(at).isAlone = false;
  }

  #candidate({ depth, slot }: LocalPlace): Candidate {
    const scope = this.#scopes.at(-1 - depth) ?? new Map<number, Candidate>();
    const known = scope.get(slot);
    if (known) return known;
    const made: Candidate = { isAlone: true, calls: [] };
    scope.set(slot, made);
    this.candidates.push(made);
    return made;
  }
}
