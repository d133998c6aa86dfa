import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Callable, CompileContext, MethodReceiver } from '../evaluator/ports.ts';
import type { RubyDataObjectState, RubyDataTypeDescription, RubyPort, RubySource } from '../evaluator/ruby-port.ts';
import { typeResolver } from '../evaluator/type-references.ts';
import type { LiteralHash } from '../language/ast.ts';
import { parseProgram } from '../language/parser.ts';
import { askRuby } from '../ruby/callbacks.ts';
import { withRubyErrors } from '../ruby/ruby-errors.ts';
import { CallableType } from '../types/callable-type.ts';
import { describeSignatures } from '../types/mismatch-describer.ts';
import type { ObjectType } from '../types/objects/object-type.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import type { PType } from '../types/ptype.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { VariantType } from '../types/wrapper-types.ts';
import { createNamedObject } from './named-type.ts';

/**
 * A data type that a module defines in Ruby. Puppet code describes its attributes, Ruby code
 * implements its methods. Puppet: lib/puppet/datatypes.rb,
 * lib/puppet/pops/loader/ruby_data_type_instantiator.rb
 */
export class RubyDataType {
  readonly type: PType;
  readonly description: RubyDataTypeDescription;
  readonly #ruby: RubyPort;
  readonly #context: CompileContext;
  #objects = 0;

  constructor(ruby: RubyPort, context: CompileContext, name: string, source: RubySource) {
    this.#ruby = ruby;
    this.#context = context;
    this.description = this.#ask((callbacks) => ruby.describeDataType(name, source, callbacks));
    this.type = this.#makeType();
  }

  /** Returns a new object number. */
  nextNumber(): number {
    return ++this.#objects;
  }

  /** Calls a method of an object; null only creates the object in Ruby. */
  call(object: RubyDataObjectState, method: string | null, args: readonly Value[], block: Callable | null): Value {
    const { description } = this;
    const rubyBlock = block && ((given: readonly Value[]) => block.call(...given));
    return this.#ask((callbacks) => this.#ruby.callDataType(description, object, method, args, rubyBlock, callbacks));
  }

  #ask<T>(ask: Parameters<typeof askRuby<T>>[2]): T {
    const context = this.#context;
    return withRubyErrors(() => askRuby({ context, scope: context.topScope, node: null }, null, ask));
  }

  #makeType(): PType {
    const { name, takesHash } = this.description;
    const resolve = (wanted: string) => typeResolver(this.#context.topScope)(wanted);
    return createNamedObject(name, this.#describeInterface(), resolve, {
      takesHash,
      create: (shape, attributes, type) => this.#createInstance(shape, attributes, type),
    });
  }

  #describeInterface(): LiteralHash {
    const { name, interface: text } = this.description;
    try {
      const { body } = parseProgram(`{ ${text} }`, { file: null });
      if (body?.kind === 'LiteralHash') return body;
    } catch (error) {
      if (!(error instanceof PuppetError)) throw error;
      throw new PuppetError(ISSUES.DATA_TYPE_LOAD_ERROR({ name, detail: error.message }), { cause: error });
    }
    throw new PuppetError(ISSUES.DATA_TYPE_INTERFACE_NO_HASH({ name }));
  }

  #createInstance(shape: ObjectType, attributes: ReadonlyMap<string, Value>, type: PType): PuppetObject {
    const object = new RubyDataObject(this, shape, attributes, type);
    if (this.description.hasOwnClass) this.call(object.getState(), null, [], null);
    return object;
  }
}

/** An object of such a type. Its methods run in Ruby; each call passes the attributes. */
class RubyDataObject extends PuppetObject implements MethodReceiver {
  readonly #dataType: RubyDataType;
  readonly #objectType: ObjectType;
  readonly #given: ReadonlyMap<string, Value>;
  readonly #number: number;

  constructor(dataType: RubyDataType, shape: ObjectType, attributes: ReadonlyMap<string, Value>, type: PType) {
    super(shape, attributes, type);
    this.#dataType = dataType;
    this.#objectType = shape;
    this.#given = attributes;
    this.#number = dataType.nextNumber();
  }

  getState(): RubyDataObjectState {
    const names = this.#objectType.constructorAttributes.map(({ name }) => name);
    const given = names.map((name): [string, Value] => [name, this.#given.get(name) ?? null]);
    return { number: this.#number, attributes: PuppetHash.of(given) };
  }

  override get(attribute: string): Value | undefined {
    const known = super.get(attribute);
    return known !== undefined && this.#isInRuby(attribute) ? this.callMethod(attribute, [], null) : known;
  }

  override ownText(): string | null {
    return this.#isInRuby('to_s') ? String(this.#dataType.call(this.getState(), 'to_s', [], null)) : null;
  }

  hasMethod(name: string): boolean {
    return this.#objectType.allFunctions.has(name) || (this.#given.has(name) && this.#isInRuby(name));
  }

  // Puppet: PFunction#invoke, lib/puppet/pops/types/p_object_type.rb
  callMethod(name: string, args: readonly Value[], block: Callable | null): Value {
    const member = this.#objectType.allFunctions.get(name);
    if (member) {
      const label = `function ${this.#objectType.name}[${name}]`;
      if (!this.#isInRuby(name)) throw new PuppetError(ISSUES.METHOD_NOT_IMPLEMENTED({ member: label }));
      assertCallable(label, member.type, args, block);
    }
    return this.#dataType.call(this.getState(), name, args, block);
  }

  // Puppet: objects of a class without Puppet's interface are compared by Ruby's identity.
  override equalityKey(): string {
    return this.#isComparedByIdentity ? `object:${this.#number}` : super.equalityKey();
  }

  override eqlKey(): string {
    return this.#isComparedByIdentity ? `object:${this.#number}` : super.eqlKey();
  }

  get #isComparedByIdentity(): boolean {
    const { hasOwnClass, methods } = this.#dataType.description;
    return hasOwnClass && !methods.includes('==');
  }

  #isInRuby(name: string): boolean {
    return this.#dataType.description.methods.includes(name);
  }
}

function accepts({ params, block: wanted }: CallableType, args: readonly Value[], block: Callable | null): boolean {
  if (params && !params.isInstance(args)) return false;
  return block ? (wanted?.isAssignable(block.type) ?? false) : wanted === null || wanted.isInstance(null);
}

function assertCallable(label: string, type: PType, args: readonly Value[], block: Callable | null): void {
  const types: readonly PType[] = type instanceof VariantType ? type.types : [type];
  const callables = types.filter((one) => one instanceof CallableType);
  if (callables.some((callable) => accepts(callable, args, block))) return;
  const signatures = callables.map((callable) => ({
    type: callable,
    parameterNames: (callable.params?.types ?? []).map(() => ''),
    blockName: null,
  }));
  throw new PuppetError(describeSignatures(label, signatures, args, block?.type ?? null));
}
