import type { Value } from '../types/values/values.ts';
import type { Location } from './locations.ts';
import type { KeySegment } from './lookup-key.ts';
import type { MergeStrategy } from './merge-strategy.ts';

/** A data provider as an explanation names it. */
interface ExplainedProvider {
  readonly explainedName: string;
  /** Path of the layer's hiera.yaml; absent for hierarchy entries. */
  readonly configPath?: string | null;
  readonly moduleName?: string | null;
}

/** The subject of a part of an explanation. */
export type ExplainSubject =
  | { readonly kind: 'root' }
  | { readonly kind: 'search'; readonly key: string }
  | { readonly kind: 'invalid_key'; readonly key: string }
  | { readonly kind: 'merge_source'; readonly source: string }
  | { readonly kind: 'module'; readonly module: string; readonly event: ModuleEvent }
  | { readonly kind: 'interpolate'; readonly expression: string }
  | { readonly kind: 'merge'; readonly strategy: MergeStrategy }
  | { readonly kind: 'data_provider'; readonly provider: ExplainedProvider }
  | { readonly kind: 'location'; readonly location: Location }
  | { readonly kind: 'sub_key'; readonly segments: readonly KeySegment[] }
  | { readonly kind: 'segment' }
  | { readonly kind: 'scope'; readonly name: string };

type ModuleEvent = 'module_not_found' | 'module_provider_not_found';

export type ExplainEvent =
  | ModuleEvent
  | 'found'
  | 'found_in_overrides'
  | 'found_in_defaults'
  | 'not_found'
  | 'location_not_found'
  | 'result';

/** A part of an explanation: its subject, its last event, and its nested parts. */
export class ExplainNode {
  readonly subject: ExplainSubject;
  readonly branches: ExplainNode[] = [];
  readonly texts: string[] = [];
  event: ExplainEvent | null;
  key: string | null;
  value: Value = null;

  constructor(subject: ExplainSubject) {
    this.subject = subject;
    this.event = subject.kind === 'module' ? subject.event : null;
    this.key = subject.kind === 'search' || subject.kind === 'invalid_key' ? subject.key : null;
  }
}
