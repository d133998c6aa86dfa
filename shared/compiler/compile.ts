import type { CollectorRecord, ExportedResource } from '../catalog/exported.ts';
import type { Environment, InputRecorder } from '../environment/environment.ts';
import type { LogEntry, LogLevel } from '../errors/compile-log.ts';
import type { SourceLocation } from '../errors/puppet-error.ts';
import type { CompileSettings, NodeInput } from '../evaluator/ports.ts';
import type { Value } from '../types/values.ts';

/** What one compile is given. It does no I/O but through `environment`. */
export interface CompileRequest {
  readonly node: NodeInput;
  readonly environment: Environment;
  readonly settings: CompileSettings;
  readonly inputs: InputRecorder;
  /** Other nodes' exports by type (`File`), or null when that type was not fetched yet: the compile then ends in `needs`. */
  exportsOf(type: string): readonly ExportedResource[] | null;
}

export type CompileResult = CompileSuccess | CompileFailure | CompileNeeds;

export interface CompileSuccess {
  readonly status: 'ok';
  /** The catalog as sent to an agent, less `version`, `catalog_uuid`, `code_id`, `catalog_format`: rich-data JSON text. */
  readonly catalog: string;
  /** Value of the last top-level expression of the site manifest; undefined when it has none. */
  readonly lastValue: Value | undefined;
  readonly exported: readonly ExportedResource[];
  readonly collectors: readonly CollectorRecord[];
  readonly log: readonly LogEntry[];
}

export interface CompileFailure {
  readonly status: 'failed';
  readonly error: {
    readonly message: string;
    readonly basic: string;
    readonly issueCode?: string | undefined;
  } & SourceLocation;
  /** Those registered before the failure. */
  readonly collectors: readonly CollectorRecord[];
  readonly log: readonly LogEntry[];
}

/** A collector asked for exports of types that were not given. */
export interface CompileNeeds {
  readonly status: 'needs';
  readonly types: readonly string[];
}

export type { LogLevel };
