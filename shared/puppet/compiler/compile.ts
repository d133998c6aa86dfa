import { printCatalog } from '../catalog/catalog-json.ts';
import type { CollectorRecord, ExportedResource } from '../catalog/exported.ts';
import { findConfigVersion } from '../environment/config-version.ts';
import type { Environment, InputRecorder } from '../environment/environment.ts';
import type { OperatorVariables } from '../environment/operator-variables.ts';
import type { LogEntry, LogLevel } from '../errors/compile-log.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError } from '../errors/lookup-error.ts';
import { PuppetError, type SourceLocation } from '../errors/puppet-error.ts';
import { rubyBacktraceOf } from '../errors/ruby-backtrace.ts';
import { isFatalRubyError } from '../errors/ruby-error.ts';
import { Jump } from '../evaluator/control-flow.ts';
import type { ApplyPort, CompileSettings, NodeInput } from '../evaluator/ports.ts';
import { isStackOverflow } from '../evaluator/report.ts';
import type { RubyPort } from '../evaluator/ruby-port.ts';
import type { HieraCache } from '../hiera/hiera-cache.ts';
import { RubyEnded } from '../ruby/ruby-session.ts';
import { NotJson } from '../serialization/json.ts';
import { UnwritableValue } from '../serialization/to-data.ts';
import type { Value } from '../types/values/values.ts';
import { catalogReferences } from './catalog-references.ts';
import { ExportedCollector } from './collector.ts';
import { evaluateSite } from './compile-steps.ts';
import { type Compile, createCompile } from './create-compile.ts';
import { type ExportLookup, type ExportQuery, NeedsExports } from './exported-collection.ts';
import { listExportedResources } from './exported-resources.ts';
import { type InventoryLookup, NeedsReply } from './inventory-questions.ts';
import { type KeptChange, type KeptLookup, NeedsKeptValue } from './kept-values.ts';
import type { ParseCache } from './manifest-parser.ts';
import type { PreparedResourceTypes } from './resource-types/prepared-resource-types.ts';
import { SiteManifestError } from './site-manifest.ts';

/** The input of one compile. The compile does I/O only through `environment`. */
export interface CompileRequest {
  readonly node: NodeInput;
  readonly environment: Environment;
  readonly settings: CompileSettings;
  readonly inputs: InputRecorder;
  /**
   * Returns other nodes' exports of a type (`File`), ordered by certname and title: all that match
   * the query, or more. Null means that they were not fetched yet; the compile then ends with
   * `needs`.
   */
  readonly exportsOf: ExportLookup;
  /**
   * Returns the inventory's answers; null means that one was not fetched yet, and the compile then
   * ends with `needs`. Absent without an inventory: `puppetdb_query` then is an unknown function.
   */
  readonly inventory?: InventoryLookup | undefined;
  /**
   * Returns values kept on the server; undefined means that one was not fetched yet, and the
   * compile then ends with `needs`. By default there are none, and those that code creates end with
   * the compile.
   */
  readonly keptValues?: KeptLookup | undefined;
  /**
   * Returns nanoseconds since 1970, for code that reads the time. Without a clock such code fails.
   */
  readonly clock?: (() => bigint) | undefined;
  /** Returns a new random UUID, for code that reads the kernel's. Without it such code fails. */
  readonly drawUuid?: (() => string) | undefined;
  /** Environment variables from which Hiera may read keys; default none. */
  readonly variables?: OperatorVariables | undefined;
  /** Evaluates `apply` expressions; absent: they fail. */
  readonly apply?: ApplyPort | undefined;
  /** Code that replaces the site manifest; it has no file name in errors. */
  readonly code?: string | undefined;
  /** Shared by all compiles of a process, so that unchanged manifests are not parsed again. */
  readonly parseCache?: ParseCache | undefined;
  /** Parsed data files, shared by all compiles of a process. */
  readonly hieraCache?: HieraCache | undefined;
  /** Runs the Ruby code of modules. Without it, code that needs Ruby fails. */
  readonly ruby?: RubyPort | undefined;
  /** Resource types of the environment that Ruby described at deployment. */
  readonly preparedTypes?: PreparedResourceTypes | undefined;
  /** The least level of lines in the result's log; by default `debug`, which is all of them. */
  readonly logLevel?: LogLevel | undefined;
}

export type CompileResult = CompileSuccess | CompileFailure | CompileNeeds;

export interface CompileSuccess {
  readonly status: 'ok';
  /**
   * The catalog as sent to an agent, as rich-data JSON text without `catalog_uuid`, `code_id` and
   * `catalog_format`. It has a `version` only when the environment's `config_version` gives one.
   */
  readonly catalog: string;
  /** Value of the site manifest's last top-level expression; undefined when there is none. */
  readonly lastValue: Value | undefined;
  readonly exported: readonly ExportedResource[];
  readonly collectors: readonly CollectorRecord[];
  /** Values to keep on the server; none by default. */
  readonly kept?: readonly KeptChange[];
  readonly log: readonly LogEntry[];
}

export interface CompileFailure {
  readonly status: 'failed';
  readonly error: {
    readonly message: string;
    readonly basic: string;
    readonly issueCode?: string | undefined;
    /**
     * The lines of module Ruby that it comes from, innermost first, relative to the environment; at
     * most 10. Absent for none. They are no part of Puppet's message.
     */
    readonly backtrace?: readonly string[];
  } & SourceLocation;
  /** Collectors registered before the failure. */
  readonly collectors: readonly CollectorRecord[];
  /** Values to keep on the server, created before the failure; none by default. */
  readonly kept?: readonly KeptChange[];
  readonly log: readonly LogEntry[];
}

