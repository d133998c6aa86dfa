/** Reads Ruby files that only define modules and classes, as `puppet_x/icinga2/utils.rb`. */
import { fallBack } from './fallback.ts';
import { isKernelMethod } from './methods/kernel-methods.ts';
import { isKnownConstant } from './methods/library-methods.ts';
import { requiresStandard } from './required-paths.ts';
import type { RubyDefinition, RubyNode } from './syntax/ruby-ast.ts';
import { nodesWithin } from './syntax/ruby-nodes.ts';
import { parseRuby } from './syntax/ruby-parser.ts';

/** A module of methods that are called on it, or a class of methods of its objects. */
interface LibraryModule {
  readonly isClass: boolean;
  /** With the names of the modules around it. */
  readonly name: string;
  /** Names of the modules around its code, innermost first: where Ruby looks for a constant. */
  readonly scopes: readonly string[];
  readonly methods: readonly RubyDefinition[];
  /** Constants that its code sees, outermost first: of the modules around it, and its own. */
  readonly constants: readonly (readonly [name: string, value: RubyNode])[];
  /** Names of methods that read variables which another method sets, themselves or by a call. */
  readonly dependent: ReadonlySet<string>;
}

/**
 * Reads a file that defines modules and classes and nothing else; `require` of the standard library
 * may stand before them. Throws Fallback for other files, for modules whose state outlives a call
 * (see `findDependent`), and for classes whose objects have variables.
 */
export function readLibrary(text: string): readonly LibraryModule[] {
  const { body, slots } = parseRuby(text, true);
  if (slots > 0) fallBack('variables around modules');
  const found = statementsIn(body)
    .filter((node) => !requiresStandard(node))
    .flatMap((node) => readModule(node, [], []));
  if (new Set(found.map(({ name }) => name)).size < found.length) fallBack('a module in two parts');
  return found;
}

function statementsIn(body: RubyNode): readonly RubyNode[] {
  if (body.kind === 'sequence') return body.body;
  return body.kind === 'nil' ? [] : [body];
}

type Constants = LibraryModule['constants'];

function readModule(node: RubyNode, around: readonly string[], visible: Constants): readonly LibraryModule[] {
  if (isErrorClass(node)) return [];
  if (node.kind !== 'module' && node.kind !== 'class') return fallBack('other statements');
  if (node.kind === 'class' && node.parent !== null) fallBack('a class with a parent');
  const name = [...around.slice(0, 1), node.name].join('::');
  const scopes = [name, ...around];
  const statements = statementsIn(node.body);
  const methods = statements.filter((one) => one.kind === 'define');
  const exposed = new Set(statements.flatMap(exposedNames));
  const own = statements.filter((one) => one.kind === 'assign').map(constantIn);
  if (new Set(own.map(([constant]) => constant)).size < own.length) fallBack('a constant that is there');
  const constants = [...visible, ...own];
  const inner = statements.filter(
    (one) => one.kind !== 'define' && one.kind !== 'assign' && exposedNames(one).length === 0,
  );
  const isClass = node.kind === 'class';
  if (isClass ? exposed.size > 0 : methods.some(({ isOwn, name: its }) => !isOwn && !exposed.has(its)))
    fallBack('methods of a mixin');
  if (isClass && methods.some(({ isOwn, body }) => isOwn || nodesWithin(body).some(usesVariable)))
    fallBack('a class of other objects');
  const names = methods.map((method) => method.name);
  if (new Set(names).size < names.length || names.some((one) => isTakenByModules(one)))
    fallBack('a method that others call');
  const module: LibraryModule = { name, isClass, scopes, methods, constants, dependent: findDependent(methods) };
  const isEmpty = methods.length === 0 && own.length === 0;
  return [...(isEmpty ? [] : [module]), ...inner.flatMap((one) => readModule(one, scopes, constants))];
}

/** A class of errors without a body: what raises or rescues one is left to Ruby. */
function isErrorClass(node: RubyNode): boolean {
  return node.kind === 'class' && /(?:Error|Exception)$/.test(node.parent ?? '') && node.body.kind === 'nil';
}

/** The methods that `module_function :name` makes methods of the module itself. */
function exposedNames(node: RubyNode): readonly string[] {
  if (node.kind !== 'call' || node.name !== 'module_function' || node.receiver || node.block) return [];
  return node.args.map((arg) => (arg.kind === 'symbol' ? arg.name : fallBack('what is no symbol')));
}

function constantIn(node: RubyNode & { kind: 'assign' }): readonly [string, RubyNode] {
  if (node.target.kind !== 'constant') return fallBack('a variable of a module');
  if (isKnownConstant(node.target.name)) fallBack('a constant that is there');
  return [node.target.name, node.value];
}

/** Names that every module answers, so that a definition would change what others call. */
function isTakenByModules(name: string): boolean {
  return (
    isKernelMethod(name) ||
    /^(?:name|new|class|send|initialize|is_a\?|kind_of\?|nil\?|equal\?|tap|then|hash|inspect|to_s|freeze|dup|clone|call|include|extend|method_\w+|instance_\w+|const_\w+|module_\w+|public_\w+|respond_to\w*\??|__\w+)$/.test(
      name,
    )
  );
}

/**
 * Returns the methods that read variables of the module which another method sets. No variable may
 * carry anything from one call of the module to the next, because Ruby's code could see it as well:
 * one method sets them all, in statements that always run.
 */
function findDependent(methods: readonly RubyDefinition[]): ReadonlySet<string> {
  const using = methods.filter(({ body }) => nodesWithin(body).some(usesVariable));
  const setting = using.filter(({ body }) => nodesWithin(body).some(setsVariable));
  if (using.length === 0) return new Set();
  const [setter] = setting;
  if (!setter || setting.length > 1) return fallBack('a module that keeps values');
  const set = new Set<string>();
  for (const statement of statementsIn(setter.body)) {
    if (
      statement.kind === 'assign' &&
      statement.target.kind === 'ivar' &&
      !nodesWithin(statement.value).some(setsVariable)
    )
      set.add(statement.target.name);
    else if (nodesWithin(statement).some(setsVariable)) fallBack('a module that keeps values');
  }
  const used = using.flatMap(({ body }) => nodesWithin(body)).filter((node) => node.kind === 'ivar');
  if (used.some(({ name }) => !set.has(name))) fallBack('a module that keeps values');
  return namesOfCallers(methods, new Set(using.filter((one) => one !== setter).map(({ name }) => name)), setter.name);
}

/** Adds the methods that call one of those without a receiver, but for `setter`. */
function namesOfCallers(
  methods: readonly RubyDefinition[],
  called: ReadonlySet<string>,
  setter: string,
): ReadonlySet<string> {
  const calling = methods.filter(({ body }) =>
    nodesWithin(body).some((node) => node.kind === 'call' && called.has(node.name)),
  );
  const names = new Set([...called, ...calling.map(({ name }) => name).filter((name) => name !== setter)]);
  return names.size === called.size ? names : namesOfCallers(methods, names, setter);
}

function usesVariable(node: RubyNode): boolean {
  return node.kind === 'ivar' || setsVariable(node);
}

function setsVariable(node: RubyNode): boolean {
  if (node.kind === 'multipleAssign') return node.targets.some(({ kind }) => kind === 'ivar');
  return (node.kind === 'assign' || node.kind === 'operatorAssign') && node.target.kind === 'ivar';
}
