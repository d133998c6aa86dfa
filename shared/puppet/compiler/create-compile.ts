import { NO_VARIABLES } from '../environment/operator-variables.ts';
import { CompileLog } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { CompileClock } from '../evaluator/compile-clock.ts';
import { createEvaluator } from '../evaluator/evaluator.ts';
import type { CompileContext } from '../evaluator/ports.ts';
import { createTopScope } from '../evaluator/scope.ts';
import { functionsOf } from '../functions/registry.ts';
import { createLookupService } from '../hiera/lookup-service.ts';
import { languageOf } from '../levels/language.ts';
import { CatalogBuilder } from './catalog-builder.ts';
import type { CompileRequest } from './compile.ts';
import { CompileState } from './compile-state.ts';
import { type DefinitionSources, EnvironmentDefinitions } from './definitions.ts';
import { ExportSource } from './exported-collection.ts';
import { InventoryQuestions } from './inventory-questions.ts';
import { KeptValues, NOTHING_KEPT } from './kept-values.ts';
import { ManifestParser, ParseCache } from './manifest-parser.ts';

/** One compile: its shared context and its mutable state. */
export interface Compile {
  readonly context: CompileContext;
  readonly state: CompileState;
  readonly parser: ManifestParser;
  readonly keptValues: KeptValues;
}

/**
 * Connects the parts of a compile; reads and evaluates nothing. `define` makes its definitions,
 * where there are more than those of the environment.
 */
export function createCompile(
  request: CompileRequest,
  define: (sources: DefinitionSources) => EnvironmentDefinitions = (sources) => new EnvironmentDefinitions(sources),
): Compile {
  const { node, environment, settings, inputs } = request;
  const language = languageOf(settings.language);
  const log = new CompileLog(request.logLevel, settings.disableWarnings);
  environment.strict = settings.strict;
  for (const message of environment.listMessages(language)) log.add(message);
  environment.listen((message) => log.add(message));
  const parser = new ManifestParser(environment, settings, log, request.parseCache ?? new ParseCache());
  const definitions = define({
    environment,
    parser,
    functions: functionsOf(language, request.inventory !== undefined),
    preparedTypes: request.preparedTypes ?? new Map(),
    context: () => context,
  });
  const keptValues = new KeptValues(request.keptValues ?? NOTHING_KEPT, inputs);
  const shared = {
    clock: new CompileClock(request.clock ?? noClock, inputs),
    drawUuid: request.drawUuid ?? null,
    settings,
    language,
    node,
    environment,
    inputs,
    variables: request.variables ?? NO_VARIABLES,
    log,
    definitions,
    catalog: new CatalogBuilder(() => state),
    lookup: createLookupService(request.hieraCache),
    evaluator: createEvaluator(),
    ruby: request.ruby ?? null,
    apply: request.apply,
    keptValues,
    inventory: request.inventory ? new InventoryQuestions(request.inventory, inputs) : null,
  };
  const context: CompileContext = withTopScope(shared);
  const exports = new ExportSource(node.certname, (type, query) => request.exportsOf(type, query));
  const state = new CompileState(context, definitions, exports);
  return { context, state, parser, keptValues };
}

function noClock(): never {
  throw new PuppetError(ISSUES.NO_CLOCK_IN_COMPILE());
}

/** Creates a context together with its top scope; each refers to the other. */
function withTopScope(shared: Omit<CompileContext, 'topScope'>): CompileContext {
  const context = Object.assign({}, shared) as CompileContext & { topScope: CompileContext['topScope'] };
  context.topScope = createTopScope(context);
  return context;
}
