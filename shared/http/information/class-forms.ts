import type { ClassValues } from '../../fleet/groups/node-group.ts';
import { describeValueFault } from '../../orchestrator/tasks/task-parameters.ts';
import { type AliasTexts, findTypeAliases, listTypeNames } from '../../orchestrator/tasks/type-aliases.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { Expression, HostClassDefinition, Parameter } from '../../puppet/language/ast.ts';
import { parseProgram } from '../../puppet/language/parser.ts';
import { readStringsComment } from '../../puppet/language/strings-comment.ts';
import { type PType, UNDEF } from '../../puppet/types/ptype.ts';
import { parseType } from '../../puppet/types/type-parser.ts';
import type { FileServer } from '../files/file-server.ts';
import type { ServedEnvironment } from '../files/served-environment.ts';
import { SharedCache } from '../files/shared-cache.ts';
import type { EnvironmentClasses } from './deployed-classes.ts';
import { type ControlOfType, findControl } from './type-control.ts';

/** A class of deployed code, as a form asks for it. */
interface ClassForm {
  readonly name: string;
  readonly environment: string;
  /** The documentation above the class; empty without one. */
  readonly description: string;
  readonly parameters: readonly ParameterForm[];
}

interface ParameterForm extends ControlOfType {
  readonly name: string;
  /** The type as it is written; `Any` without one. */
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default as it is written; null without one. */
  readonly default: string | null;
}

/** A value of a group that does not have the type of its parameter. */
interface ValueFault {
  readonly class: string;
  readonly parameter: string;
  readonly message: string;
}

interface ReadClass {
  readonly form: Omit<ClassForm, 'environment'>;
  /** Types by parameter; one that cannot be read is left out, and its values are not checked. */
  readonly types: ReadonlyMap<string, PType>;
}

/** Deployed snapshots whose manifests by class are kept. */
const KEPT_INDEXES = 16;
const KEPT_CLASSES = 2000;

/**
 * The parameters of deployed classes with types, documentation and controls. A class is read when
 * it is asked for, once for each deployed code.
 */
export class ClassForms {
  readonly #files: FileServer;
  readonly #classes: EnvironmentClasses;
  readonly #paths = new SharedCache<ReadonlyMap<string, string>>(KEPT_INDEXES);
  readonly #read = new SharedCache<ReadClass | null>(KEPT_CLASSES);

  constructor(files: FileServer, classes: EnvironmentClasses) {
    this.#files = files;
    this.#classes = classes;
  }

  /** Describes a class; null when the environment is not deployed, or lacks it. */
  async describe(environment: string, name: string): Promise<ClassForm | null> {
    const files = await this.#open(environment);
    const found = files && (await this.#find(files, name));
    return found && { environment, ...found.form };
  }

  /**
   * Compares values with the types of parameters, as a compile would. An environment, class or
   * parameter that is not deployed has no faults here.
   */
  async check(environment: string, classes: ClassValues): Promise<readonly ValueFault[]> {
    const files = await this.#open(environment);
    if (files === null) return [];
    const faults: ValueFault[] = [];
    for (const [name, values] of Object.entries(classes)) {
      const found = await this.#find(files, name);
      for (const [parameter, value] of found === null ? [] : Object.entries(values)) {
        const message = found && describeFault(found, parameter, value);
        if (message) faults.push({ class: name, parameter, message });
      }
    }
    return faults;
  }

  async #open(environment: string): Promise<ServedEnvironment | null> {
    return (await this.#files.open(environment))?.files ?? null;
  }

  async #find(files: ServedEnvironment, name: string): Promise<ReadClass | null> {
    return this.#read.get(`${files.codeId} ${name}`, async () => {
      const path = (await this.#paths.get(files.codeId, () => this.#listPaths(files))).get(name);
      const served = path === undefined ? null : files.findServed(path, 'follow');
      if (path === undefined || served?.kind !== 'file') return null;
      return readClass(name, path, await this.#files.readText(served.file), (types) =>
        findTypeAliases(this.#files, files, types),
      );
    });
  }

  /** Paths of manifests by class. */
  async #listPaths(files: ServedEnvironment): Promise<ReadonlyMap<string, string>> {
    const paths = new Map<string, string>();
    for (const manifest of await this.#classes.list(files)) {
      if ('error' in manifest) continue;
      for (const { name } of manifest.classes) paths.set(name, manifest.path);
    }
    return paths;
  }
}

async function readClass(
  name: string,
  path: string,
  source: string,
  findAliases: (types: readonly string[]) => Promise<AliasTexts>,
): Promise<ReadClass | null> {
  const { definitions } = parseProgram(source, { file: path });
  const definition = definitions.find(
    (one): one is HostClassDefinition => one.kind === 'HostClassDefinition' && one.name === name,
  );
  if (definition === undefined) return null;
  const comment = readStringsComment(source.slice(0, definition.offset));
  const written = definition.parameters.map((one) => [one, writtenType(one, source)] as const);
  const aliases = await findAliases(written.map(([, type]) => type));
  const types = new Map<string, PType>();
  const parameters = written.map(([{ name: parameter, value }, type]): ParameterForm => {
    const read = readType(type, aliases);
    if (read !== null) types.set(parameter, read);
    return {
      name: parameter,
      type,
      description: comment.parameters[parameter] ?? '',
      isRequired: value === null && !(read?.isAssignable(UNDEF) ?? false),
      default: value === null ? null : textOf(value, source),
      ...findControl(read),
    };
  });
  return { form: { name, description: comment.description, parameters }, types };
}

function writtenType({ typeExpr }: Parameter, source: string): string {
  return typeExpr === null ? 'Any' : textOf(typeExpr, source);
}

function textOf({ offset, length }: Expression, source: string): string {
  return source.slice(offset, offset + length);
}

/** The type of a text; null when it cannot be read, or names a type that no manifest defines. */
function readType(text: string, aliases: AliasTexts): PType | null {
  const known = new Set(Object.keys(aliases).map((name) => name.toLowerCase()));
  const isKnown = (type: string) => listTypeNames(type).every((name) => known.has(name.toLowerCase()));
  if (![text, ...Object.values(aliases)].every(isKnown)) return null;
  try {
    return parseType(text, aliases);
  } catch (error) {
    if (error instanceof PuppetError) return null;
    throw error;
  }
}

function describeFault({ form, types }: ReadClass, parameter: string, value: unknown): string | null {
  const type = types.get(parameter);
  const typeText = form.parameters.find(({ name }) => name === parameter)?.type ?? '';
  // A class takes `undef` for no value: its default counts then.
  if (type === undefined || value === null) return null;
  return describeValueFault({ name: parameter, type, typeText, isSensitive: false }, value);
}