/** The result of a compile that needs exports, an answer or a value, which were not provided. */
export interface CompileNeeds {
  readonly status: 'needs';
  /** The queries of all collectors that the compile met so far. */
  readonly queries: readonly ExportQuery[];
  /** The query that the inventory has to answer; absent when something else is needed. */
  readonly question?: string;
  /** The kept value that has to be fetched; absent when something else is needed. */
  readonly keptValue?: string;
}

export type { LogLevel };

/**
 * Compiles the catalog of one node. Errors of the user's code and data are returned as a result; a
 * thrown error is a defect of ours or a MachineryFault. When the Ruby runtime ends unexpectedly,
 * the compile is retried once. Puppet: Puppet::Parser::Compiler.compile
 */
export function compile(request: CompileRequest): CompileResult {
  try {
    return compileOnce(request);
  } catch (error) {
    if (!(error instanceof RubyEnded)) throw error;
    return compileOnce(request, (again) => new PuppetError(again.message, { cause: again }));
  } finally {
    request.ruby?.endCompile();
  }
}

/** Runs the compile once. `ended` converts the unexpected end of Ruby to the error to throw. */
function compileOnce(request: CompileRequest, ended: (error: RubyEnded) => Error = (error) => error): CompileResult {
  const run = createCompile(request);
  try {
    const lastValue = evaluateSite(run, request.code);
    return {
      status: 'ok',
      catalog: withVersion(renderCatalog(run), request.environment),
      lastValue,
      exported: listExportedResources(run.state),
      collectors: run.state.exports.records,
      kept: run.keptValues.changes,
      log: run.context.log.entries,
    };
  } catch (error) {
    if (error instanceof NeedsExports) return { status: 'needs', queries: listExportQueries(run.state, error.query) };
    if (error instanceof NeedsReply) return { status: 'needs', queries: [], question: error.query };
    if (error instanceof NeedsKeptValue) return { status: 'needs', queries: [], keptValue: error.valueName };
    if (error instanceof RubyEnded) return toFailure(run, ended(error));
    return toFailure(run, error instanceof Jump ? error.toIllegalJumpError() : error);
  }
}

/**
 * The queries of all collectors of exports that are known when a compile ends because `missing` was
 * not provided, so that one restart has the exports of all.
 */
function listExportQueries({ collectors }: Compile['state'], missing: ExportQuery): readonly ExportQuery[] {
  const waiting = [...collectors].flatMap((collector) =>
    collector instanceof ExportedCollector ? collector.exportQuery : [],
  );
  const byText = new Map([missing, ...waiting].map((one) => [JSON.stringify([one.type, one.query]), one]));
  return [...byText.values()];
}

/**
 * Renders the catalog as JSON. Puppet: values that a catalog cannot hold cause a warning, or an
 * error with `strict=error`.
 */
function renderCatalog({ context, state }: Compile): string {
  const { strict } = context.settings;
  try {
    return printCatalog(state.catalog, catalogReferences(context.definitions), (message, { file, line }, issueCode) => {
      const place = { file: file === '' ? undefined : file, line };
      if (strict === 'error')
        throw new RenderError(new PuppetError(ISSUES.EVALUATION_ERROR({ detail: message }), place));
      context.log.add({ level: 'warning', message, issueCode, ...place });
    });
  } catch (error) {
    throw error instanceof NotJson || error instanceof UnwritableValue ? new RenderError(error) : error;
  }
}

function withVersion(catalog: string, { configuration }: Environment): string {
  const version = findConfigVersion(configuration.configVersion);
  return version.kind === 'known' ? `{"version":${JSON.stringify(version.text)},${catalog.slice(1)}` : catalog;
}

/** The complete catalog cannot be rendered. The message does not name the node. */
class RenderError extends PuppetError {
  constructor(cause: PuppetError) {
    super(`Could not render to rich_data_json: ${cause.message}`, { cause });
  }
}

// Puppet: Ruby's SystemStackError is not a Puppet error and gets no additions.
function exportOverflow({ log }: Compile['context'], { exports }: Compile['state']): CompileFailure {
  const message = 'stack level too deep';
  log.add({ level: 'err', message });
  return { status: 'failed', error: { message, basic: message }, collectors: exports.records, log: log.entries };
}

function toFailure({ context, state, keptValues }: Compile, error: unknown): CompileFailure {
  if (isStackOverflow(error)) return exportOverflow(context, state);
  if (!(error instanceof PuppetError)) throw error;
  const { issueCode, location } = error;
  const namesNoNode = isFatalRubyError(error) || error instanceof RenderError;
  const message = namesNoNode ? error.message : `${error.message} on node ${context.node.certname}`;
  // Puppet: errors without an issue have their location in the text only.
  const isIssue = issueCode !== undefined || (error instanceof SiteManifestError && error.isSummary);
  context.log.add(isIssue ? { level: 'err', message: error.basic, issueCode, ...location } : { level: 'err', message });
  const backtrace = rubyBacktraceOf(error, context.environment.root);
  const where = backtrace.length === 0 ? {} : { backtrace };
  return {
    status: 'failed',
    error:
      isIssue || error instanceof LookupError
        ? { message, basic: error.basic, issueCode, ...location, ...where }
        : { message, basic: error.message, ...where },
    collectors: state.exports.records,
    kept: keptValues.changes,
    log: context.log.entries,
  };
}
